#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "comm/ranks.hpp"
#include "exchange/message_sum.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {
namespace {

// All messages are sent to rank 0, which decodes and adds them. In a single process messages are
// added as soon as they are ready, while they are in the cache; not, however, if the receiver uses
// the server's reference of a client, which clients request in the meantime.
class Gather final : public Uplink {
 public:
  explicit Gather(UplinkSetup setup)
      : setup_(std::move(setup)),
        is_early_(setup_.ranks.place().size == 1 && !setup_.compressor->traits().needs_reference()),
        sum_(std::move(setup_.compressor), setup_.is_server ? setup_.dimension : 0, setup_.stride,
             setup_.seed, false, setup_.reference_model) {}

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
    const Packets all = setup_.ranks.gather_messages(mine.packets(), participants);
    timer.lap(Phase::exchange);
    if (!setup_.is_server) return {};
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
      is_due = sum_.inspect(round, participants[i], all[i]);
    add_bits(setup_.metric_log, setup_.metrics, sum_.bits(setup_.model_bits_per_value));
    const auto total = sum_.finish({});
    timer.lap(Phase::decode);
    return total;
  }

 private:
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
    while (added_ < participants.size()) add(round, participants[added_], all[added_]);
    if (bad_) throw RunFailure(not_finite(round, *bad_));
  }

  UplinkSetup setup_;
  bool is_early_;
  MessageSum sum_;
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

}  // namespace trilemma
