#include "federation/client_metrics.hpp"

namespace trilemma {

ClientMetrics::ClientMetrics(Journal& journal)
    : records(journal.declare({.name = "batch_records",
                               .units = "record",
                               .description = "records drawn by all clients",
                               .made_of = Provenance::drawn_records,
                               .kind = Metric::Kind::sum})),
      clipped(journal.declare({.name = "clipped",
                               .units = "message",
                               .description = "updates that were longer than their bound",
                               .made_of = Provenance::updates,
                               .kind = Metric::Kind::sum})),
      not_finite(journal.declare(
          {.name = "not_finite",
           .units = "vector",
           .description =
               "gradients of records and updates without a finite norm, which the bound made 0",
           .made_of = Provenance::updates,
           .kind = Metric::Kind::sum})),
      record_norm(journal.declare({.name = "record_norm_most",
                                   .units = "1",
                                   .description = "largest norm of a record's gradient after its "
                                                  "bound; NaN = not measured",
                                   .made_of = Provenance::updates,
                                   .kind = Metric::Kind::most})),
      least_norm(journal.declare({.name = "update_norm_least",
                                  .units = "1",
                                  .description = "smallest norm of a participant's update before "
                                                 "its bound; NaN = not measured",
                                  .made_of = Provenance::updates,
                                  .kind = Metric::Kind::least})),
      most_norm(journal.declare({.name = "update_norm_most",
                                 .units = "1",
                                 .description = "largest norm of a participant's update before its "
                                                "bound; NaN = not measured",
                                 .made_of = Provenance::updates,
                                 .kind = Metric::Kind::most})),
      drift(journal.declare(
          {.name = "drift",
           .units = "1",
           .description = "mean over the participants of the distance that their local steps have "
                          "led away from the model of the round; NaN = there are no local steps",
           .made_of = Provenance::updates,
           .kind = Metric::Kind::mean})) {}

}  // namespace trilemma
