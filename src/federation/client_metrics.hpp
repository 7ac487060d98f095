#pragma once

#include "base/journal.hpp"

namespace trilemma {

/// Identifiers, in the journal, of the metrics that the clients record.
struct ClientMetrics {
  explicit ClientMetrics(Journal& journal);
  Journal::Id records, clipped, not_finite, record_norm, least_norm, most_norm, drift;
};

}  // namespace trilemma
