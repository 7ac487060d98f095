#include <algorithm>
#include <cmath>

#include "comm/ranks.hpp"
#include "compress/receiver.hpp"
#include "exchange/uplink.hpp"
#include "numeric/exact_sum.hpp"

namespace trilemma {
namespace {

// All messages travel to rank 0, which decodes and adds them up.
class Gather final : public Uplink {
 public:
  explicit Gather(UplinkSetup setup)
      : setup_(std::move(setup)),
        layout_(setup_.compressor->layout()),
        receiver_(*setup_.compressor),
        sum_(setup_.is_server ? setup_.dimension : 0, layout_.value == ValueFormat::float64) {}

  std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                        PhaseTimer& timer) override {
    const Packets all = setup_.ranks.gather_messages(mine.packets(), participants);
    timer.lap(Phase::exchange);
    if (!setup_.is_server) return {};
    if (setup_.tap != nullptr) setup_.tap->messages(round, participants, all);
    // The unit of the sums follows from the largest value, which is known when all have been added;
    // most rounds have that of the round before.
    sum_.begin(participants.size(), largest_);
    largest_ = add_all(round, participants, all);
    if (!sum_.began_as(participants.size(), largest_)) {
      sum_.begin(participants.size(), largest_);
      add_all(round, participants, all);
    }
    count_all(participants.size());
    const auto total = sum_.finish();
    timer.lap(Phase::decode);
    return total;
  }

 private:
  // Bits of so many messages of a size.
  void count(std::uint64_t messages, std::uint64_t bits, std::size_t entries) {
    const double model = layout_.model_bits(setup_.model_bits_per_value, entries);
    setup_.journal.add(setup_.metrics.model_bits, messages * static_cast<std::uint64_t>(model));
    setup_.journal.add(setup_.metrics.payload_bits, messages * bits);
  }

  void count_all(std::size_t participants) {
    setup_.journal.add(setup_.metrics.messages, layout_.dimension > 0 ? participants : 0);
    if (layout_.is_equal()) return count(participants, layout_.most_bits(), layout_.count);
    for (const auto& [bits, entries] : sizes_) count(1, bits, entries);
  }

  // Returns the largest size of a value.
  double add_all(std::uint32_t round, Coordinates participants, const Packets& all) {
    double most = 0;
    sizes_.clear();
    for (std::size_t number = 0; number < participants.size(); ++number) {
      const std::uint32_t client = participants[number];
      const SparseView sent =
          receiver_.open(all[number], {setup_.seed, Purpose::mask, client, round});
      const auto size = static_cast<double>(sum_.add(client * setup_.stride, sent.at, sent.value));
      if (!std::isfinite(size))
        throw RunFailure(fmt::format(
            "round {}: the message of client {} holds a NaN or an infinite value; look at the "
            "client's records, or lower server.rate, or local.rate where clients take local steps",
            round + 1, client));
      most = std::max(most, size);
      if (!layout_.is_equal()) sizes_.emplace_back(receiver_.bits(), receiver_.entries());
    }
    return most;
  }

  UplinkSetup setup_;
  Layout layout_;
  Receiver receiver_;
  ExactSum sum_;
  std::vector<std::pair<std::uint64_t, std::size_t>> sizes_;  ///< bits and entries, where unequal
  double largest_ = 0;                                        ///< size of a value of the last round
};

}  // namespace

Row<UplinkMaker> gather_uplink() {
  return {"gather", "all messages to rank 0, which decodes and sums them", [](Settings&) {},
          [](UplinkSetup setup) -> std::unique_ptr<Uplink> {
            return std::make_unique<Gather>(std::move(setup));
          }};
}

}  // namespace trilemma
