#include "audit/report.hpp"

#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double claimed(const AuditPlan& a) { return a.account.epsilon.value; }

const char* relation_of(const AuditPlan& a) { return accounting::name(a.releases.relation); }

// Returns the sampler of records, or of clients if these are protected.
std::string sampler_of(const AuditPlan& a) {
  if (a.plan.protects_clients()) return a.plan.schedule_kind;
  return a.plan.sampler ? a.plan.sampler->name() : "all records";
}

// Without sampling the rate of the federation is 1, whatever rate the accountant uses.
double rate_of(const AuditPlan& a) {
  if (a.plan.protects_clients())
    return a.plan.schedule->expected() / static_cast<double>(a.clients);
  return a.plan.sampler ? a.plan.sampler->rate(a.records, static_cast<std::size_t>(a.plan.batch))
                        : 1;
}

const char* observed(const AuditPlan& a) {
  switch (a.tap) {
    case Tap::message:
      return a.plan.is_decentralised() ? "the gradients that all messages of its node reveal"
                                       : "the messages of its client";
    case Tap::sum:
      return "the sums of all messages";
    case Tap::output:
      return "the last model";
    case Tap::shuffled:
      return "the messages of all clients, without their senders";
    case Tap::mean:
      break;
  }
  return a.plan.privacy.view == Adversary::others
             ? "the perturbed means, by an observer who knows all other clients"
             : "the perturbed means";
}

std::string federation_of(const AuditPlan& a) {
  const std::string rounds = counted(static_cast<std::size_t>(a.plan.rounds), "round");
  if (a.plan.protects_clients())
    return fmt::format("{}, {}, participation {} (rate {:.4g})", rounds,
                       counted(a.clients, "client"), sampler_of(a), rate_of(a));
  return fmt::format("{}, {} of {}, {} (rate {:.4g})", rounds, counted(a.clients, "client"),
                     counted(a.records, "record"), sampler_of(a), rate_of(a));
}

void add_setting(Report& f, const AuditPlan& a, int ranks) {
  const Plan& plan = a.plan;
  f.text("experiment", plan.name, "name of the experiment");
  f.text("method", plan.method_name, "algorithm");
  f.text("mode", a.asked.one_run ? "one run" : "repeated runs", "kind of audit");
  f.text("unit", a.unit(), "what is protected");
  f.text("relation", relation_of(a), "neighbouring data sets");
  f.text("view", name(plan.privacy.view), "adversary of the claim");
  f.text("observed", observed(a), "what the attack looks at");
  f.text("noise_place", plan.privacy.at_server ? "server" : "client", "who adds the noise");
  f.text("sampler", sampler_of(a), "how records or clients are drawn");
  f.text("bound", plan.bound->description(), "what limits the influence of one unit");
  f.text("compressor", plan.compression_in_words(), "compressor of the messages");
  f.text("statistic", a.signal.statistic, "observation of the test, by the declared law");
  f.text("changes", join(a.changes, "; "), "what differs from the experiment");
  f.text("rng", plan.privacy.secret ? "chacha20" : "philox4x32-10", "generator of noise and draws");
  f.count("seed", a.seed, "1", "seed of the experiment, from which every run has its own");
  f.count("ranks", ranks, "rank", "MPI processes");
  f.count("rounds", plan.rounds, "round", "rounds of every run");
  f.count("clients", a.clients, "client", "clients of the audited federation");
  f.count("records", a.records, "record", "records of a client");
  f.number("sampling_rate", rate_of(a), "1", "expected share of the records or clients in a draw");
  f.count("dimension", plan.problem->dimension(), "coordinate", "coordinates of the model");
  f.number("noise_sigma", a.sigma, "1", "standard deviation of the noise per coordinate");
  f.number("signal", a.signal.size, "1", "what the unit adds along its direction when drawn");
  f.number("delta", a.delta, "1", "delta of the claim");
}

