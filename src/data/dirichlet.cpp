#include <algorithm>
#include <cmath>
#include <random>

#include "data/partition.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct DirichletOptions {
  double alpha = 0.5;
  void read(Reader& r) {
    r("alpha", alpha, positive(),
      "concentration: small = few labels per client, large = all clients alike");
  }
};

// Adapts a keyed stream to the generator interface of the standard library.
class Bits {
 public:
  using result_type = std::uint32_t;
  explicit Bits(const Key& key) : stream_(key) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xFFFFFFFFU; }
  result_type operator()() { return stream_.word(); }

 private:
  Stream stream_;
};

// For each label, the clients' shares are drawn from Dirichlet(alpha, ..., alpha), and the records
// of the label, in random order, are divided by these shares (Hsu et al. 2019). A client left
// without records takes one from a largest client.
class Dirichlet final : public Partitioner {
 public:
  explicit Dirichlet(double alpha) : alpha_(alpha) {}
  bool uses_labels() const override { return true; }

  Partition partition(const Dataset& train, std::size_t clients,
                      std::uint64_t seed) const override {
    require(clients <= train.size(),
            "clients = {}: more clients than the {} records; lower clients", clients, train.size());
    Partition out;
    out.client.resize(clients);
    const auto sorted = sorted_by_label(train.label);
    std::uint32_t number = 0;
    for (std::size_t first = 0; first < sorted.size(); ++number) {
      std::size_t last = first;
      while (last < sorted.size() && train.label[sorted[last]] == train.label[sorted[first]])
        ++last;
      const auto begin = sorted.begin();
      deal({begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)},
           {seed, Purpose::data, number, 3}, out.client);
      first = last;
    }
    fill_empty(out.client);
    out.description =
        fmt::format("{}, Dirichlet({:g}) of labels", describe_sizes(out.client), alpha_);
    return out;
  }

 private:
  void deal(std::vector<std::uint32_t> records, const Key& key,
            std::vector<std::vector<std::uint32_t>>& client) const {
    shuffle(records, key);
    Bits bits({key.seed, key.purpose, key.client, key.round + 1});
    std::gamma_distribution<double> gamma(alpha_);
    std::vector<double> until;
    double sum = 0;
    for (std::size_t c = 0; c < client.size(); ++c) until.push_back(sum += gamma(bits));
    std::size_t at = 0;
    for (std::size_t c = 0; c < client.size(); ++c) {
      const double share = sum > 0
                               ? until[c] / sum
                               : static_cast<double>(c + 1) / static_cast<double>(client.size());
      const auto end =
          c + 1 == client.size()
              ? records.size()
              : static_cast<std::size_t>(std::llround(share * static_cast<double>(records.size())));
      for (; at < end; ++at) client[c].push_back(records[at]);
    }
  }

  static void fill_empty(std::vector<std::vector<std::uint32_t>>& client) {
    for (auto& records : client) {
      if (!records.empty()) continue;
      auto& largest =
          *std::max_element(client.begin(), client.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
      records.push_back(largest.back());
      largest.pop_back();
    }
  }

  double alpha_;
};

std::unique_ptr<Partitioner> make_dirichlet(const DirichletOptions& options) {
  return std::make_unique<Dirichlet>(options.alpha);
}

}  // namespace

Row<PartitionMaker> dirichlet_partition() {
  return part_with_settings("dirichlet", "shares of each label drawn from a Dirichlet law",
                            make_dirichlet);
}

}  // namespace trilemma
