#include <nlohmann/json.hpp>

#include <cmath>

#include "record/summary.hpp"

namespace trilemma {
namespace {

using nlohmann::ordered_json;
using S = Summary;

template <class T>
Field<S> derived(const char* key, T S::*member, const char* units, const char* help) {
  return field(key, member, units, help, Compared::nowhere);
}
template <class T>
Field<S> derived(const char* key, T (*get)(const S&), const char* units, const char* help) {
  return computed(key, units, help, Compared::nowhere, get);
}

const Fields<S> summary_table = {
    derived("file", &S::path, "1", "path of the file"),
    derived("complete", &S::complete, "1", "whether all rounds are in the file"),
    derived(
        "content", +[](const S& s) { return std::string(name(s.content)); }, "1",
        "`whole`, `changed` since it was written, or `unsummed` (an unfinished run)"),
    derived("simulation", &S::simulation, "1", "how ranks were simulated; empty if they were not"),
    derived(
        "uplink", +[](const S& s) { return s.uplink.uplink; }, "1",
        "value of `exchange.up` that was used; empty: not known, or no server"),
    derived("rounds_done", &S::rounds_done, "round", "rounds in the file"),
    derived("states_evaluated", &S::states_evaluated, "1", "evaluated states"),
    derived(
        "diverged", &S::diverged, "1",
        "whether the objective became infinite or NaN, or is at the end above 1000 times that of "
        "the start"),
    derived("objective_start", &S::objective_start, "1", "objective of the first evaluated state"),
    derived("objective_final", &S::objective_final, "1", "objective of the last evaluated state"),
    derived("objective_best", &S::objective_best, "1", "smallest objective"),
    derived("grad_norm_sq_final", &S::gradient_norm_squared_final, "1",
            "squared gradient norm of the last evaluated state"),
    derived("utility", &S::utility, "1", "mean squared gradient norm of the evaluated states"),
    derived("record_norm_largest", &S::record_norm_most, "1",
            "largest norm of a record's gradient after its bound; the bound on the utility assumes "
            "that it is below `theory_threshold`"),
    derived("clipped_share_least", &S::clipped_share_least, "1",
            "smallest share of clipped record gradients or updates of a recorded round"),
    derived("clipped_share_final", &S::clipped_share_final, "1", "this share in the last row"),
    derived("norm_ratio_final", &S::norm_ratio_final, "1",
            "median norm over the bound in the last row, before the bound"),
    derived(
        "theory_bound_holds",
        +[](const S& s) { return s.theory && is_bounded(*s.theory, s.record_norm_most); }, "1",
        "whether `theory_bound` bounds the utility of this run: `theory_status` is `holds`, and no "
        "gradient of a record was shortened"),
    derived("accuracy_final", &S::accuracy_final, "1", "accuracy of the last evaluated state"),
    derived("test_loss_final", &S::test_loss_final, "1", "test loss of the last evaluated state"),
    derived("test_error_final", &S::test_error_final, "1",
            "test error of the last evaluated state"),
    derived("client_score_final", &S::client_score_final, "1",
            "mean of the clients' scores at the last evaluated state"),
    derived("seconds_total", &S::wall_seconds, "s", "`wall_seconds`"),
    derived("seconds_rounds", &S::round_seconds, "s",
            "duration of the rounds without evaluation, recording and checkpoints, on the rank "
            "that took longest"),
    derived("seconds_critical_path", &S::critical_seconds, "s",
            "phases of all rounds on the critical rank, which took longest"),
    derived("critical_rank", &S::critical_rank, "1", "rank on which the phases took longest"),
    derived("rounds_per_second", &S::rounds_per_second, "1/s",
            "rounds per second, without evaluation, recording and checkpoints"),
    derived("joules_rounds", &S::round_joules, "J",
            "energy of all nodes in the rounds without evaluation, recording and checkpoints"),
    derived(
        "epsilon_accounted", +[](const S& s) { return s.privacy.epsilon; }, "1",
        "`epsilon` of /privacy"),
    derived(
        "epsilon_lower", +[](const S& s) { return s.privacy.epsilon_lower; }, "1",
        "`epsilon_lower` of /privacy"),
    derived("epsilon_spent", &S::epsilon_spent, "1", "accounted epsilon of the rounds in the file"),
    derived(
        "epsilon_crosscheck", +[](const S& s) { return s.privacy.crosscheck_epsilon; }, "1",
        "`crosscheck_epsilon` of /privacy"),
    derived(
        "accountant_status", +[](const S& s) { return s.privacy.accountant_status; }, "1",
        "`accountant_status` of /privacy"),
    derived(
        "dp_claim", +[](const S& s) { return s.privacy.dp_claim; }, "1", "`dp_claim` of /privacy"),
    derived(
        "relation", +[](const S& s) { return s.privacy.relation; }, "1", "`relation` of /privacy"),
    derived("model_sha256", &S::model_sha256, "1",
            "SHA-256 of the final model; empty while there is none"),
};

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : nullptr; }

ordered_json json_of(const FieldValue& value) {
  return std::visit(
      [](const auto& one) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, double>)
          return finite(one);
        else
          return one;
      },
      value);
}

ordered_json others(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, units, last, is_count] : s.others)
    json[name] = is_count ? ordered_json(whole(last)) : finite(last);
  return json;
}

ordered_json phases(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& phase : s.phases)
    json[phase.name] = {
        {"mean", phase.mean}, {"max", phase.most}, {"critical_path", phase.critical}};
  return json;
}

// Null where the energy was not counted.
ordered_json energies(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& phase : s.phases) json[phase.name] = finite(phase.joules);
  return json;
}

// Null if withheld.
ordered_json bits(const Summary::Bits& b) {
  const auto count = [](double value) {
    return std::isnan(value) ? ordered_json() : ordered_json(whole(value));
  };
  return {{"model", count(b.model)}, {"payload", count(b.payload)}, {"mpi", count(b.mpi)}};
}

}  // namespace

const Fields<Summary>& summary_fields() { return summary_table; }

std::string to_json(const Summary& s) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : s.attributes) json[name] = json_of(value);
  for (const auto& field : summary_table) json[field.name] = json_of(field.get(s));
  for (const auto& field : time_fields()) json[field.name] = json_of(field.get(s.times));
  json["restarts"] = s.restarts;
  json["bits_up"] = bits(s.up);
  json["bits_down"] = bits(s.down);
  json["other_columns"] = others(s);
  json["seconds_per_phase"] = phases(s);
  json["joules_per_phase"] = energies(s);
  // Text of a file may have bytes that JSON cannot hold.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace trilemma