void add_attack(Report& f, const AuditPlan& a, const AuditResult& r) {
  const bool repeated = !a.asked.one_run;
  auto number = [repeated](double value) { return repeated ? value : none; };
  f.count("runs", repeated ? a.runs : 1, "run", "runs of each of the two worlds");
  f.number("runs_counted", number(r.reported.absent_runs), "run",
           "runs of each world behind the bounds; the others chose the threshold");
  f.number("threshold", number(r.reported.threshold), "1", "of the statistic; above it: present");
  f.number("false_positives", number(r.reported.false_positives), "run",
           "counted runs without the unit that were taken for runs with it");
  f.number("false_negatives", number(r.reported.false_negatives), "run",
           "counted runs with the unit that were taken for runs without it");
  f.number("false_positive_limit", number(r.reported.limits.false_positive), "1",
           "upper limit of the rate (Clopper and Pearson)");
  f.number("false_negative_limit", number(r.reported.limits.false_negative), "1",
           "upper limit of the rate (Clopper and Pearson)");
  const auto one = r.one_run.value_or(accounting::OneRun{none, none, none});
  f.number("canaries", one.canaries, "canary", "canaries of an audit in one run");
  f.number("guesses", one.guesses, "canary", "canaries whose presence was guessed");
  f.number("correct", one.correct, "canary", "guesses that were right");
  f.number(
      "influence_observed", r.influence.pairs > 0 ? r.influence.observed : none, "1",
      "largest change of the released vector by the unit, in pairs of runs with the same randomness");
  f.number("influence_declared", repeated ? r.influence.declared : none, "1",
           "the sensitivity that was accounted");
}

void add_findings(Report& f, const AuditPlan& a, const AuditResult& r) {
  f.number("confidence", a.asked.confidence, "1", "of the lower bounds");
  f.number("epsilon_claimed", claimed(a), "1", "what the accountant claims for this federation");
  f.number("epsilon_nominal", a.nominal.value_or(none), "1",
           "for which the paper's closed form gave the noise");
  f.text("accountant_method", a.account.epsilon.method, "how the claim was accounted");
  f.number("epsilon_lower_bound_empirical", r.epsilon, "1", "lower bound without assumption");
  f.number("ratio", r.epsilon / claimed(a), "1", "lower bound over claim");
  f.flag("gdp_assumed", r.gaussian.has_value(),
         "the next two hold if the mechanism is Gaussian, as declared");
  f.number("mu_lower_bound_gdp", r.gaussian ? r.gaussian->bound : none, "1",
           "lower bound on mu of Gaussian differential privacy");
  f.number("epsilon_lower_bound_gdp", r.gaussian ? r.epsilon_gaussian : none, "1",
           "lower bound on epsilon that follows from it");
  f.number("ratio_gdp", r.gaussian ? r.epsilon_gaussian / claimed(a) : none, "1",
           "the same over the claim");
  f.number("verdict_confidence", 1 - refutation_level, "1", "confidence behind the verdict");
  f.number("verdict_epsilon_lower_bound", r.epsilon_decisive, "1",
           "lower bound without assumption at that confidence");
  f.text("verdict_statistic", r.decisive, "observation behind the bound of the verdict");
  f.text("verdict", r.refuted ? "fails" : "not refuted", "fails: the accounted claim is refuted");
  f.text("sentence", verdict_sentence(a, r), "the verdict in words");
  f.text("nominal_verdict", nominal_verdict(a, r),
         "of the nominal epsilon: refuted, in doubt, not refuted, or none");
  f.text("nominal_sentence", nominal_sentence(a, r), "the same in words");
}

std::string error_line(const char* what, double errors, double runs, double limit) {
  return fmt::format("{:.0f} of {:.0f} runs {}, rate at most {:.4g}", errors, runs, what, limit);
}

}  // namespace

std::string verdict_sentence(const AuditPlan& a, const AuditResult& r) {
  const double claimed = a.account.epsilon.value;
  if (r.epsilon_decisive > claimed)
    return fmt::format(
        "claim fails: epsilon is at least {:.4g} with confidence 1 - {:g} (by {}), claimed is {:.6g} "
        "at delta {:g}",
        r.epsilon_decisive, refutation_level, r.decisive, claimed, a.delta);
  if (r.influence.exceeds())
    return fmt::format(
        "claim fails: the {} changed the released vector by {:.6g}, the accounted sensitivity is {:.6g}",
        a.unit(), r.influence.observed, r.influence.declared);
  if (r.epsilon == 0)
    return fmt::format(
        "claim not refuted: this attack is too weak to say anything about epsilon {:.6g} at delta "
        "{:g}; try more --runs, or a larger privacy.delta",
        claimed, a.delta);
  return fmt::format(
      "claim not refuted: epsilon {:.6g} at delta {:g} withstands this attack; an audit never proves privacy",
      claimed, a.delta);
}

const char* nominal_verdict(const AuditPlan& a, const AuditResult& r) {
  if (!a.nominal) return "none";
  if (r.epsilon_decisive > *a.nominal) return "refuted";
  return r.epsilon > *a.nominal ? "in doubt" : "not refuted";
}

