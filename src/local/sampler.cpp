#include "local/sampler.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

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

// Cuts a random order of a client's records into minibatches. The round of the key determines the
// epoch and the place in it, so that there is no state to save. The order of a client's last epoch
// is kept with the first words of its stream, which identify it.
class Shuffled final : public Sampler {
 public:
  const char* name() const override { return "shuffled"; }
  bool shuffles() const override { return true; }
  std::size_t divisor(std::size_t, std::size_t drawn) const override { return drawn; }
  accounting::Sampling scheme() const override { return accounting::Sampling::none; }

  void draw(const Key& key, std::size_t records, std::size_t batch,
            std::vector<std::uint32_t>& rows) override {
    const std::size_t batches = (records + batch - 1) / batch;
    const std::size_t place = key.round % batches;
    Key epoch = key;
    epoch.round -= static_cast<std::uint32_t>(place);
    const auto& order = order_of(epoch, records);
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(place * batch);
    const std::size_t left = records - place * batch;
    rows.assign(first, first + static_cast<std::ptrdiff_t>(std::min(batch, left)));
    std::sort(rows.begin(), rows.end());
  }

 private:
  struct Epoch {
    std::array<std::uint32_t, 4> begin_of_stream{};
    std::vector<std::uint32_t> order;
  };

  const std::vector<std::uint32_t>& order_of(const Key& key, std::size_t records) {
    Epoch& epoch = epochs_[key.client];
    Stream stream(key);
    std::array<std::uint32_t, 4> words{};
    for (auto& word : words) word = stream.word();
    if (epoch.order.size() == records && epoch.begin_of_stream == words) return epoch.order;
    epoch.order.resize(records);
    std::iota(epoch.order.begin(), epoch.order.end(), 0U);
    shuffle(epoch.order, key);
    epoch.begin_of_stream = words;
    return epoch.order;
  }

  std::unordered_map<std::uint32_t, Epoch> epochs_;  ///< by client
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
