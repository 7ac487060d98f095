// What `trilemma show` prints.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/ratio_histogram.hpp"
#include "base/text.hpp"
#include "record/summary.hpp"

namespace trilemma {
namespace {

// Returns nominal and accounted epsilon with relation and delta; of an unfinished run also the
// epsilon of the rounds so far.
std::string epsilon_text(const Summary& s) {
  const std::string nominal =
      std::isnan(s.epsilon_nominal) ? "none" : fmt::format("{:g}", s.epsilon_nominal);
  if (std::isnan(s.privacy.epsilon)) return fmt::format("nominal {}, not accounted", nominal);
  const std::string accounted = rounded_up(s.privacy.epsilon);
  std::string text = fmt::format(
      "nominal {}, {} ({}", nominal,
      s.complete
          ? "accounted " + accounted
          : fmt::format("{} spent in {} rounds so far, {} after all {}",
                        std::isnan(s.epsilon_spent) ? "unknown" : rounded_up(s.epsilon_spent),
                        s.rounds_done, accounted, s.rounds),
      s.privacy.accountant_method);
  if (const double width = bounds_width(s.privacy); width > 0)
    text += fmt::format(", bounds {:.2g} % apart", 100 * width);
  if (!s.privacy.crosscheck_method.empty())
    text += fmt::format("; {} {}", s.privacy.crosscheck_method,
                        rounded_up(s.privacy.crosscheck_epsilon));
  return text + fmt::format("), delta {:g}, {} {}, {}", s.delta, s.privacy.relation, s.privacy.unit,
                            s.privacy.view);
}

std::string counted_of(std::int64_t count, std::string_view word) {
  return counted(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), word);
}

std::string shown(double value) {
  return std::isnan(value) ? std::string("not evaluated") : fmt::format("{:.6g}", value);
}

constexpr const char* withheld = "withheld (privacy.strict)";

std::string objective_text(const Summary& s) {
  if (s.withholds) return withheld;
  if (std::isnan(s.objective_final)) return "not evaluated";
  const std::string end = s.ends_without_objective
                              ? fmt::format("NaN at the end, {:.6g} before", s.objective_final)
                              : fmt::format("{:.6g}", s.objective_final);
  const char* course = s.diverged                              ? ", DIVERGED"
                       : s.objective_final > s.objective_start ? ", above that of the start"
                                                               : "";
  return fmt::format("{}{}; {:.6g} at the start, {:.6g} at best", end, course, s.objective_start,
                     s.objective_best);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Returns a score and that of the best constant answer; `better` = the score is better.
std::string against(double score, double constant, bool better, const char* answer, bool is_share) {
  const auto number = [is_share](double value) {
    return is_share && !std::isnan(value) ? percent(value) : shown(value);
  };
  if (std::isnan(score) || std::isnan(constant)) return number(score);
  return fmt::format("{}{} {} ({})", number(score),
                     better ? "; for comparison:" : ", NO BETTER than", answer, number(constant));
}

std::string bits_text(const Summary::Bits& bits, std::int64_t clients, const char* through_mpi) {
  const auto size = [](double count) {
    return std::isnan(count) ? std::string(withheld) : with_prefix(count, "bit");
  };
  const std::string mpi = size(bits.mpi) + " " + through_mpi;
  if (std::isnan(bits.payload)) return fmt::format("{}, {}", withheld, mpi);
  const auto each = static_cast<double>(std::max<std::int64_t>(clients, 1));
  return fmt::format("{} in the mean, {} by the paper's count; all clients {}, {}",
                     size(bits.payload / each), size(bits.model / each), size(bits.payload), mpi);
}

// A time in ms with three digits.
std::string milliseconds(double seconds) {
  constexpr double from_here_whole = 999.5;
  const double ms = 1e3 * seconds;
  return ms >= from_here_whole ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.3g} ms", ms);
}

// Returns a line for each phase, the longest first: its mean over the ranks and its share; of
// several ranks also the maximum and the time on the critical rank, where phases add up.
std::vector<std::string> phase_lines(const Summary& s) {
  auto phases = s.phases;
  std::erase_if(phases, [](const auto& phase) { return !(phase.most > 0); });
  std::ranges::stable_sort(phases, std::ranges::greater{}, &Summary::PhaseSeconds::mean);
  if (phases.empty()) return {"not recorded"};
  double all = 0;
  for (const auto& phase : phases) all += phase.mean;
  std::vector<std::string> lines;
  const bool has_ranks = s.ranks > 1 && !s.has_summarised_phases;
  if (s.ranks > 1 && s.has_summarised_phases)
    lines.push_back(fmt::format("{:<11}{:>12}{:>9}{:>24}", "", "mean", "", "maxima of rounds"));
  if (has_ranks)
    lines.push_back(fmt::format("{:<11}{:>12}{:>9}{:>12}{:>17}", "", "mean", "", "maximum",
                                fmt::format("slowest rank {}", s.critical_rank)));
  for (const auto& phase : phases) {
    lines.push_back(fmt::format("{:<11}{:>12}{:>9}", printable(phase.name),
                                milliseconds(phase.mean), percent(phase.mean / all)));
    if (s.ranks > 1 && s.has_summarised_phases)
      lines.back() += fmt::format("{:>24}", milliseconds(phase.most));
    if (has_ranks)
      lines.back() +=
          fmt::format("{:>12}{:>17}", milliseconds(phase.most), milliseconds(phase.critical));
  }
  if (has_ranks && s.critical_seconds > 0)
    lines.push_back(fmt::format("{:<11}{:>12}{:>9}{:>12}{:>17}", "together", milliseconds(all), "",
                                "", milliseconds(s.critical_seconds)));
  return lines;
}

std::string rounds_text(const Summary& s) {
  return fmt::format("{} of {}", s.rounds_done, s.rounds);
}

// The energy of the rounds, and its three largest phases; empty if it was not counted.
std::string energy_text(const Summary& s) {
  if (std::isnan(s.round_joules)) return {};
  constexpr std::size_t most_phases = 3;
  auto phases = s.phases;
  std::erase_if(phases, [](const auto& phase) { return !(phase.joules > 0); });
  std::ranges::stable_sort(phases, std::ranges::greater{}, &Summary::PhaseSeconds::joules);
  double all = 0;
  for (const auto& phase : phases) all += phase.joules;
  if (phases.size() > most_phases) phases.resize(most_phases);
  std::string text = with_prefix(s.round_joules, "J") + " for the rounds";
  if (s.rounds_done > 0)
    text += fmt::format(" ({} a round)",
                        with_prefix(s.round_joules / static_cast<double>(s.rounds_done), "J"));
  text += ", without evaluation and recording";
  std::vector<std::string> shares;
  for (const auto& phase : phases)
    shares.push_back(printable(phase.name) + " " + percent(phase.joules / all));
  return shares.empty() ? text : text + "; of all: " + join(shares);
}

// "Seconds" are those of the rounds alone, as in all other outputs.
std::string time_text(const Summary& s) {
  if (std::isnan(s.wall_seconds)) return withheld;
  const std::string wall = milliseconds(s.wall_seconds) + " of wall clock";
  if (std::isnan(s.rounds_per_second)) return wall;
  return fmt::format("{} for the rounds ({:.4g} a second), without evaluation and recording; {}",
                     milliseconds(s.round_seconds), s.rounds_per_second, wall);
}

// Returns the values of other columns. Names of counts say their units.
std::string others_text(const Summary& s) {
  std::string text;
  for (const auto& [name, units, last, is_count] : s.others) {
    if (name == std::string_view("noise_norm") && last == 0) continue;  // 0 = there was no noise
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", words);
    text += is_count ? std::to_string(whole(last)) : fmt::format("{:.6g}", last);
    if (units == "s") text += " s";
  }
  return text;
}

// Returns the score of the clients' own models: accuracy for classes, error for real targets.
bool is_error(const Summary& s) {
  return std::isnan(s.accuracy_final) && !std::isnan(s.test_error_final);
}

std::string score_text(const Summary& s, double score, double constant, const char* of_classes,
                       const char* of_targets) {
  const bool better = is_error(s) ? score < constant : score > constant;
  return against(score, constant, better, is_error(s) ? of_targets : of_classes, !is_error(s));
}

std::string test_score_text(const Summary& s) {
  return score_text(s, is_error(s) ? s.test_error_final : s.accuracy_final, s.baseline_score,
                    "always answering the most frequent class", "always answering the mean target");
}

std::string personal_text(const Summary& s) {
  if (std::isnan(s.client_score_final)) return "";
  return score_text(s, s.client_score_final, s.baseline_personal_score,
                    "each client's most frequent class", "each client's mean target");
}

std::string norm_text(double ratio) {
  if (ratio <= RatioHistogram::least) return "below 1/16 of the bound";
  if (ratio >= RatioHistogram::most)
    return fmt::format("above {:g} times the bound", RatioHistogram::most);
  return fmt::format("about {:.2g} times the bound", ratio);
}

// Returns the share of vectors that a bound clipped, and their median norm in the last round.
std::string clipping_text(const Summary& s) {
  if (std::isnan(s.clipped_share_final)) return "";
  const std::string last = percent(s.clipped_share_final);
  const std::string least = percent(s.clipped_share_least);
  const std::string share =
      s.clipped_share_least == 1
          ? last + " in every round"
          : fmt::format("{} in the last round, at least {} in every round", last, least);
  return share + "; median norm " + norm_text(s.norm_ratio_final);
}

// Returns whether the constant answer scores better than the model at the end.
bool is_worse_than_constant(const Summary& s) {
  return is_error(s) ? s.test_error_final > s.baseline_score : s.accuracy_final < s.baseline_score;
}

// From this share of clipped vectors on, the bound and not their mean determines the step.
constexpr double nearly_all = 0.9;

std::string clipping_remark(const Summary& s) {
  if (!(s.clipped_share_least > nearly_all)) return "";
  return fmt::format(
      "more than {:.0f} % are clipped in all rounds, so that steps follow the bound and are biased; "
      "compare with a larger bound.threshold, which needs more noise for the same epsilon",
      100 * nearly_all);
}

std::string noise_remark(const Summary& s) {
  if (!(s.noise_sigma > 0) || !is_worse_than_constant(s)) return "";
  const bool is_private = s.claim_status != ClaimStatus::not_private;
  return fmt::format(
      "the {} model is worse than a constant answer; lower the step size or the number of rounds, "
      "or use more records, more clients or {}",
      is_private ? "private" : "noisy", is_private ? "a larger epsilon" : "less noise");
}

// Returns the accuracies of the classes with the lowest and the highest.
std::string classes_text(const Summary& s) {
  const std::vector<double>& accuracy = s.class_accuracy_final;
  std::optional<std::size_t> least;
  std::optional<std::size_t> most;
  for (std::size_t c = 0; c < accuracy.size(); ++c) {
    if (std::isnan(accuracy[c])) continue;
    if (!least || accuracy[c] < accuracy[*least]) least = c;
    if (!most || accuracy[c] > accuracy[*most]) most = c;
  }
  if (!least) return "";
  return fmt::format("{} (class {}) to {} (class {})", percent(accuracy[*least]), *least,
                     percent(accuracy[*most]), *most);
}

// Returns the mode of a private method; for other methods "private" has no meaning.
std::string mode_of(const Summary& s) {
  const bool is_idle = s.mode == "private" && s.claim_status == ClaimStatus::not_private;
  return is_idle ? "" : fmt::format(" (mode {})", printable(s.mode));
}

// Returns sigma and the arguments that `trilemma privacy` needs to account the run.
std::string noise_text(const Summary& s) {
  std::string text = fmt::format("{:.6g}", s.noise_sigma);
  if (std::isnan(s.privacy.noise_multiplier) || s.noise_sigma == 0) return text;
  text += fmt::format(", noise multiplier {:.6g}", s.privacy.noise_multiplier);
  if (!std::isnan(s.privacy.sampling_rate) && s.privacy.sampling_rate < 1)
    text += fmt::format("; sampling {} at rate {:.6g}", s.privacy.sampling_scheme,
                        s.privacy.sampling_rate);
  return text;
}

std::string gradient_text(const Summary& s) {
  if (s.withholds) return withheld;
  if (std::isnan(s.gradient_norm_squared_final)) return "not evaluated";
  return fmt::format("{:.6g} at the end, {:.6g} in the mean over {} of {} states",
                     s.gradient_norm_squared_final, s.utility, s.states_evaluated,
                     s.rounds_done + 1);
}

// Returns the measured utility and the bound of the method's theory.
std::string utility_text(const Summary& s) {
  if (!s.theory) return "";
  const std::string measured =
      s.withholds ? withheld
      : std::isnan(s.utility)
          ? "not evaluated"
          : fmt::format("{:.6g} in the mean over {} states", s.utility, s.states_evaluated);
  return fmt::format("measured {}; bound {}", measured, in_words(*s.theory, s.record_norm_most));
}

std::string restarts_text(const Summary& s) {
  if (s.restarts.empty()) return "";
  return fmt::format("{}, after round {}", s.restarts.size(), fmt::join(s.restarts, ", "));
}

std::string claim_text(const Summary& s) {
  return (s.content == Content::changed ? "not reliable in a changed file, which states: " : "") +
         s.claim;
}

// A line of the summary, which is omitted if its text is empty.
struct Line {
  const char* label;
  std::string (*text)(const Summary&);
};
constexpr Line result_lines[] = {
    {"problem", [](const Summary& s) { return s.problem; }},
    {"computed by", [](const Summary& s) { return join(s.own_model.packages); }},
    {"REMARK", [](const Summary& s) { return join(broken_promises(s.own_model), "; "); }},
    {"imported modules", [](const Summary& s) { return join(s.own_model.modules); }},
    {"data", [](const Summary& s) { return s.data; }},
    {"local work", [](const Summary& s) { return s.local_work; }},
    {"compressor", [](const Summary& s) { return s.compressor; }},
    {"clients, ranks",
     [](const Summary& s) {
       return counted_of(s.clients, "client") + " on " + counted_of(s.ranks, "rank");
     }},
    {"graph", [](const Summary& s) { return s.graph ? in_words(*s.graph) : std::string(); }},
    {"evaluated model", [](const Summary& s) { return s.graph ? s.graph->model : std::string(); }},
    {"rounds", rounds_text},
    {"time", time_text},
    {"machine", [](const Summary& s) { return in_words(s.times); }},
    {"energy", energy_text},
    {"exchange", [](const Summary& s) { return printable(s.uplink.in_words); }},
    {"SIMULATED times", [](const Summary& s) { return s.simulation; }},
    {"restarts", restarts_text},
    {"objective at the end", objective_text},
    {"squared gradient norm", gradient_text},
    {"utility and its bound", utility_text},
    {"test score",
     [](const Summary& s) {
       const bool is_none = std::isnan(s.accuracy_final) && std::isnan(s.test_error_final);
       return is_none ? test_score_text(s) : std::string();
     }},
    {"test accuracy",
     [](const Summary& s) {
       return std::isnan(s.accuracy_final) ? std::string() : test_score_text(s);
     }},
    {"test error (RMS)",
     [](const Summary& s) { return is_error(s) ? test_score_text(s) : std::string(); }},
    {"mean over clients", personal_text},
    {"accuracy by class", classes_text},
    {"test loss",
     [](const Summary& s) {
       return std::isnan(s.test_loss_final) ? std::string() : shown(s.test_loss_final);
     }},
    {"clipped", clipping_text},
    {"REMARK", clipping_remark},
    {"REMARK", noise_remark},
    {"sent per client",
     [](const Summary& s) {
       return bits_text(s.up, s.clients,
                        s.has_server ? "through MPI" : "to neighbours on other ranks through MPI");
     }},
    {"received per client",
     [](const Summary& s) {
       return s.has_server ? bits_text(s.down, s.clients, "delivered to other ranks through MPI")
                           : std::string();
     }},
};
constexpr Line claim_lines[] = {
    {"also recorded", others_text},
    {"noise sigma", noise_text},
    {"epsilon", epsilon_text},
    {"claim", [](const Summary& s) { return s.complete ? claim_text(s) : std::string(); }},
    {"claim once complete",
     [](const Summary& s) { return s.complete ? std::string() : claim_text(s); }},
};

void add_lines(std::span<const Line> lines, const Summary& s, std::size_t columns,
               std::string& out) {
  const std::string margin(24, ' ');
  for (const auto& [label, text] : lines)
    if (const std::string value = text(s); !value.empty())
      out += wrapped(printable(value), fmt::format("  {:<22}", label), margin, columns);
}

}  // namespace

std::string to_text(const Summary& s, std::size_t columns) {
  std::string out =
      wrapped(fmt::format("{}  {}{}, seed {}{}{}", printable(s.name), printable(s.method),
                          mode_of(s), s.seed, s.complete ? "" : "  INCOMPLETE",
                          s.complete || s.failure.empty() ? "" : ": " + printable(s.failure)),
              "", "  ", columns);
  if (s.diverged)
    out +=
        "  DIVERGED: the objective became infinite or NaN, or is above 1000 times that of the "
        "start\n";
  if (s.content == Content::changed) out += "  CHANGED since it was written\n";
  if (s.complete && s.content == Content::unsummed)
    out += "  WITHOUT A CHECKSUM: changes cannot be seen\n";
  add_lines(result_lines, s, columns, out);
  const char* label = "phases";
  for (const auto& line : phase_lines(s)) {
    out += fmt::format("  {:<22}{}\n", label, line);
    label = "";
  }
  add_lines(claim_lines, s, columns, out);
  return out;
}

}  // namespace trilemma
