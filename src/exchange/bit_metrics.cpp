#include "exchange/bit_metrics.hpp"

namespace trilemma {
namespace {

constexpr Provenances of_messages{Provenance::message_sizes, Provenance::participant_numbers};
// Changes of the model are released, and so are their sizes; the number of clients that receive
// them is not.
constexpr Provenances of_receivers = Provenance::participant_numbers;

Journal::Id declare(Journal& journal, const char* name, const char* units, const char* description,
                    Provenances made_of) {
  return journal.declare({name, units, description, made_of, Metric::Kind::count});
}

}  // namespace

BitMetrics::BitMetrics(Journal& journal)
    : up{declare(journal, "bits_up_model", "bit", "clients to server, the papers' own accounting",
                 of_messages),
         declare(journal, "bits_up_payload", "bit", "clients to server, exact encoding",
                 of_messages),
         declare(journal, "messages", "message", "updates that clients have sent",
                 Provenance::participant_numbers),
         journal.declare({.name = "seconds_under_way",
                          .units = "s",
                          .description = "of the slowest rank in the round, from the first message "
                                         "that it hands to MPI while it still works until its last "
                                         "one has left; NaN = no message leaves so early",
                          .made_of = {Provenance::environment, Provenance::participants},
                          .kind = Metric::Kind::most,
                          .depends_on_ranks = true})},
      down{declare(journal, "bits_down_model", "bit",
                   "server to clients, the papers' own accounting", of_receivers),
           declare(journal, "bits_down_payload", "bit", "server to clients, exact encoding",
                   of_receivers)} {}

}  // namespace trilemma
