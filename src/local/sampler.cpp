#include "local/sampler.hpp"

#include <array>
#include <cmath>

#include "core/vmath.hpp"

namespace trilemma {
namespace {

// Independent coins with probability q, drawn by their gaps: the number of failures before the next
// success is floor(log(u) / log(1 - q)), so the cost grows with the batch and not with the shard.
class Poisson final : public Sampler {
 public:
  const char* name() const override { return "poisson"; }
  accounting::Sampling scheme() const override { return accounting::Sampling::poisson; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    rows.clear();
    const double q = rate(records, batch);
    const double inverse = 1.0 / std::log1p(-q);
    const auto end = static_cast<double>(records);
    double next = -1;
    for (std::uint32_t block = 0;; block += words / 4) {
      random_words(key, block, word_);
      for (std::size_t i = 0; i < words / 2; ++i) {
        // 53 random bits, so that the law of the gaps is exact to 1e-16.
        const double u = (vmath::from_integer(word_[2 * i]) +
                          (vmath::from_integer(word_[2 * i + 1] >> 11U) + 0.5) * 0x1p-21) *
                         0x1p-32;
        gap_[i] = vmath::log(u) * inverse;
      }
      for (std::size_t i = 0; i < words / 2; ++i) {
        next += 1.0 + std::floor(gap_[i]);
        if (next >= end) return;
        rows.push_back(static_cast<std::uint32_t>(next));
      }
    }
  }

 private:
  static constexpr std::size_t words = 128;
  std::array<std::uint32_t, words> word_{};
  std::array<double, words / 2> gap_{};
};

// Floyd's algorithm (Bentley and Floyd 1987) on a bitmap, delivered in ascending order.
class WithoutReplacement final : public Sampler {
 public:
  const char* name() const override { return "without-replacement"; }
  accounting::Sampling scheme() const override { return accounting::Sampling::fixed_wor; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    Stream stream(key);
    taken_.assign(records, false);
    for (std::size_t j = records - batch; j < records; ++j) {
      const std::uint32_t draw = stream.below(static_cast<std::uint32_t>(j + 1));
      taken_[taken_[draw] ? j : draw] = true;
    }
    rows.clear();
    for (std::size_t j = 0; j < records; ++j)
      if (taken_[j]) rows.push_back(static_cast<std::uint32_t>(j));
  }

 private:
  std::vector<bool> taken_;
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
std::unique_ptr<Sampler> make() {
  return std::make_unique<Kind>();
}
void no_settings(Settings&) {}

constexpr Row<SamplerMaker> table[] = {
    {"poisson", "each record independently with probability batch / records", no_settings,
     make<Poisson>},
    {"without-replacement", "exactly `batch` different records", no_settings,
     make<WithoutReplacement>},
    {"with-replacement", "`batch` independent uniform records: no amplification is claimed",
     no_settings, make<WithReplacement>},
};

}  // namespace

std::span<const Row<SamplerMaker>> samplers() { return table; }

}  // namespace trilemma
