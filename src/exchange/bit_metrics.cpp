#include "exchange/bit_metrics.hpp"

namespace trilemma {
namespace {

Journal::Id declare(Journal& journal, const char* name, const char* units,
                    const char* description) {
  return journal.declare({name, units, description, Made::released, Metric::Kind::count});
}

}  // namespace

BitMetrics::BitMetrics(Journal& journal)
    : up{declare(journal, "bits_up_model", "bit", "clients to server, the papers' own accounting"),
         declare(journal, "bits_up_payload", "bit", "clients to server, exact encoding"),
         declare(journal, "messages", "message", "updates that clients have sent"),
         journal.declare({.name = "seconds_under_way",
                          .units = "s",
                          .description = "of the slowest rank in the round, from the first message "
                                         "that it hands to MPI while it still works until its last "
                                         "one has left; NaN = no message leaves so early",
                          .made = Made::released,
                          .kind = Metric::Kind::most,
                          .depends_on_ranks = true})},
      down{declare(journal, "bits_down_model", "bit",
                   "server to clients, the papers' own accounting"),
           declare(journal, "bits_down_payload", "bit", "server to clients, exact encoding")} {}

}  // namespace trilemma
