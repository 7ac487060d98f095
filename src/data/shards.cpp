#include <algorithm>
#include <map>

#include "data/partition.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct ShardOptions {
  std::size_t each = 5;
  bool pure = false, distinct = false, even = false;

  void read(Reader& r) {
    r("shards", each, {.low = 1, .high = 1e6}, "number of shards of a client");
    r("pure", pure,
      "every shard holds records of one label; the remaining records of a label are not used");
    r("distinct", distinct, "the shards of a client differ in their labels");
    r("even", even,
      "every label fills the same number of shards, which are smaller for labels with few records");
    if (even && pure) r.refuse("even", "such shards are pure; leave partition.pure out");
  }
};

// Sorts records by label, cuts them into equal shards, and deals the shards at random ([NORM]
// appendix G: 5 per client; [FAV]: 2 of different classes). Records that do not fill a shard are
// dropped.
class Shards final : public Partitioner {
 public:
  explicit Shards(const ShardOptions& s) : s_(s) {}
  bool uses_labels() const override { return true; }

  Partition partition(const Dataset& train, std::size_t clients,
                      std::uint64_t seed) const override {
    const std::size_t wanted = clients * s_.each;
    const std::size_t size = train.size() / wanted;
    require(size > 0,
            "partition.shards = {}: {} shards for {} clients, but {} records only; lower "
            "clients or partition.shards",
            s_.each, wanted, clients, train.size());
    std::vector<std::vector<std::uint32_t>> shards =
        s_.even ? cut_labels(train, wanted, size) : cut_shards(train, size);
    require(shards.size() >= wanted,
            "partition.pure: the labels fill {} shards of {} records, not {}; lower clients to {}",
            shards.size(), size, wanted, shards.size() / s_.each);
    auto order = first_numbers(shards.size());
    shuffle(order, {seed, Purpose::data, 0, 1});
    order.resize(wanted);
    if (s_.distinct) separate(train, shards, order, seed);
    return deal(train, shards, order, clients);
  }

 private:
  std::vector<std::vector<std::uint32_t>> cut_shards(const Dataset& train, std::size_t size) const {
    const auto sorted = sorted_by_label(train.label);
    std::vector<std::vector<std::uint32_t>> shards;
    for (std::size_t first = 0; first + size <= sorted.size();) {
      const std::size_t last = first + size - 1;
      if (s_.pure && train.label[sorted[first]] != train.label[sorted[last]]) {
        ++first;
        continue;
      }
      const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first);
      shards.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
      first += size;
    }
    return shards;
  }

  // Cuts the same number of shards from every label, with `size` records each, or with all records
  // of the label.
  std::vector<std::vector<std::uint32_t>> cut_labels(const Dataset& train, std::size_t wanted,
                                                     std::size_t size) const {
    std::map<std::int32_t, std::vector<std::uint32_t>> of_label;
    for (const std::uint32_t row : sorted_by_label(train.label))
      of_label[train.label[row]].push_back(row);
    require(wanted % of_label.size() == 0,
            "partition.even: {} shards for {} labels; choose clients and partition.shards so that "
            "every label gets as many",
            wanted, of_label.size());
    const std::size_t each = wanted / of_label.size();
    std::vector<std::vector<std::uint32_t>> shards;
    for (const auto& [label, rows] : of_label) {
      const std::size_t of_shard = std::min(size, rows.size() / each);
      require(of_shard > 0, "partition.even: label {} has {} records for {} shards; lower clients",
              label, rows.size(), each);
      for (std::size_t number = 0; number < each; ++number) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(number * of_shard);
        shards.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(of_shard));
      }
    }
    return shards;
  }

  // Exchanges shards between clients until no client has two that begin with the same label.
  void separate(const Dataset& train, const std::vector<std::vector<std::uint32_t>>& shards,
                std::vector<std::uint32_t>& order, std::uint64_t seed) const {
    auto label = [&](std::size_t place) { return train.label[shards[order[place]].front()]; };
    auto clashes = [&](std::size_t place) {
      const std::size_t first = place / s_.each * s_.each;
      for (std::size_t other = first; other < first + s_.each; ++other)
        if (other != place && label(other) == label(place)) return true;
      return false;
    };
    Stream stream({seed, Purpose::data, 0, 2});
    const std::size_t most = 1000 * order.size();
    std::size_t tries = 0;
    for (std::size_t place = 0; place < order.size(); ++place)
      while (clashes(place)) {
        const std::size_t other = stream.below(static_cast<std::uint32_t>(order.size()));
        std::swap(order[place], order[other]);
        if (clashes(other)) std::swap(order[place], order[other]);
        require(++tries < most,
                "partition.distinct: no way found to give every client {} shards of different "
                "labels; lower partition.shards",
                s_.each);
      }
  }

  Partition deal(const Dataset& train, const std::vector<std::vector<std::uint32_t>>& shards,
                 const std::vector<std::uint32_t>& order, std::size_t clients) const {
    Partition out;
    out.client.resize(clients);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& shard = shards[order[i]];
      auto& to = out.client[i / s_.each];
      to.insert(to.end(), shard.begin(), shard.end());
    }
    std::size_t used = 0;
    std::size_t least = train.size();
    std::size_t most = 0;
    for (const std::uint32_t number : order) {
      used += shards[number].size();
      least = std::min(least, shards[number].size());
      most = std::max(most, shards[number].size());
    }
    out.description =
        fmt::format("{}, {} shards of {}", describe_sizes(out.client), s_.each,
                    least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
    if (used < train.size())
      out.description += fmt::format("; {} records left out", train.size() - used);
    return out;
  }

  ShardOptions s_;
};

std::unique_ptr<Partitioner> make_shards(const ShardOptions& options) {
  return std::make_unique<Shards>(options);
}

}  // namespace

Row<PartitionMaker> shards_partition() {
  return part_with_settings(
      "shards", "sorted by label, cut into shards, several random ones per client", make_shards);
}

}  // namespace trilemma
