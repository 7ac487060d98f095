#include "comm/traffic.hpp"

namespace trilemma {
namespace {

// A message that stays on its rank, or on its node, is not counted, so the sums over the others
// reveal where the participants are hosted. Where sums travel, the ranks revisit them as often as
// their values require.
constexpr Provenances by_place{Provenance::message_sizes, Provenance::message_values,
                               Provenance::participant_numbers, Provenance::participants};

Journal::Id declare(Journal& journal, const char* name, const char* description,
                    Provenances made_of) {
  return journal.declare(
      {name, "bit", description, made_of, Metric::Kind::count, /*depends_on_ranks=*/true});
}

}  // namespace

TrafficMetrics::TrafficMetrics(Journal& journal)
    : journal_(journal),
      up_(declare(journal, "bits_up", "update messages that left a rank through MPI", by_place)),
      up_between_nodes_(declare(journal, "bits_up_between_nodes",
                                "those of bits_up that a rank handed to one on another node",
                                by_place)),
      down_(declare(journal, "bits_down",
                    "models delivered through MPI, one copy for each other rank, whichever ranks "
                    "forward them",
                    Provenance::released)),
      evaluation_(declare(journal, "bits_evaluation", "traffic of evaluation through MPI",
                          Provenance::released)),
      control_(declare(journal, "bits_control",
                       "recording, checkpoints and agreement through MPI; depends on time",
                       {Provenance::environment, Provenance::participant_numbers})) {}

void TrafficMetrics::note(const Ledger& ledger) {
  journal_.set_count(up_, 8 * ledger.of(Use::up));
  journal_.set_count(up_between_nodes_, 8 * ledger.up_between_nodes());
  journal_.set_count(down_, 8 * ledger.of(Use::down));
  journal_.set_count(evaluation_, 8 * ledger.of(Use::evaluation));
  journal_.set_count(control_, 8 * ledger.of(Use::control));
}

}  // namespace trilemma
