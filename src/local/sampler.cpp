#include "local/sampler.hpp"

#include <algorithm>
#include <numeric>

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

// Cuts a random order of the records into minibatches, as FedAvg does (McMahan et al. 2017,
// algorithm 1). The round of the key determines the epoch and the place in it, so that there is no
// state to save; the order of the last epoch is kept because consecutive draws need it.
class Shuffled final : public Sampler {
 public:
  const char* name() const override { return "shuffled"; }
  bool shuffles() const override { return true; }
  std::size_t divisor(std::size_t, std::size_t drawn) const override { return drawn; }
  accounting::Sampling scheme() const override { return accounting::Sampling::none; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    const auto batches = static_cast<std::uint32_t>((records + batch - 1) / batch);
    const std::uint32_t place = key.round % batches;
    Key epoch = key;
    epoch.round -= place;
    if (order_.size() != records || !(epoch == epoch_)) {
      order_.resize(records);
      std::iota(order_.begin(), order_.end(), 0U);
      shuffle(order_, epoch);
      epoch_ = epoch;
    }
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(place * batch);
    rows.assign(first,
                first + static_cast<std::ptrdiff_t>(std::min(batch, records - place * batch)));
    std::sort(rows.begin(), rows.end());
  }

 private:
  std::vector<std::uint32_t> order_;
  Key epoch_;
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
    {"shuffled", "the next `batch` records of a random order, a new one for each epoch",
     make_sampler<Shuffled>},
};

}  // namespace

std::span<const Row<SamplerMaker>> samplers() { return table; }

}  // namespace trilemma