std::string nominal_sentence(const AuditPlan& a, const AuditResult& r) {
  if (!a.nominal) return "";
  const std::string at = fmt::format("at delta {:g}{}", a.delta,
                                     a.is_denser ? ", where every coordinate is sent" : "");
  if (r.epsilon_decisive > *a.nominal)
    return fmt::format(
        "the nominal epsilon {:g} is refuted: epsilon is at least {:.4g} with confidence 1 - {:g} "
        "(by {}) {}",
        *a.nominal, r.epsilon_decisive, refutation_level, r.decisive, at);
  if (r.epsilon > *a.nominal)
    return fmt::format(
        "the nominal epsilon {:g} is in doubt: epsilon is at least {:.4g} with confidence {:g} {}, "
        "at least {:.4g} with 1 - {:g}; more --runs may decide",
        *a.nominal, r.epsilon, a.asked.confidence, at, r.epsilon_decisive, refutation_level);
  return fmt::format(
      "the nominal epsilon {:g} is not refuted: epsilon is at least {:.4g} with confidence {:g} {}",
      *a.nominal, r.epsilon, a.asked.confidence, at);
}

Report audit_report(const AuditPlan& a, const AuditResult& r, int ranks) {
  Report report;
  add_setting(report, a, ranks);
  add_attack(report, a, r);
  add_findings(report, a, r);
  const char* per = a.asked.one_run ? "canary" : "run";
  ReportTable& runs = report.tables.emplace_back(ReportTable{"runs", {}});
  for (const Test& test : r.tests) {
    const std::string what =
        fmt::format("statistic of {}, one value per {}", test.description, per);
    runs.columns.push_back(
        {test.name + "_absent", "1", "unit absent or replaced: " + what, test.absent});
    runs.columns.push_back({test.name + "_present", "1", "unit present: " + what, test.present});
  }
  return report;
}

std::string to_text(const AuditPlan& a, const AuditResult& r) {
  std::string out = fmt::format("{}  audit of {}, {} of one {}, looking at {}\n", a.plan.name,
                                a.plan.method_name, relation_of(a), a.unit(), observed(a));
  auto line = [&out](const char* label, const std::string& value) {
    out += fmt::format("  {:<22}{}\n", label, value);
  };
  line("federation", federation_of(a));
  for (const auto& change : a.changes) line("unlike the experiment", change);
  line("noise", fmt::format("sigma {:.6g} against a signal of {:.6g}", a.sigma, a.signal.size));
  line("statistic", a.signal.statistic);
  if (r.one_run) {
    line("guesses", fmt::format("{:.0f} of {:.0f} right, among {:.0f} canaries", r.one_run->correct,
                                r.one_run->guesses, r.one_run->canaries));
  } else {
    const Attack& t = r.reported;
    const std::string absent = fmt::format("without the {}", a.unit());
    line("false alarms",
         error_line(absent.c_str(), t.false_positives, t.absent_runs, t.limits.false_positive));
    line("misses",
         error_line("with it", t.false_negatives, t.present_runs, t.limits.false_negative));
    line("influence",
         r.influence.pairs == 0
             ? "not measured: noise or compression cannot be undone"
             : fmt::format("{:.6g} at most in {} pairs of runs, accounted {:.6g}",
                           r.influence.observed, r.influence.pairs, r.influence.declared));
  }
  line("epsilon claimed",
       fmt::format("{:.6g} at delta {:g} ({})", claimed(a), a.delta, a.account.epsilon.method));
  line("epsilon at least", fmt::format("{:.4g} with confidence {:g}: {:.3g} of the claim",
                                       r.epsilon, a.asked.confidence, r.epsilon / claimed(a)));
  if (r.gaussian)
    line("if it is Gaussian",
         fmt::format("{:.4g} (mu {:.4g}): {:.3g} of the claim; gdp_assumed", r.epsilon_gaussian,
                     r.gaussian->bound, r.epsilon_gaussian / claimed(a)));
  line("verdict", verdict_sentence(a, r));
  // If some coordinates are not sent, the unit is not in every message and leaks less.
  if (!r.refuted && !a.plan.joint && a.plan.compressor->layout().index != IndexCode::all)
    line(
        "advice",
        "the compressor keeps the unit out of some messages, and the claim does not rely on that; without compressor.kind on the command line all coordinates are sent, which leaks more");
  if (a.nominal) line("nominal", nominal_sentence(a, r));
  return out;
}

}  // namespace trilemma
