#include "local/sampler.hpp"

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

class Poisson final : public Sampler {
 public:
  const char* name() const override { return "poisson"; }
  accounting::Sampling scheme() const override { return accounting::Sampling::poisson; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    draw_(key, records, rate(records, batch), rows);
  }

 private:
  CoinDraw draw_;
};

class WithoutReplacement final : public Sampler {
 public:
  const char* name() const override { return "without-replacement"; }
  accounting::Sampling scheme() const override { return accounting::Sampling::fixed_wor; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    draw_(key, records, batch, rows);
  }

 private:
  SubsetDraw draw_;
};

class WithReplacement final : public Sampler {
 public:
  const char* name() const override { return "with-replacement"; }
  bool repeats() const override { return true; }
  accounting::Sampling scheme() const override { return accounting::Sampling::none; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    Stream stream(key);
    rows.resize(batch);
    for (auto& row : rows) row = stream.below(static_cast<std::uint32_t>(records));
  }
};

template <class Kind>
std::unique_ptr<Sampler> make_sampler() {
  return std::make_unique<Kind>();
}
constexpr Row<SamplerMaker> table[] = {
    {"poisson", "each record independently with probability batch / records",
     make_sampler<Poisson>},
    {"without-replacement", "exactly `batch` different records", make_sampler<WithoutReplacement>},
    {"with-replacement", "`batch` independent uniform records: no amplification is claimed",
     make_sampler<WithReplacement>},
};

}  // namespace

std::span<const Row<SamplerMaker>> samplers() { return table; }

}  // namespace trilemma
