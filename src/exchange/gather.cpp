#include <algorithm>
#include <cmath>

#include "comm/ranks.hpp"
#include "exchange/message_sum.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {
namespace {

// All messages travel to rank 0, which decodes and adds them up.
class Gather final : public Uplink {
 public:
  explicit Gather(UplinkSetup setup)
      : setup_(std::move(setup)),
        sum_(std::move(setup_.compressor), setup_.is_server ? setup_.dimension : 0, setup_.stride,
             setup_.seed, false, setup_.near) {}

  std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                        PhaseTimer& timer) override {
    const Packets all = setup_.ranks.gather_messages(mine.packets(), participants);
    timer.lap(Phase::exchange);
    if (!setup_.is_server) return {};
    if (setup_.tap != nullptr) setup_.tap->messages(round, participants, all);
    if (!sum_.settle(add_all(round, participants, all))) add_all(round, participants, all);
    add_bits(setup_.journal, setup_.metrics, sum_.bits(setup_.model_bits_per_value));
    const auto total = sum_.finish({});
    timer.lap(Phase::decode);
    return total;
  }

 private:
  // Returns the largest size of a value.
  double add_all(std::uint32_t round, Coordinates participants, const Packets& all) {
    double most = 0;
    sum_.begin(participants.size());
    for (std::size_t number = 0; number < participants.size(); ++number) {
      const double size = sum_.add(round, participants[number], all[number]);
      if (!std::isfinite(size)) throw RunFailure(not_finite(round, participants[number]));
      most = std::max(most, size);
    }
    return most;
  }

  UplinkSetup setup_;
  MessageSum sum_;
};

}  // namespace

Row<UplinkKind> gather_uplink() {
  return {"gather",
          "all messages to rank 0, which decodes and sums them",
          [](Settings&) {},
          {.make = [](UplinkSetup setup) -> std::unique_ptr<Uplink> {
            return std::make_unique<Gather>(std::move(setup));
          }}};
}

}  // namespace trilemma
