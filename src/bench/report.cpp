#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/node_map.hpp"
#include "exchange/uplink.hpp"
#include "experiment/budget.hpp"

namespace trilemma {
namespace {

constexpr double parts_of_hundred = 100;

double rounds_of(const BenchResult& r) { return static_cast<double>(r.facts.rounds); }
// Returns bytes by timed round; 0 without one.
double by_round(std::uint64_t bytes, const BenchResult& r) {
  return r.facts.rounds == 0 ? 0 : static_cast<double>(bytes) / rounds_of(r);
}

// A group of phases in the line `share`.
struct PhaseGroup {
  const char* name;
  std::vector<Phase> phases;
};
const std::vector<PhaseGroup>& phase_groups() {
  static const std::vector<PhaseGroup> groups = {
      {"local", {Phase::local, Phase::bound}},
      {"noise", {Phase::perturb}},
      {"compress", {Phase::compress, Phase::encode}},
      {"decode", {Phase::decode}},
      {"messages", {Phase::broadcast, Phase::exchange}},
      {"wait", {Phase::wait}},
      {"server", {Phase::server}},
  };
  return groups;
}

double share_of(const BenchResult& r, const PhaseGroup& group) {
  double seconds = 0;
  double all = 0;
  for (const double one : r.phases) all += one;
  for (const Phase phase : group.phases) seconds += r.phases[static_cast<std::size_t>(phase)];
  return all > 0 ? seconds / all : 0;
}

bool has(const BenchResult& r, std::initializer_list<Invalid> reasons) {
  return std::ranges::any_of(r.findings, [&](const Finding& one) {
    return std::ranges::find(reasons, one.reason) != reasons.end();
  });
}

// "OK", or "FAILS" if one of the reasons was found.
const char* verdict_on(const BenchResult& r, std::initializer_list<Invalid> reasons) {
  return has(r, reasons) ? "FAILS" : "OK";
}

const char* model_verdict(const BenchResult& r) {
  if (has(r, {Invalid::checksum_differs, Invalid::repetitions_differ})) return "FAILS";
  return has(r, {Invalid::checksum_missing}) ? "UNKNOWN" : "OK";
}

const char* claim_verdict(const BenchResult& r) {
  if (!r.facts.claim) return "none";
  return has(r, {Invalid::claim_fails, Invalid::noise_missing, Invalid::claim_differs}) ? "FAILS"
                                                                                        : "HOLDS";
}

double smallest_share(const BenchResult& r) {
  return std::ranges::min(r.facts.repetitions, {}, &RepetitionFacts::phase_share).phase_share;
}

std::string times_line(const BenchResult& r) {
  const auto [least, most] =
      std::ranges::minmax(r.facts.repetitions, {}, &RepetitionFacts::seconds);
  return fmt::format("time_s median={:.6g} min={:.6g} max={:.6g} repetitions={} rounds={}\n",
                     median_seconds(r.facts.repetitions), least.seconds, most.seconds,
                     r.facts.repetitions.size(), r.facts.rounds);
}

std::string check_line(const BenchResult& r) {
  return fmt::format(
      "check model={} ledger={} phases={:.3f} claim={} placement={} machine={} noise={:.1f}% "
      "calibration={:.1f}%\n",
      model_verdict(r), verdict_on(r, {Invalid::ledger_differs, Invalid::updates_missing}),
      smallest_share(r), claim_verdict(r),
      verdict_on(r, {Invalid::placement_differs, Invalid::processors_shared}),
      verdict_on(r, {Invalid::times_no_evidence, Invalid::restarted}),
      parts_of_hundred * spread_of(r.facts.repetitions),
      parts_of_hundred * drift_of(r.facts.before, r.facts.after));
}

// Adds the facts of one result under names that begin with its kernel.
class Facts {
 public:
  Facts(Report& report, const Kernel& kernel) : report_(report), prefix_(kernel.name) {}
  void text(const char* name, std::string value, const char* help) {
    report_.text(full(name).c_str(), std::move(value), help);
  }
  void number(const char* name, double value, const char* units, const char* help) {
    report_.number(full(name).c_str(), value, units, help);
  }
  void flag(const char* name, bool value, const char* help) {
    report_.flag(full(name).c_str(), value, help);
  }

