#pragma once

#include <array>
#include <cstdint>

#include "base/metric_log.hpp"

namespace trilemma {

/// Purpose of transmitted bytes.
enum class Use : std::uint8_t {
  up,          ///< messages of client updates
  down,        ///< the delivered model: one copy per other rank, on any path
  evaluation,  ///< exact metrics
  control,     ///< agreement, recording and checkpoints; varies with time
};

/// Bytes handed to MPI that left a rank, since the start, by purpose. Rank 0 counts for all ranks;
/// the ledgers of the other ranks stay empty.
class Ledger {
 public:
  /// Returns the bytes counted for `use`.
  std::uint64_t of(Use use) const { return bytes_[static_cast<std::size_t>(use)]; }
  /// Counts `bytes` for `use`.
  void book(Use use, std::uint64_t bytes) { bytes_[static_cast<std::size_t>(use)] += bytes; }
  /// Returns the bytes of update messages that a rank sent to a rank on another node.
  std::uint64_t up_between_nodes() const { return up_between_nodes_; }
  void book_up_between_nodes(std::uint64_t bytes) { up_between_nodes_ += bytes; }
  /// Adds the counts of an earlier part of the job.
  void add(const Ledger& earlier) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] += earlier.bytes_[i];
    up_between_nodes_ += earlier.up_between_nodes_;
  }

 private:
  std::array<std::uint64_t, 4> bytes_{};
  std::uint64_t up_between_nodes_ = 0;
};

/// The ledger and purpose under which a call counts its bytes. Every call that transmits bytes
/// requires one.
struct LedgerEntry {
  Ledger& ledger;
  Use use;
  void book(std::uint64_t bytes) const { ledger.book(use, bytes); }
};

/// Records the counts of a ledger as metrics, in bits.
class TrafficMetrics {
 public:
  explicit TrafficMetrics(MetricLog& metric_log);
  /// Sets the metrics to the counts of `ledger`.
  void observe(const Ledger& ledger);

 private:
  MetricLog& metric_log_;
  MetricLog::Id up_, up_between_nodes_, down_, evaluation_, control_;
};

}  // namespace trilemma
