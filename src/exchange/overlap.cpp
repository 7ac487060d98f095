#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.hpp"
#include "comm/ranks.hpp"
#include "exchange/message_sum.hpp"
#include "exchange/uplink.hpp"

namespace trilemma {
namespace {

// Messages are sent as soon as their clients are done, while the rank continues with its next
// clients, and rank 0 decodes them as they arrive. The phase `exchange` contains only the time that
// was not hidden behind other work; the total time of messages under way has a column of its own.
class Overlap final : public Uplink {
 public:
  explicit Overlap(UplinkSetup setup)
      : setup_(std::move(setup)),
        layout_(setup_.compressor->layout()),
        sum_(std::move(setup_.compressor), setup_.is_server ? setup_.dimension : 0, setup_.stride,
             setup_.seed, false, setup_.reference_model) {}

  void post(std::uint32_t round, Coordinates, const Packets& ready, PhaseTimer&) override {
    if (setup_.is_server) return;
    if (std::isnan(first_post_)) first_post_ = now_seconds();
    setup_.ranks.post_messages(round, ready);
  }

  std::span<double> sum(std::uint32_t round, Coordinates participants, const Outbox& mine,
                        PhaseTimer& timer) override {
    pieces_.clear();
    most_ = 0;
    if (setup_.is_server) {
      sum_.begin(participants.size());
      take(round, participants, 0, mine.packets());
      timer.lap(Phase::decode);
    }
    setup_.ranks.receive_messages(round, !layout_.is_equal(), layout_.bytes(), participants,
                                  [&](std::size_t first, const Packets& messages) {
                                    timer.lap(Phase::exchange);
                                    take(round, participants, first, messages);
                                    timer.lap(Phase::decode);
                                  });
    timer.lap(Phase::exchange);
    if (!setup_.is_server) {
      if (!std::isnan(first_post_))
        setup_.metric_log.observe(setup_.metrics.under_way, now_seconds() - first_post_);
      first_post_ = std::numeric_limits<double>::quiet_NaN();
      return {};
    }
    if (setup_.tap != nullptr) show(round, participants);
    if (!sum_.settle(most_)) add_again(round, participants);
    if (sum_.doubt()) look(round, participants);
    add_bits(setup_.metric_log, setup_.metrics, sum_.bits(setup_.model_bits_per_value));
    const auto total = sum_.finish({});
    timer.lap(Phase::decode);
    return total;
  }

 private:
  // Messages of consecutive participants, starting with participant `first`.
  struct Piece {
    std::size_t first;
    Packets messages;
    std::size_t count;
  };

  void take(std::uint32_t round, Coordinates participants, std::size_t first,
            const Packets& messages) {
    pieces_.push_back({first, messages, messages.count()});
    add(round, participants, pieces_.back());
  }

  void add(std::uint32_t round, Coordinates participants, const Piece& piece) {
    for (std::size_t i = 0; i < piece.count; ++i) {
      const std::uint32_t client = participants[piece.first + i];
      const double size = sum_.add(round, client, piece.messages[i]);
      if (!std::isfinite(size)) throw RunFailure(not_finite(round, client));
      most_ = std::max(most_, size);
    }
  }

  void add_again(std::uint32_t round, Coordinates participants) {
    sum_.begin(participants.size());
    for (const Piece& piece : pieces_) add(round, participants, piece);
  }

  void look(std::uint32_t round, Coordinates participants) {
    for (const Piece& piece : pieces_)
      for (std::size_t i = 0; i < piece.count; ++i)
        if (!sum_.inspect(round, participants[piece.first + i], piece.messages[i])) return;
  }

  // Passes all messages to the tap, in the order of the participants.
  void show(std::uint32_t round, Coordinates participants) {
    std::ranges::sort(pieces_, {}, &Piece::first);
    Bytes all;
    std::vector<std::uint64_t> ends;
    for (const Piece& piece : pieces_)
      for (std::size_t i = 0; i < piece.count; ++i) {
        const auto message = piece.messages[i];
        all.insert(all.end(), message.begin(), message.end());
        ends.push_back(all.size());
      }
    setup_.tap->messages(round, participants, Packets::varying(all, ends));
  }

  UplinkSetup setup_;
  Layout layout_;
  MessageSum sum_;
  std::vector<Piece> pieces_;  ///< pieces that have arrived
  double most_ = 0;            ///< largest magnitude of a value in them
  double first_post_ =
      std::numeric_limits<double>::quiet_NaN();  ///< time of the first post of the round
};

}  // namespace

Row<UplinkKind> overlap_uplink() {
  return {"overlap",
          "the same during local computation: messages are sent and decoded one by one",
          {.make = [](UplinkSetup setup) -> std::unique_ptr<Uplink> {
            return std::make_unique<Overlap>(std::move(setup));
          }}};
}

}  // namespace trilemma
