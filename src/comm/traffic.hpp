#pragma once

#include "core/journal.hpp"

namespace trilemma {

/// Bytes handed to MPI that left a rank, since the start.
struct MpiTraffic {
  std::uint64_t up = 0;          ///< update messages
  std::uint64_t down = 0;        ///< the model: one copy for every other rank
  std::uint64_t evaluation = 0;  ///< exact metrics
  std::uint64_t control = 0;     ///< recording, checkpoints and agreement; depends on time
};

/// Notes traffic in a journal, in bits.
class TrafficMetrics {
 public:
  explicit TrafficMetrics(Journal& journal);
  void note(const MpiTraffic& traffic);

 private:
  Journal& journal_;
  Journal::Id up_, down_, evaluation_, control_;
};

}  // namespace trilemma
