#include "run/column_rules.hpp"

#include "base/metric_log.hpp"
#include "base/ratio_histogram.hpp"

namespace trilemma {
namespace {

using Of = Provenance;
constexpr double unbounded = std::numeric_limits<double>::infinity();

constexpr ColumnRule evaluated(std::string_view name, Provenances provenance, double least,
                               double most = unbounded, Runs runs = Runs::all) {
  return {.name = name,
          .provenance = provenance,
          .least = least,
          .most = most,
          .runs = runs,
          .is_evaluated = true};
}
constexpr ColumnRule score(std::string_view name) {
  return {.name = name,
          .provenance = Of::client_scores,
          .least = 0,
          .is_evaluated = true,
          .is_score = true};
}
constexpr ColumnRule number(std::string_view name, Provenances provenance, Runs runs = Runs::all) {
  return {.name = name, .provenance = provenance, .least = 0, .runs = runs};
}
constexpr ColumnRule count(std::string_view name, Provenances provenance, Runs runs = Runs::all) {
  return {
      .name = name, .provenance = provenance, .course = Course::count, .least = 0, .runs = runs};
}

constexpr Provenances of_messages{Of::message_sizes, Of::participant_numbers};
constexpr Provenances by_place{Of::message_sizes, Of::message_values, Of::participant_numbers,
                               Of::participants};

constexpr ColumnRule rules[] = {
    evaluated("rounds/objective", Of::objective, -unbounded),
    evaluated("rounds/gradient_norm_squared", Of::objective, 0),
    evaluated("rounds/utility", Of::objective, 0),
    evaluated("rounds/suboptimality", Of::objective, -unbounded),
    evaluated("rounds/distance", Of::objective, 0),
    evaluated("rounds/accuracy", Of::test_scores, 0, 1),
    evaluated("rounds/test_error", Of::test_scores, 0),
    evaluated("rounds/test_loss", Of::test_scores, 0),
    score("rounds/client_score_mean"),
    score("rounds/client_score_weighted"),
    score("rounds/client_score_q10"),
    score("rounds/client_score_q50"),
    score("rounds/client_score_q90"),
    score("rounds/finetuned_score_mean"),
    score("rounds/finetuned_score_weighted"),
    score("rounds/finetuned_score_q10"),
    score("rounds/finetuned_score_q50"),
    score("rounds/finetuned_score_q90"),
    {.name = "rounds/client_training_loss",
     .provenance = {Of::objective, Of::own_models},
     .least = 0,
     .is_evaluated = true,
     .is_of_own_models = true},
    number("rounds/epsilon", Of::released),
    count("rounds/bits_up_model", of_messages),
    count("rounds/bits_up_payload", of_messages),
    count("rounds/bits_down_model", Of::participant_numbers),
    count("rounds/bits_down_payload", Of::participant_numbers),
    count("rounds/batch_records", Of::drawn_records),
    count("rounds/messages", Of::participant_numbers),
    count("rounds/clipped", Of::updates),
    {.name = "rounds/clipped_share",
     .provenance = Of::updates,
     .least = 0,
     .most = 1,
     .is_recent = true},
    {.name = "rounds/norm_ratio_median",
     .provenance = Of::updates,
     .least = RatioHistogram::least,
     .most = RatioHistogram::most,
     .is_recent = true},
    count("rounds/not_finite", Of::updates),
    {.name = "rounds/drift", .provenance = Of::updates, .least = 0, .most = MetricLog::most_mean},
    number("rounds/mean_norm", Of::updates, Runs::with_server),
    number("rounds/noise_norm", Of::updates, Runs::with_server),
    number("rounds/record_norm_most", Of::updates),
    number("rounds/update_norm_least", Of::updates),
    number("rounds/update_norm_most", Of::updates),
    {.name = "rounds/simulated_time",
     .provenance = Of::released,
     .course = Course::time,
     .least = 0,
     .runs = Runs::simulated},
    {.name = "rounds/real_time",
     .provenance = Of::environment,
     .course = Course::time,
     .least = 0,
     .runs = Runs::real},
    count("rounds/contacts", Of::released, Runs::timed),
    count("rounds/local_steps", Of::released, Runs::timed),
    number("rounds/contacts_least", Of::released, Runs::timed),
    number("rounds/contacts_most", Of::released, Runs::timed),
    number("rounds/staleness", Of::released, Runs::timed),
    number("rounds/staleness_most", Of::released, Runs::timed),
    {.name = "rounds/model_drift",
     .provenance = Of::own_models,
     .least = 0,
     .most = MetricLog::most_mean,
     .runs = Runs::timed},
    evaluated("rounds/consensus_error", Of::released, 0, unbounded, Runs::decentralised),
    evaluated("rounds/consensus_most", Of::released, 0, unbounded, Runs::decentralised),
    evaluated("rounds/objective_node_most", Of::objective, -unbounded, unbounded,
              Runs::evaluates_nodes),
    evaluated("rounds/objective_node", Of::objective, 0, unbounded, Runs::evaluates_nodes),
    evaluated("rounds/accuracy_node_least", Of::test_scores, 0, 1, Runs::evaluates_nodes),
    count("rounds/bits_edges_model", Of::message_sizes, Runs::decentralised),
    count("rounds/bits_edges_payload", Of::message_sizes, Runs::decentralised),
    count("mpi/bits_neighbours", Of::message_sizes, Runs::decentralised),
    count("mpi/bits_up", by_place),
    count("mpi/bits_up_between_nodes", by_place),
    count("mpi/bits_down", Of::released),
    count("mpi/bits_evaluation", Of::released),
    count("mpi/bits_control", {Of::environment, Of::participant_numbers}),
    number("mpi/seconds_under_way", {Of::environment, Of::participants}),
};

constexpr ColumnOrder orders[] = {
    {"rounds/client_score_q10", "rounds/client_score_q50"},
    {"rounds/client_score_q50", "rounds/client_score_q90"},
    {"rounds/finetuned_score_q10", "rounds/finetuned_score_q50"},
    {"rounds/finetuned_score_q50", "rounds/finetuned_score_q90"},
    {"rounds/update_norm_least", "rounds/update_norm_most"},
    {"rounds/contacts_least", "rounds/contacts_most"},
    {"rounds/staleness", "rounds/staleness_most"},
    {"mpi/bits_up_between_nodes", "mpi/bits_up"},
    {"rounds/consensus_error", "rounds/consensus_most"},
    {"rounds/bits_up_payload", "rounds/bits_edges_payload"},
};

}  // namespace

std::span<const ColumnRule> column_rules() { return rules; }
std::span<const ColumnOrder> column_orders() { return orders; }

}  // namespace trilemma