 private:
  std::string full(const char* name) const { return prefix_ + "." + name; }
  Report& report_;
  std::string prefix_;
};

std::string reasons_in(const BenchResult& r) {
  std::vector<std::string> names;
  for (const Finding& one : r.findings) names.emplace_back(name(one.reason));
  return join(names);
}

void add_sizes(const BenchResult& r, Facts& facts) {
  facts.text("mode", name(r.of.mode), "clients fixed per rank (weak) or in total (strong)");
  facts.text("rules", rules_names[static_cast<std::size_t>(r.facts.rules)], "rules of the result");
  facts.text("pattern", r.of.uplink(), "exchange.up");
  facts.number("ranks", r.of.ranks, "rank", "MPI ranks");
  facts.number("clients", static_cast<double>(r.of.clients()), "client", "clients of all ranks");
  facts.number("dimension", static_cast<double>(r.dimension), "1", "coordinates of the model");
  facts.number("rounds", rounds_of(r), "round", "timed rounds of a repetition");
}

void add_result(const BenchResult& r, Facts& facts) {
  facts.number("fom", r.merit(), "1/s", "figure of merit: client updates per second");
  facts.flag("valid", r.is_valid(), "whether every check holds");
  facts.text("reasons", reasons_in(r), "names of the reasons why the result is invalid");
  facts.number("seconds_median", median_seconds(r.facts.repetitions), "s",
               "timed rounds, median of the repetitions");
  facts.number("spread", spread_of(r.facts.repetitions), "1",
               "(max - min) / median of the repetitions");
  facts.number("phases", smallest_share(r), "1",
               "phases / time, of the rank and the repetition with the smallest share");
  for (const PhaseGroup& group : phase_groups())
    facts.number((std::string("share_") + group.name).c_str(), share_of(r, group), "1",
                 "share of the phases in the mean over ranks");
  const LedgerFacts& ledger = r.facts.repetitions.front().ledger;
  facts.number("down_bytes", by_round(ledger.down, r), "B", "models handed to MPI in a round");
  facts.number("up_bytes", by_round(ledger.up, r), "B", "updates handed to MPI in a round");
  facts.text("model_sha256", r.facts.repetitions.front().model, "checksum of the last model");
  facts.text("warm_up_sha256", r.facts.repetitions.front().warm_up_model,
             "checksum of the model after the warm-up");
  facts.number("calibration_drift", drift_of(r.facts.before, r.facts.after), "1",
               "largest relative difference of the calibrations before and after");
  facts.number("memory_bandwidth", r.facts.before.memory_bandwidth, "B/s",
               "STREAM triad of all ranks before the kernel");
  facts.number("message_seconds", r.facts.before.message_seconds, "s",
               "broadcast of the model before the kernel; NaN on one rank");
  facts.number("epsilon", r.epsilon, "1", "of the claim; NaN for kernels without one");
  facts.text("config", r.config, "resolved configuration, as TOML");
}

ReportTable repetitions_of(const BenchResult& r) {
  ReportTable table{
      std::string(r.of.kernel->name) + "_repetitions",
      {{"seconds", "s", "timed rounds of each repetition", {}},
       {"load_from_others", "core", "cores that others used meanwhile", {}},
       {"waiting_share", "1", "time without a core, of the rank that waited most", {}}}};
  for (const auto& one : r.facts.repetitions) {
    table.columns[0].value.push_back(one.seconds);
    table.columns[1].value.push_back(one.times.load_from_others);
    table.columns[2].value.push_back(one.times.waiting_share);
  }
  return table;
}

// A text in double quotes, with the escapes that JSON and YAML share.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string shipped_in_words(const BenchCase& of) {
  std::vector<std::string> states;
  if (shipped_checksum(of, BenchState::last)) states.emplace_back("of the last model");
  if (shipped_checksum(of, BenchState::warm_up)) states.emplace_back("after the warm-up");
  return states.empty() ? "no" : join(states, ", ");
}

}  // namespace

BenchMachine machine_in(const MachineRecord& record, const std::vector<std::int64_t>& node,
                        unsigned vector_bits) {
  BenchMachine machine;
  machine.vector_bits = vector_bits;
  machine.nodes = record.nodes.size();
  // Blocks of the same number of ranks, one a node, in the order of the nodes.
  const auto each = std::ranges::count(node, 0);
  bool are_blocks = static_cast<std::size_t>(each) * machine.nodes == node.size();
  for (std::size_t r = 0; r < node.size(); ++r)
    are_blocks = are_blocks && node[r] == static_cast<std::int64_t>(r) / each;
  machine.placement = are_blocks ? fmt::format("{}x{}", machine.nodes, each) : nodes_in_words(node);
  std::erase(machine.placement, ' ');
  machine.cpu = record.ranks.empty() ? not_available : record.ranks.front().cpu;
  machine.is_smt_known = !record.nodes.empty();
  for (const auto& one : record.nodes) {
    const double threads = one.processors / one.cores;
    machine.has_smt = machine.has_smt || threads > 1;
    machine.is_smt_known = machine.is_smt_known && !std::isnan(threads);
  }
  return machine;
}

