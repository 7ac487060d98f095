#include "record/columns.hpp"

namespace trilemma {
namespace {

Column index(const char* name, std::int64_t RunRow::*member, const char* description) {
  return {name, "1", description, false, nullptr, nullptr, member, Made::released};
}
Column number(const char* name, double RunRow::*member, const char* description, Made made) {
  return {name, "1", description, false, member, nullptr, nullptr, made};
}
Column count(const char* name, std::uint64_t RunRow::*member, const char* units,
             const char* description, Made made = Made::released) {
  return {name, units, description, false, nullptr, member, nullptr, made};
}
Column mpi(const char* name, std::uint64_t RunRow::*member, const char* description) {
  return {name, "bit", description, true, nullptr, member, nullptr};
}

template <class T>
void append_member(const h5::Handle& dataset, const std::vector<RunRow>& rows, T RunRow::*member) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row.*member);
  h5::append(dataset, h5::type_of<T>(), {}, values.size(), values.data());
}

// Scores of the clients, before and after finetuning.
std::vector<Column> score_columns() {
  return {
      number("client_score_mean", &RunRow::client_mean,
             "mean over clients of the score (accuracy, or root mean squared error) of their own "
             "models on the records they hold out",
             Made::records),
      number("client_score_weighted", &RunRow::client_weighted,
             "the same mean, weighted by these records", Made::records),
      number("client_score_q10", &RunRow::client_tenth, "a tenth of the clients score no more",
             Made::records),
      number("client_score_q50", &RunRow::client_median, "half of the clients score no more",
             Made::records),
      number("client_score_q90", &RunRow::client_ninetieth,
             "nine tenths of the clients score no more", Made::records),
      number("finetuned_score_mean", &RunRow::finetuned_mean,
             "client_score_mean of the models after finetuning; NaN = there is none",
             Made::records),
      number("finetuned_score_weighted", &RunRow::finetuned_weighted,
             "the same mean, weighted by the records held out", Made::records),
      number("finetuned_score_q10", &RunRow::finetuned_tenth,
             "a tenth of the clients score no more after finetuning", Made::records),
      number("finetuned_score_q50", &RunRow::finetuned_median,
             "half of the clients score no more after finetuning", Made::records),
      number("finetuned_score_q90", &RunRow::finetuned_ninetieth,
             "nine tenths of the clients score no more after finetuning", Made::records),
  };
}

// What a round costs, and how long its vectors are.
std::vector<Column> cost_columns() {
  return {
      number(
          "epsilon", &RunRow::epsilon,
          "upper bound on the epsilon spent so far, within 1 % of the tight one; NaN = not accounted",
          Made::released),
      number("drift", &RunRow::drift,
             "mean over the participants of the distance that their local steps have led away from "
             "the model of the round; NaN = there are no local steps",
             Made::records),
      number("mean_norm", &RunRow::mean_norm,
             "norm of the mean of the updates received in the round; 0 at the start",
             Made::records),
      number("noise_norm", &RunRow::noise_norm, "norm of the server's noise on that mean; 0 = none",
             Made::records),
      number("update_norm_least", &RunRow::least_norm,
             "smallest norm of a participant's update before its bound; NaN = not measured",
             Made::records),
      number("update_norm_most", &RunRow::most_norm,
             "largest norm of a participant's update before its bound; NaN = not measured",
             Made::records),
      count("bits_up_model", &RunRow::bits_up_model, "bit",
            "clients to server, the papers' own accounting"),
      count("bits_up_payload", &RunRow::bits_up_payload, "bit",
            "clients to server, exact encoding"),
      count("bits_down_model", &RunRow::bits_down_model, "bit",
            "server to clients, the papers' own accounting"),
      count("bits_down_payload", &RunRow::bits_down_payload, "bit",
            "server to clients, exact encoding"),
      count("batch_records", &RunRow::batch_records, "record", "records drawn by all clients",
            Made::records),
      count("messages", &RunRow::messages, "message", "updates that clients have sent"),
      count("clipped", &RunRow::clipped, "message", "updates that were longer than their bound",
            Made::records),
      count("not_finite", &RunRow::not_finite, "vector",
            "gradients of records and updates without a finite norm, which the bound made 0",
            Made::records),
      mpi("bits_up", &RunRow::mpi_bits_up, "update messages that left a rank through MPI"),
      mpi("bits_down", &RunRow::mpi_bits_down,
          "models that left rank 0 through MPI, one copy for each other rank"),
      mpi("bits_evaluation", &RunRow::mpi_bits_evaluation, "traffic of evaluation through MPI"),
      mpi("bits_control", &RunRow::mpi_bits_control,
          "recording, checkpoints and agreement through MPI; depends on time"),
  };
}

}  // namespace

hid_t Column::type() const {
  if (number != nullptr) return h5::type_of<double>();
  return count != nullptr ? h5::type_of<std::uint64_t>() : h5::type_of<std::int64_t>();
}

void Column::append(const h5::Handle& dataset, const std::vector<RunRow>& rows) const {
  if (number != nullptr) append_member(dataset, rows, number);
  if (count != nullptr) append_member(dataset, rows, count);
  if (index != nullptr) append_member(dataset, rows, index);
}

std::vector<Column> run_columns(bool strict, bool has_private_tests) {
  std::vector<Column> columns = {
      index("round", &RunRow::round, "rounds done; 0 is the start"),
      number("objective", &RunRow::objective,
             "f(x): mean over clients of the mean over records, with regulariser", Made::records),
      number("gradient_norm_squared", &RunRow::gradient_norm_squared,
             "squared norm of the exact gradient of f", Made::records),
      number("utility", &RunRow::utility,
             "mean of gradient_norm_squared over the evaluated states so far", Made::records),
      number("suboptimality", &RunRow::suboptimality,
             "f(x) - min f; NaN where the minimum is not known", Made::records),
      number("distance", &RunRow::distance,
             "norm of x - x*, x* the minimiser; NaN where it is not known", Made::records),
      number("accuracy", &RunRow::accuracy, "share of test records classified correctly",
             Made::tests),
      number("test_error", &RunRow::test_error,
             "root mean squared error on test records, where targets are real", Made::tests),
  };
  for (const auto& column : score_columns()) columns.push_back(column);
  for (const auto& column : cost_columns()) columns.push_back(column);
  if (strict)
    std::erase_if(columns, [&](const Column& column) {
      return column.made == Made::records || (column.made == Made::tests && has_private_tests);
    });
  return columns;
}

}  // namespace trilemma
