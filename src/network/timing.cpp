#include "network/timing.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "network/common_clock.hpp"

namespace trilemma {
namespace {

constexpr std::size_t smallest_message = 8;

// One call, whose buffers are allocated once.
class TimedCall {
 public:
  TimedCall(const Communicator& ranks, CommonClock& clock, Operation operation, std::size_t bytes)
      : ranks_(ranks), clock_(clock), operation_(operation), values_(bytes / sizeof(double)) {
    const auto size = static_cast<std::size_t>(ranks.size());
    if (operation == Operation::gather) {
      std::vector<int> count(size, static_cast<int>(values_.size()));
      count[0] = 0;
      shares_ = Shares::in_rank_order(sizeof(double), std::move(count));
      if (ranks.rank() == 0) all_.resize(shares_.total());
    }
  }

  // Returns the seconds from the common start to the end of the slowest rank, the same on all
  // ranks.
  double operator()() {
    Ledger ledger;
    const LedgerEntry entry{ledger, Use::control};
    while (true) {
      const double start = clock_.start();
      started_ = start;
      const double begin = clock_.now();
      make();
      const double end = clock_.now();
      const double late = ranks_.largest(clock_.was_in_time() ? 0 : 1, entry);
      const double seconds = is_round_trip()
                                 ? 0.5 * ranks_.largest(is_first() ? end - begin : 0, entry)
                                 : ranks_.largest(end - start, entry);
      if (late == 0 || ++attempts_ > most_attempts) return seconds;
      clock_.allow_more_time();
    }
  }

  // Returns the start time of the last call, the same on all ranks.
  double started() const { return started_; }

 private:
  static constexpr int most_attempts = 20;  ///< in total: a machine may be too busy

  bool is_round_trip() const { return operation_ == Operation::point_to_point; }
  bool is_first() const { return ranks_.rank() == 0; }

  void make() {
    const auto bytes = std::as_writable_bytes(std::span(values_));
    const LedgerEntry entry{ledger_, Use::control};
    switch (operation_) {
      case Operation::broadcast:
        return ranks_.broadcast(bytes, entry);
      case Operation::gather:
        return ranks_.gather(ranks_.rank() == 0 ? bytes.first(0) : bytes, shares_,
                             std::as_writable_bytes(std::span(all_)), entry);
      case Operation::reduce:
        return ranks_.reduce(values_, entry);
      case Operation::point_to_point:
        break;
    }
    const int last = ranks_.size() - 1;
    if (ranks_.rank() == 0) {
      ranks_.send(bytes, last, entry);
      ranks_.receive(bytes, last, entry);
    } else if (ranks_.rank() == last) {
      ranks_.receive(bytes, 0, entry);
      ranks_.send(bytes, 0, entry);
    }
  }

  const Communicator& ranks_;
  CommonClock& clock_;
  Operation operation_;
  int attempts_ = 0;
  double started_ = 0;
  std::vector<double> values_, all_;
  Shares shares_;
  Ledger ledger_;  // discarded
};

bool is_enough(const Timing& timing, double spent, const TimingLimits& limits) {
  const std::size_t count = timing.seconds.size();
  if (count < limits.fewest) return false;
  if (spent >= limits.seconds || count >= limits.most) return true;
  if (count % limits.fewest != 0) return false;
  Timing sorted = timing;
  std::ranges::sort(sorted.seconds);
  const MedianInterval found = sorted.typical();
  return found.high - found.low <= 2 * limits.precision * found.median;
}

}  // namespace

Timing time_operation(const Communicator& ranks, CommonClock& clock, Operation operation,
                      std::size_t bytes, const TimingLimits& limits) {
  constexpr int warm_up = 2;
  TimedCall call(ranks, clock, operation, bytes);
  call();
  const double begun = call.started();
  for (int i = 1; i < warm_up; ++i) call();
  Timing timing{.bytes = static_cast<double>(bytes), .seconds = {}};
  double spent = 0;
  // All ranks see the same times and therefore stop together. For short messages, agreeing on a
  // start takes longer than the call, so this time counts towards the limit too.
  while (!is_enough(timing, spent, limits)) {
    timing.seconds.push_back(call());
    spent = call.started() + timing.seconds.back() - begun;
  }
  std::ranges::sort(timing.seconds);
  return timing;
}

std::vector<std::size_t> message_sizes(std::size_t most, const std::vector<std::size_t>& more) {
  constexpr std::size_t factor = 4;
  std::vector<std::size_t> sizes = more;
  for (std::size_t bytes = smallest_message; bytes < most; bytes *= factor) sizes.push_back(bytes);
  sizes.push_back(most);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace trilemma
