#include "record/summary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "record/h5.hpp"
#include "record/run_reader.hpp"
#include "record/sha256.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double last_finite(const std::vector<double>& values) {
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [](double value) { return !std::isnan(value); });
  return found == values.rend() ? nan : *found;
}

double smallest(const std::vector<double>& values) {
  double best = nan;
  for (const double value : values)
    if (!(best <= value) && !std::isnan(value)) best = value;
  return best;
}

void read_phases(const h5::Handle& file, Summary& s) {
  const auto names = h5::read_texts(file.get(), "phases/name");
  const h5::Array seconds = h5::read_array(file.get(), "phases/seconds");
  const std::size_t ranks = seconds.extents.at(1);
  const std::size_t phases = seconds.extents.at(2);
  std::vector<double> sum(ranks * phases, 0.0);
  // Row 0 is the set-up; the phases of the rounds follow.
  for (std::size_t i = sum.size(); i < seconds.value.size(); ++i)
    if (!std::isnan(seconds.value[i])) sum[i % sum.size()] += seconds.value[i];
  for (std::size_t p = 0; p < phases; ++p) {
    double most = 0;
    for (std::size_t r = 0; r < ranks; ++r) most = std::max(most, sum[r * phases + p]);
    s.phases.emplace_back(names.at(p), most);
  }
}

double last(const h5::Handle& file, const char* name) {
  const auto column = h5::read_array(file.get(), name).value;
  return column.empty() ? 0 : column.back();
}

// Nominal and accounted side by side, with the relation and the delta they hold for.
std::string epsilon_text(const Summary& s) {
  const std::string nominal =
      std::isnan(s.epsilon_nominal) ? "none" : fmt::format("{:g}", s.epsilon_nominal);
  if (std::isnan(s.privacy.epsilon)) return fmt::format("nominal {}, not accounted", nominal);
  std::string text = fmt::format("nominal {}, accounted {} ({}", nominal,
                                 rounded_up(s.privacy.epsilon), s.privacy.accountant_method);
  if (!s.privacy.crosscheck_method.empty())
    text += fmt::format("; {} {}", s.privacy.crosscheck_method,
                        rounded_up(s.privacy.crosscheck_epsilon));
  return text + fmt::format("), delta {:g}, {} {}, {}", s.delta, s.privacy.relation, s.privacy.unit,
                            s.privacy.view);
}

}  // namespace

Summary read_summary(const std::string& path) {
  const h5::Handle file = open_run_file(path);
  Summary s;
  s.path = path;
  auto text = [&](const char* name) { return h5::text_attribute(file.get(), name); };
  auto number = [&](const char* name) { return h5::number_attribute(file.get(), name); };
  s.name = text("name");
  s.method = text("method");
  s.mode = text("mode");
  s.problem = text("problem");
  s.data = text("data");
  s.compressor = text("compressor");
  s.claim = text("claim");
  s.bound = text("bound");
  s.mechanism = text("mechanism");
  s.config = h5::read_texts(file.get(), "config").at(0);
  s.privacy = read_privacy(path, s.privacy_problem);
  s.failure = text("failure");
  s.complete = number("complete") != 0;
  s.rounds = static_cast<long>(number("rounds"));
  s.clients = static_cast<long>(number("clients"));
  s.dimension = static_cast<long>(number("dimension"));
  s.ranks = static_cast<long>(number("ranks"));
  s.seed = static_cast<long>(number("seed"));
  const auto starts = h5::read_array(file.get(), "starts/round").value;
  for (std::size_t i = 1; i < starts.size(); ++i)
    s.restarts.push_back(static_cast<long>(starts[i]));
  s.noise_sigma = number("noise_sigma");
  s.epsilon_nominal = number("epsilon_nominal");
  s.delta = number("delta");
  const h5::Handle partition = h5::open_group(file.get(), "partition");
  s.records_least = h5::number_attribute(partition.get(), "records_least");
  s.records_most = h5::number_attribute(partition.get(), "records_most");
  s.wall_seconds = number("wall_seconds");
  const auto objective = h5::read_array(file.get(), "rounds/objective").value;
  s.objective_final = last_finite(objective);
  s.objective_best = smallest(objective);
  s.gradient_norm_squared_final =
      last_finite(h5::read_array(file.get(), "rounds/gradient_norm_squared").value);
  s.states_evaluated = static_cast<long>(
      std::count_if(objective.begin(), objective.end(), [](double f) { return !std::isnan(f); }));
  s.utility = last_finite(h5::read_array(file.get(), "rounds/utility").value);
  s.accuracy_final = last_finite(h5::read_array(file.get(), "rounds/accuracy").value);
  s.rounds_done = static_cast<long>(last(file, "rounds/round"));
  s.up = {last(file, "rounds/bits_up_model"), last(file, "rounds/bits_up_payload"),
          last(file, "mpi/bits_up")};
  s.down = {last(file, "rounds/bits_down_model"), last(file, "rounds/bits_down_payload"),
            last(file, "mpi/bits_down")};
  read_phases(file, s);
  s.rounds_per_second =
      s.wall_seconds > 0 ? static_cast<double>(s.rounds_done) / s.wall_seconds : 0;
  if (H5Lexists(file.get(), "model/final", H5P_DEFAULT) > 0)
    s.model_sha256 = sha256(h5::read_bytes(file.get(), "model/final"));
  return s;
}