std::string lines_of(const BenchResult& r, const BenchMachine& machine) {
  const char* const smt = !machine.is_smt_known ? "unknown" : machine.has_smt ? "on" : "off";
  std::string text = fmt::format(
      "TRILEMMA BENCH {} kernel={} class={} mode={} rules={}\n", bench_version, r.of.kernel->letter,
      r.of.class_name(), name(r.of.mode), rules_names[static_cast<std::size_t>(r.facts.rules)]);
  text += fmt::format("machine nodes={} ranks={} placement={} smt={} vector_bits={} cpu={}\n",
                      machine.nodes, r.of.ranks, machine.placement, smt, machine.vector_bits,
                      quoted(printable(machine.cpu)));
  text +=
      fmt::format("size clients={} d={} pattern={}\n", r.of.clients(), r.dimension, r.of.uplink());
  text += times_line(r);
  text += "share";
  for (const PhaseGroup& group : phase_groups())
    text += fmt::format(" {}={:.3f}", group.name, share_of(r, group));
  const LedgerFacts& ledger = r.facts.repetitions.front().ledger;
  text +=
      fmt::format("\nmpi down_B={:.0f} up_B={:.0f} control_B={:.0f}\n", by_round(ledger.down, r),
                  by_round(ledger.up, r), by_round(r.control_bytes, r));
  text += check_line(r);
  for (const Finding& one : r.findings)
    text += fmt::format("reason {}: {}\n", name(one.reason), printable(one.found));
  text += fmt::format("FOM {:.6g} client_updates/s\n", r.merit());
  return text + (r.is_valid() ? "VALID\n" : "INVALID\n");
}

int exit_code_of(const std::vector<BenchResult>& results) {
  return std::ranges::all_of(results, &BenchResult::is_valid) ? 0 : exit_invalid_benchmark;
}

Report report_of(const std::vector<BenchResult>& results, const BenchMachine& machine) {
  Report report;
  report.text("bench_version", bench_version, "version of the lines and rules");
  report.text("git_revision", git_revision(), "commit of the program's source");
  report.text("source_changed", source_state(), "`yes` if the source had changes beyond it");
  report.text("compiler", compiler(), "the compiler");
  report.text("compiler_flags", compiler_flags(), "options of the compiler");
  report.text("cpu", machine.cpu, "processor of rank 0");
  report.text("placement", machine.placement, "nodes x ranks of a node");
  report.count("vector_bits", machine.vector_bits, "bit", "width of the vector registers");
  bool is_valid = true;
  for (const auto& r : results) {
    Facts facts(report, *r.of.kernel);
    facts.text("class", std::string(r.of.class_name()), "the class");
    add_sizes(r, facts);
    add_result(r, facts);
    report.tables.push_back(repetitions_of(r));
    is_valid = is_valid && r.is_valid();
  }
  report.flag("valid", is_valid, "whether all kernels are valid");
  return report;
}

std::string to_yaml(const Report& report) {
  std::string text;
  for (const Fact& fact : report.facts) {
    text += fact.name + ": ";
    if (const auto* words = std::get_if<std::string>(&fact.value)) text += quoted(*words);
    if (const auto* number = std::get_if<double>(&fact.value))
      text += std::isfinite(*number) ? fmt::format("{}", *number) : "null";
    if (const auto* whole = std::get_if<std::int64_t>(&fact.value)) text += std::to_string(*whole);
    if (const auto* flag = std::get_if<bool>(&fact.value)) text += *flag ? "true" : "false";
    text += "\n";
  }
  return text;
}

std::string description_of(const BenchCase& of, const Plan& plan, long repetitions) {
  const auto d = static_cast<double>(plan.problem->dimension());
  const double clients = static_cast<double>(of.clients()) / of.ranks;
  const double message = bits_per_round(plan).up;
  constexpr double bits_of_byte = 8, bytes_of_sum = 8;
  // The model, its copy and a gradient; the messages of a rank's clients; sums and their roundings.
  double memory = 3 * d * sizeof(real) + 2 * d * bytes_of_sum;
  if (!std::isnan(message)) memory += clients * message / bits_of_byte;
  memory += clients * static_cast<double>(of.kernel->records) *
            static_cast<double>(plan.source->features());
  // A list of records, which is empty for clients of other ranks.
  memory += static_cast<double>(of.clients()) * sizeof(std::vector<std::uint32_t>);
  const LedgerFacts mpi = expected_ledger(
      plan, {.size = of.ranks, .clients = static_cast<int>(of.clients()), .server_hosts = true}, 1);
  return fmt::format(
      "{}: {}\n"
      "  clients {} on {}, d = {}, {} rounds x {}, exchange {}\n"
      "  memory of a rank: at least {}\n"
      "  time: about {:.3g} s on the reference core, and messages\n"
      "  through MPI in a round: {} down, {} up\n"
      "  checksum shipped: {}\n",
      of.kernel->name, of.kernel->summary, of.clients(),
      counted(static_cast<std::size_t>(of.ranks), "rank"), plan.problem->dimension(),
      warm_up_rounds + of.rounds(), repetitions, of.uplink(), with_prefix(memory, "B"),
      of.reference_seconds(repetitions),
      with_prefix(static_cast<double>(mpi.down_expected) * bits_of_byte, "bit"),
      with_prefix(static_cast<double>(mpi.up_low) * bits_of_byte, "bit"), shipped_in_words(of));
}

}  // namespace trilemma
