#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "comm/ranks.hpp"
#include "exchange/message_sum.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {
namespace {

// Every rank decodes and adds the messages of its own clients, and MPI adds the sums on the way to
// rank 0. The sums are exact, so that the order of MPI's additions has no effect. Per rank and
// round, d numbers of 8 bytes are sent (16 with float64 values), or k if all clients of a round
// share a mask, and 8 bytes in both directions: the exponent of the largest value, and whether
// rounding has lost too much of some sums. In that case one bit per sum is sent in both directions,
// and three or more numbers for each affected sum.
class Reduce final : public Uplink {
 public:
  Reduce(UplinkSetup setup, bool by_node)
      : setup_(std::move(setup)),
        by_node_(by_node),
        aligned_(setup_.compressor->traits().is_shared && setup_.stride == 0),
        is_early_(!setup_.compressor->traits().needs_reference()),
        sum_(make_sum(setup_, aligned_)) {}

  // Adds messages while they are in the cache. Those of compressors that decode with a reference
  // wait for sum(), as with gather.
  void post(std::uint32_t round, Coordinates participants, const Packets& ready,
            PhaseTimer& timer) override {
    if (!is_early_) return;
    if (begun_ != round) begin(round, participants);
    for (std::size_t i = 0, count = ready.count(); i < count; ++i) {
      expect(added_ < own_.size(), "more messages than participants");
      add(round, ready[i]);
    }
    timer.lap(Phase::decode);
  }

  std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                        PhaseTimer& timer) override {
    const Packets packets = mine.packets();
    if (begun_ != round) begin(round, participants);
    begun_.reset();
    Agreed agreed = agree(round, packets, add_rest(round, packets), timer);
    // The rank that hosts the client reports the error, since only that rank knows it.
    if (not_finite_ != nullptr) throw RunFailure(not_finite(round, *not_finite_));
    if (!sum_.settle(agreed.most)) {
      begin(round, participants);
      begun_.reset();
      agreed = agree(round, packets, add_rest(round, packets), timer);
    }
    if (agreed.has_marks) read_marks(round, packets, timer);
    auto bits = sum_.is_equal()
                    ? sum_.bits_of_equal(participants.size(), setup_.model_bits_per_value)
                    : sum_.bits(setup_.model_bits_per_value);
    if (!sum_.is_equal()) setup_.ranks.reduce(bits, Use::control);
    if (setup_.is_server) add_bits(setup_.metric_log, setup_.metrics, bits);
    const auto total = sum_.finish([&](std::span<double> part) {
      by_node_ ? setup_.ranks.reduce_by_node(part, Use::up) : setup_.ranks.reduce(part, Use::up);
    });
    timer.lap(Phase::exchange);
    if (!setup_.is_server) return {};
    const auto found = aligned_ ? spread(round, total) : total;
    timer.lap(Phase::decode);
    return found;
  }

 private:
  static MessageSum make_sum(UplinkSetup& setup, bool aligned) {
    const std::size_t sums = aligned ? setup.compressor->layout().count : setup.dimension;
    return {std::move(setup.compressor), sums, setup.stride, setup.seed, aligned,
            setup.reference_model};
  }

  // Lists the participants whose messages this rank has.
  void list_own(Coordinates participants) {
    const Placement& place = setup_.ranks.place();
    const auto first = static_cast<std::uint32_t>(place.first(place.rank));
    const auto count = static_cast<std::uint32_t>(place.count(place.rank));
    own_.clear();
    for (const std::uint32_t client : participants)
      if (client - first < count) own_.push_back(client);
  }

  void begin(std::uint32_t round, Coordinates participants) {
    list_own(participants);
    sum_.begin(participants.size());
    begun_ = round;
    added_ = 0;
    most_ = 0;
    not_finite_ = nullptr;
  }

