#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/check.hpp"
#include "comm/ranks.hpp"
#include "exchange/message_sum.hpp"
#include "exchange/uplink.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

// Passes on the messages of a round in a random order: a shuffler, simulated on rank 0.
class Shuffler {
 public:
  Shuffler(std::uint64_t seed, const Secret* secret) : seed_(seed), secret_(secret) {}

  // Returns the messages in the order of the round; valid until the next call.
  Packets pass_on(std::uint32_t round, const Packets& all, std::size_t count) {
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0U);
    shuffle(order_, {seed_, Purpose::shuffle, 0, round, secret_});
    bytes_.clear();
    ends_.clear();
    for (const std::uint32_t i : order_) {
      bytes_.insert(bytes_.end(), all[i].begin(), all[i].end());
      ends_.push_back(bytes_.size());
    }
    return all.varies() ? Packets::varying(bytes_, ends_) : Packets::equal(bytes_, all.each());
  }

  // Returns the place at which message i arrived.
  std::size_t origin(std::size_t i) const { return order_[i]; }

 private:
  std::uint64_t seed_;
  const Secret* secret_;
  std::vector<std::uint32_t> order_;
  Bytes bytes_;
  std::vector<std::uint64_t> ends_;
};

// All messages are sent to rank 0, which decodes and adds them. In a single process messages are
// added as soon as they are ready, while they are in the cache; not, however, if the receiver uses
// the server's reference of a client, which clients request in the meantime, or messages are
// shuffled, which takes all of them.
class Gather final : public Uplink {
 public:
  explicit Gather(UplinkSetup setup, bool shuffles = false)
      : setup_(std::move(setup)),
        is_early_(setup_.ranks.place().size == 1 && !shuffles &&
                  !setup_.compressor->traits().needs_reference()),
        sum_(std::move(setup_.compressor), setup_.is_server ? setup_.dimension : 0, setup_.stride,
             setup_.seed, false, setup_.reference_model) {
    if (shuffles) shuffler_.emplace(setup_.seed, setup_.secret);
  }

  void post(std::uint32_t round, Coordinates participants, const Packets& ready,
            PhaseTimer& timer) override {
    if (!is_early_) return;
    if (begun_ != round) begin(round, participants);
    for (std::size_t i = 0, count = ready.count(); i < count; ++i) {
      expect(added_ < participants.size(), "more messages than participants");
      add(round, participants[added_], ready[i]);
    }
    timer.lap(Phase::decode);
  }

  std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                        PhaseTimer& timer) override {
    Packets all = setup_.ranks.gather_messages(mine.packets(), participants);
    timer.lap(Phase::exchange);
    if (!setup_.is_server) return {};
    if (shuffler_) all = shuffler_->pass_on(round, all, participants.size());
    if (setup_.tap != nullptr) setup_.tap->messages(round, participants, all);
    if (begun_ != round) begin(round, participants);
    begun_.reset();
    add_rest(round, participants, all);
    if (!sum_.settle(most_)) {
      begin(round, participants);
      add_rest(round, participants, all);
      begun_.reset();
    }
    bool is_due = sum_.doubt();
    for (std::size_t i = 0; is_due && i < participants.size(); ++i)
      is_due = sum_.inspect(round, participants[sender(i)], all[i]);
    add_bits(setup_.metric_log, setup_.metrics, sum_.bits(setup_.model_bits_per_value));
    const auto total = sum_.finish({});
    timer.lap(Phase::decode);
    return total;
  }

 private:
  std::size_t sender(std::size_t i) const { return shuffler_ ? shuffler_->origin(i) : i; }

  void begin(std::uint32_t round, Coordinates participants) {
    sum_.begin(participants.size());
    begun_ = round;
    added_ = 0;
    most_ = 0;
    bad_.reset();
  }

  void add(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message) {
    const double size = sum_.add(round, client, message);
    if (!std::isfinite(size) && !bad_) bad_ = client;
    most_ = std::max(most_, size);
    ++added_;
  }

  void add_rest(std::uint32_t round, Coordinates participants, const Packets& all) {
    while (added_ < participants.size()) add(round, participants[sender(added_)], all[added_]);
    if (bad_) throw RunFailure(not_finite(round, *bad_));
  }

  UplinkSetup setup_;
  bool is_early_;
  MessageSum sum_;
  std::optional<Shuffler> shuffler_;
  std::optional<std::uint32_t> begun_;  ///< the round whose messages are being added
  std::size_t added_ = 0;               ///< number of messages added in this round
  double most_ = 0;                     ///< largest magnitude of a value in them
  std::optional<std::uint32_t> bad_;    ///< the first client whose message is not finite
};

}  // namespace

Row<UplinkKind> gather_uplink() {
  return {"gather",
          "all messages to rank 0, which decodes and sums them",
          {.make = [](UplinkSetup setup) -> std::unique_ptr<Uplink> {
            return std::make_unique<Gather>(std::move(setup));
          }}};
}

Row<UplinkKind> shuffle_uplink() {
  return {shuffled_uplink,
          "the same in a random order, for an adversary who does not see senders",
          {.make = [](UplinkSetup setup) -> std::unique_ptr<Uplink> {
            return std::make_unique<Gather>(std::move(setup), true);
          }}};
}

}  // namespace trilemma
