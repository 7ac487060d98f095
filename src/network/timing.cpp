#include "network/timing.hpp"

#include <algorithm>

#include "core/clock.hpp"

namespace trilemma {
namespace {

constexpr std::size_t smallest_message = 8;

// One call, with buffers that are made once.
class Call {
 public:
  Call(const Communicator& ranks, Operation operation, std::size_t bytes)
      : ranks_(ranks), operation_(operation), values_(bytes / sizeof(double)) {
    const auto size = static_cast<std::size_t>(ranks.size());
    if (operation == Operation::gather) {
      std::vector<int> count(size, static_cast<int>(values_.size()));
      count[0] = 0;
      shares_ = Shares::in_rank_order(sizeof(double), std::move(count));
      if (ranks.rank() == 0) all_.resize(shares_.total());
    }
  }

  // Seconds on this rank.
  double operator()() {
    ranks_.barrier();
    const double start = now_seconds();
    make();
    const double seconds = now_seconds() - start;
    return operation_ == Operation::point_to_point ? seconds / 2 : seconds;
  }

 private:
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
  Operation operation_;
  std::vector<double> values_, all_;
  Shares shares_;
  Ledger ledger_;  ///< of no run
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

Timing time_operation(const Communicator& ranks, Operation operation, std::size_t bytes,
                      const TimingLimits& limits) {
  constexpr int warm_up = 2;
  Call call(ranks, operation, bytes);
  Ledger ledger;
  const LedgerEntry entry{ledger, Use::control};
  for (int i = 0; i < warm_up; ++i) ranks.largest(call(), entry);
  Timing timing{.bytes = static_cast<double>(bytes), .seconds = {}};
  double spent = 0;
  // All ranks see the same times, and so stop together.
  while (!is_enough(timing, spent, limits)) {
    timing.seconds.push_back(ranks.largest(call(), entry));
    spent += timing.seconds.back();
  }
  std::ranges::sort(timing.seconds);
  return timing;
}

std::vector<std::size_t> message_sizes(std::size_t most) {
  constexpr std::size_t factor = 4;
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = smallest_message; bytes < most; bytes *= factor) sizes.push_back(bytes);
  sizes.push_back(most);
  return sizes;
}

}  // namespace trilemma