  // Adds the next message of this rank's participants.
  void add(std::uint32_t round, std::span<const std::byte> message) {
    const double size = sum_.add(round, own_[added_], message);
    if (!std::isfinite(size) && not_finite_ == nullptr) not_finite_ = &own_[added_];
    most_ = std::max(most_, size);
    ++added_;
  }

  // Adds the messages that post() has not added. Returns the largest magnitude of a value; infinite
  // if a value is not finite.
  double add_rest(std::uint32_t round, const Packets& packets) {
    while (added_ < own_.size()) add(round, packets[added_]);
    return not_finite_ == nullptr ? most_ : std::numeric_limits<double>::infinity();
  }

  // Facts about the messages that all ranks agree on.
  struct Agreed {
    double most;     ///< largest magnitude of a value, rounded down to a power of two; may be 0 or
                     ///< infinite
    bool has_marks;  ///< whether rounding has lost too much of some sums
  };

  Agreed agree(std::uint32_t round, const Packets& packets, double most, PhaseTimer& timer) {
    // ilogb() returns the largest number for an infinite value and the smallest for 0.
    std::array<int, 2> values{std::ilogb(most), 0};
    if (std::isfinite(most)) {
      if (sum_.doubt()) look(round, packets);
      values[1] = sum_.sums().mark() ? 1 : 0;
    }
    timer.lap(Phase::decode);
    setup_.ranks.largest(values, Use::up);
    timer.lap(Phase::exchange);
    return {values[0] == FP_ILOGB0 ? 0.0 : std::ldexp(1.0, values[0]), values[1] == 1};
  }

  // The depth is agreed on last: at a coordinate that another rank has marked, the terms of this
  // rank may need more layers than those of the ranks that marked it.
  void read_marks(std::uint32_t round, const Packets& packets, PhaseTimer& timer) {
    ExactSum& sums = sum_.sums();
    setup_.ranks.unite(sums.marks(), Use::up);
    timer.lap(Phase::exchange);
    sums.inspect_again();
    look(round, packets);
    std::array<int, 1> depth{static_cast<int>(sums.depth())};
    timer.lap(Phase::decode);
    setup_.ranks.largest(depth, Use::up);
    timer.lap(Phase::exchange);
    sums.use_depth(static_cast<std::size_t>(depth[0]));
  }

  void look(std::uint32_t round, const Packets& packets) {
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (!sum_.inspect(round, own_[i], packets[i])) return;
  }

  // Returns the sums as a whole vector: at the coordinates that all clients have sent, 0 elsewhere.
  std::span<double> spread(std::uint32_t round, std::span<const double> total) {
    whole_.assign(setup_.dimension, 0.0);
    sum_.coordinates(round).each(setup_.dimension,
                                 [&](std::size_t i, std::size_t j) { whole_[j] = total[i]; });
    return whole_;
  }

  UplinkSetup setup_;
  bool by_node_;
  bool aligned_;
  bool is_early_;
  MessageSum sum_;
  std::vector<std::uint32_t> own_;             ///< this rank's participants
  std::optional<std::uint32_t> begun_;         ///< the round whose messages are being added
  std::size_t added_ = 0;                      ///< number of messages added in this round
  double most_ = 0;                            ///< largest magnitude of a value in them
  const std::uint32_t* not_finite_ = nullptr;  ///< the client whose message is not finite
  std::vector<double> whole_;
};

template <bool by_node>
std::unique_ptr<Uplink> make_reduce(UplinkSetup setup) {
  return std::make_unique<Reduce>(std::move(setup), by_node);
}

}  // namespace

Row<UplinkKind> reduce_uplink() {
  return {"reduce",
          "ranks decode and sum their own clients' messages; the sums are added up",
          {.make = make_reduce<false>, .sums_on_ranks = true}};
}
Row<UplinkKind> hierarchical_uplink() {
  return {"hierarchical",
          "the same, within every node first and then between the nodes",
          {.make = make_reduce<true>, .sums_on_ranks = true}};
}

}  // namespace trilemma