std::string to_json(const Summary& s) {
  using nlohmann::ordered_json;
  auto bits = [](const Summary::Bits& b) {
    return ordered_json{{"model", static_cast<std::uint64_t>(b.model)},
                        {"payload", static_cast<std::uint64_t>(b.payload)},
                        {"mpi", static_cast<std::uint64_t>(b.mpi)}};
  };
  auto finite = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
  };
  ordered_json phases = ordered_json::object();
  for (const auto& [name, seconds] : s.phases) phases[name] = seconds;
  const ordered_json json = {
      {"file", s.path},
      {"name", s.name},
      {"method", s.method},
      {"mode", s.mode},
      {"problem", s.problem},
      {"data", s.data},
      {"compressor", s.compressor},
      {"seed", s.seed},
      {"clients", s.clients},
      {"dimension", s.dimension},
      {"ranks", s.ranks},
      {"restarts", s.restarts},
      {"rounds", s.rounds_done},
      {"rounds_planned", s.rounds},
      {"objective_final", finite(s.objective_final)},
      {"objective_best", finite(s.objective_best)},
      {"grad_norm_sq_final", finite(s.gradient_norm_squared_final)},
      {"utility", finite(s.utility)},
      {"states_evaluated", s.states_evaluated},
      {"accuracy_final", finite(s.accuracy_final)},
      {"bits_up", bits(s.up)},
      {"bits_down", bits(s.down)},
      {"seconds_total", s.wall_seconds},
      {"seconds_per_phase", phases},
      {"rounds_per_second", s.rounds_per_second},
      {"noise_sigma", s.noise_sigma},
      {"epsilon_nominal", finite(s.epsilon_nominal)},
      {"epsilon_accounted", finite(s.privacy.epsilon)},
      {"epsilon_crosscheck", finite(s.privacy.crosscheck_epsilon)},
      {"dp_claim", s.privacy.dp_claim},
      {"relation", s.privacy.relation},
      {"delta", finite(s.delta)},
      {"claim", s.claim},
      {"complete", s.complete},
      {"failure", s.failure},
      {"model_sha256", s.model_sha256},
  };
  return json.dump(2);
}

std::string to_text(const Summary& s) {
  std::string out = fmt::format(
      "{}  {} ({}), seed {}{}\n", s.name, s.method, s.mode, s.seed,
      s.complete ? "" : fmt::format("  INCOMPLETE{}{}", s.failure.empty() ? "" : ": ", s.failure));
  auto line = [&](const char* label, const std::string& value) {
    out += fmt::format("  {:<22}{}\n", label, value);
  };
  auto shown = [](double value) {
    return std::isnan(value) ? std::string("not evaluated") : fmt::format("{:.6g}", value);
  };
  line("problem", s.problem);
  line("data", s.data);
  line("compressor", s.compressor);
  line("clients, ranks",
       fmt::format("{} clients on {} rank{}", s.clients, s.ranks, s.ranks == 1 ? "" : "s"));
  line("rounds", fmt::format("{} of {} in {:.3g} s, {:.4g} a second with evaluation", s.rounds_done,
                             s.rounds, s.wall_seconds, s.rounds_per_second));
  if (!s.restarts.empty())
    line("restarts",
         fmt::format("{}, after round {}", s.restarts.size(), fmt::join(s.restarts, ", ")));
  line("objective",
       fmt::format("{} final, {} best", shown(s.objective_final), shown(s.objective_best)));
  line("squared gradient norm", fmt::format("{} final", shown(s.gradient_norm_squared_final)));
  line("utility", fmt::format("{} (mean squared gradient norm over {} of {} states)",
                              shown(s.utility), s.states_evaluated, s.rounds_done + 1));
  line("test accuracy", shown(s.accuracy_final));
  auto bits = [](const Summary::Bits& b) {
    return fmt::format("{:.0f} model, {:.0f} payload, {:.0f} through MPI", b.model, b.payload,
                       b.mpi);
  };
  line("bits up", bits(s.up));
  line("bits down", bits(s.down));
  std::string phases;
  for (const auto& [name, seconds] : s.phases)
    if (seconds > 0)
      phases += fmt::format("{}{} {:.3g}", phases.empty() ? "" : ", ", name, seconds);
  line("seconds per phase", phases);
  line("noise sigma", fmt::format("{:.6g}", s.noise_sigma));
  line("epsilon", epsilon_text(s));
  line("claim", s.claim);
  return out;
}

}  // namespace trilemma
