#pragma once

#include "base/journal.hpp"
#include "comm/ledger.hpp"

namespace trilemma {

/// Notes a ledger in a journal, in bits.
class TrafficMetrics {
 public:
  explicit TrafficMetrics(Journal& journal);
  void note(const Ledger& ledger);

 private:
  Journal& journal_;
  Journal::Id up_, up_between_nodes_, down_, evaluation_, control_;
};

}  // namespace trilemma
