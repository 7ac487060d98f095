#pragma once

#include "base/journal.hpp"

namespace trilemma {

/// Numbers, in the journal, of the metrics that every uplink makes.
struct UplinkMetrics {
  Journal::Id model_bits, payload_bits, messages;
  Journal::Id under_way;  ///< set where messages leave while ranks still work
};
/// The same of every downlink.
struct DownlinkMetrics {
  Journal::Id model_bits, payload_bits;
};

/// Both, in an order that does not depend on the rows that are chosen: a run may go on with others.
struct BitMetrics {
  explicit BitMetrics(Journal& journal);
  UplinkMetrics up;
  DownlinkMetrics down;
};

}  // namespace trilemma
