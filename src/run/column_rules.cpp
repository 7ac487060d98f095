#include "run/column_rules.hpp"

#include "core/journal.hpp"
#include "run/file_check.hpp"

namespace trilemma {
namespace {

constexpr ColumnRule evaluated(std::string_view name, double least, double most = no_limit) {
  return {.name = name, .least = least, .most = most, .is_evaluated = true};
}
constexpr ColumnRule score(std::string_view name) {
  return {.name = name, .least = 0, .is_evaluated = true, .is_score = true};
}
constexpr ColumnRule number(std::string_view name, double least, Clock clock = Clock::any) {
  return {.name = name, .least = least, .clock = clock};
}
constexpr ColumnRule count(std::string_view name, Clock clock = Clock::any) {
  return {.name = name, .course = Course::count, .least = 0, .clock = clock};
}

constexpr ColumnRule rules[] = {
    evaluated("rounds/objective", -no_limit),
    evaluated("rounds/gradient_norm_squared", 0),
    evaluated("rounds/utility", 0),
    evaluated("rounds/suboptimality", -no_limit),
    evaluated("rounds/distance", 0),
    evaluated("rounds/accuracy", 0, 1),
    evaluated("rounds/test_error", 0),
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
    number("rounds/epsilon", 0),
    count("rounds/bits_up_model"),
    count("rounds/bits_up_payload"),
    count("rounds/bits_down_model"),
    count("rounds/bits_down_payload"),
    count("rounds/batch_records"),
    count("rounds/messages"),
    count("rounds/clipped"),
    count("rounds/not_finite"),
    {.name = "rounds/drift", .least = 0, .most = Journal::most_mean},
    number("rounds/mean_norm", 0),
    number("rounds/noise_norm", 0),
    number("rounds/record_norm_most", 0),
    number("rounds/update_norm_least", 0),
    number("rounds/update_norm_most", 0),
    {.name = "rounds/simulated_time",
     .course = Course::time,
     .least = 0,
     .clock = Clock::simulated},
    {.name = "rounds/real_time", .course = Course::time, .least = 0, .clock = Clock::real},
    count("rounds/contacts", Clock::every_clock),
    count("rounds/local_steps", Clock::every_clock),
    number("rounds/contacts_least", 0, Clock::every_clock),
    number("rounds/contacts_most", 0, Clock::every_clock),
    number("rounds/staleness", 0, Clock::every_clock),
    number("rounds/staleness_most", 0, Clock::every_clock),
    {.name = "rounds/spread", .least = 0, .most = Journal::most_mean, .clock = Clock::every_clock},
    count("mpi/bits_up"),
    count("mpi/bits_up_between_nodes"),
    count("mpi/bits_down"),
    count("mpi/bits_evaluation"),
    count("mpi/bits_control"),
    number("mpi/seconds_under_way", 0),
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
};

}  // namespace

std::span<const ColumnRule> column_rules() { return rules; }
std::span<const ColumnOrder> column_orders() { return orders; }

}  // namespace trilemma
