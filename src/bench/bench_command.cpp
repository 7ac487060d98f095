#include "bench/bench_command.hpp"

#include <algorithm>

#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bench/report.hpp"
#include "comm/collectively.hpp"
#include "comm/mpi_variables.hpp"
#include "comm/node_map.hpp"
#include "exchange/uplink.hpp"
#include "numeric/vectors.hpp"
#include "problem/kernels/blas.hpp"
#include "run/machine.hpp"
#include "run/processor.hpp"

namespace trilemma {
namespace {

// What the options choose.
struct Chosen {
  std::vector<BenchCase> cases;
  BenchRules rules = BenchRules::base;
};

template <class Names>
std::size_t index_in(const Names& names, const std::string& wanted, const char* option) {
  std::vector<std::string> known;
  for (const auto& one : names) known.emplace_back(one);
  const auto found = std::ranges::find(known, wanted);
  require(found != known.end(), "{} {}: choose one of {}", option, shown(wanted), join(known));
  return static_cast<std::size_t>(found - known.begin());
}

Chosen chosen_by(const BenchOptions& o, int ranks) {
  Chosen chosen;
  BenchCase one{.ranks = ranks, .clients_of = o.clients_of};
  one.size = static_cast<BenchClass>(index_in(class_names, o.size, "class"));
  constexpr const char* modes[] = {"weak", "strong"};
  one.mode = static_cast<BenchMode>(index_in(modes, o.mode, "--mode"));
  chosen.rules = static_cast<BenchRules>(index_in(rules_names, o.rules, "--rules"));
  std::vector<std::string> patterns{"kernel"};
  for (const auto& row : uplinks()) patterns.emplace_back(row.name);
  if (index_in(patterns, o.pattern, "--pattern") > 0) one.pattern = o.pattern;
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels()) names.emplace_back(kernel.name);
  for (const auto& wanted : o.kernels.empty() ? names : o.kernels) {
    one.kernel = &kernels()[index_in(names, wanted, "kernel")];
    require(one.clients() >= ranks, "kernel {}: {} clients for {} ranks; use fewer ranks", wanted,
            one.clients(), ranks);
    chosen.cases.push_back(one);
  }
  require(o.clients_of >= 0 && o.clients_of <= 1'000'000,
          "--clients-of {}: expected a number of ranks from 1 to 1e6", o.clients_of);
  require(o.repetitions >= 1 && o.repetitions <= 1000,
          "--repetitions {}: expected a number from 1 to 1000", o.repetitions);
  return chosen;
}

// Least time of the timed rounds of all repetitions together.
double least_seconds(BenchClass size) {
  constexpr double of_class[] = {2, 10, 60, 60, 60};
  return of_class[static_cast<std::size_t>(size)];
}

// The facts that do not come from the rounds.
void add_facts(const Chosen& chosen, const MachineRecord& record,
               const std::vector<std::string>& hosts, BenchResult& result) {
  BenchFacts& facts = result.facts;
  facts.rules = chosen.rules;
  facts.least_seconds = least_seconds(result.of.size);
  if (const auto sum =
          shipped_checksum(result.of.kernel->name, result.of.class_name(), result.of.clients()))
    facts.shipped = std::string(*sum);
  facts.vector_bits = vector_target().bits;
  facts.is_float32 = sizeof(real) == sizeof(float);
  facts.is_source_clean = is_source_clean();
  const auto asked = asked_placement();
  facts.is_placed_as_asked = !asked || placement_problem(*asked, hosts).empty();
  facts.tuning = tuning_variables(record.variables);
  for (const auto& rank : record.ranks)
    facts.ranks.push_back({rank.host, processors_in(rank.process.affinity)});
}

int describe(const Chosen& chosen, const BenchOptions& o) {
  for (const BenchCase& one : chosen.cases)
    print("{}", description_of(one, plan_of(one), o.repetitions));
  return 0;
}

// Writes the file again after every kernel: a job that ends early keeps what it has measured.
Report keep_results(const std::vector<BenchResult>& results, const BenchMachine& machine,
                    const MachineRecord& record, const BenchOptions& o) {
  Report report = report_of(results, machine);
  report.machine = record;
  if (!o.output.empty())
    write_report(o.output, bench_report_kind, report, o.overwrite || results.size() > 1);
  return report;
}

int print_results(const std::vector<BenchResult>& results, const Report& report,
                  const BenchOptions& o) {
  if (o.format == BenchFormat::json) print("{}\n", to_json(report));
  if (o.format == BenchFormat::yaml) print("{}", to_yaml(report));
  const bool is_valid = std::ranges::all_of(results, &BenchResult::is_valid);
  return is_valid ? 0 : exit_invalid_benchmark;
}

// One benchmark on one rank. Every step is collective.
int bench_on_rank(const BenchOptions& o, const Session& session, MpiVariables& mpi_variables) {
  const Placement place = session.place();
  const Communicator communicator = session.communicator();
  Ranks ranks(place, communicator);
  const bool is_first = place.rank == 0;
  Chosen chosen;
  int code = collectively(ranks, [&] {
    chosen = chosen_by(o, place.size);
    if (is_first && !o.output.empty() && !o.describes)
      check_report_path(o.output, bench_report_kind, o.overwrite);
  });
  if (code != 0) return code;
  if (o.describes) return is_first ? describe(chosen, o) : 0;
  const auto hosts = ranks.gather_text(Session::host());
  MachineRecord record = gather_machine(ranks, hosts);
  if (is_first) record.mpi_variables = mpi_variables.changed();
  BenchRanks on{ranks, communicator, place,
                is_first ? nodes_of(hosts) : std::vector<std::int64_t>()};
  const BenchMachine machine =
      is_first ? machine_in(record, on.node, vector_target().bits) : BenchMachine();
  std::vector<BenchResult> results;
  Report report;
  for (const BenchCase& one : chosen.cases) {
    Plan plan;
    code = collectively(ranks, [&] { plan = plan_of(one); });
    if (code != 0) return code;
    const std::size_t bytes = plan.shape().down * sizeof(real);
    const CalibrationFacts before = calibration(on, bytes);
    BenchResult result = measure(one, plan, on, o.repetitions);
    result.facts.before = before;
    result.facts.after = calibration(on, bytes);
    code = collectively(ranks, [&] {
      if (!is_first) return;
      add_facts(chosen, record, hosts, result);
      result.findings = judge(result.facts);
      if (o.format == BenchFormat::lines) {
        print("{}", lines_of(result, machine));
        flush_standard_output();
      }
      results.push_back(std::move(result));
      report = keep_results(results, machine, record, o);
    });
    if (code != 0) return code;
  }
  int verdict = 0;
  code = collectively(ranks, [&] {
    if (is_first) verdict = print_results(results, report, o);
  });
  return code != 0 ? code : ranks.broadcast_number(verdict, Use::control);
}

}  // namespace

int bench_command(const BenchOptions& options, int argc, char** argv) {
  pin_blas_threads();
  MpiVariables mpi_variables;
  Session session(argc, argv);
  return run_on_rank(session, [&] { return bench_on_rank(options, session, mpi_variables); });
}

}  // namespace trilemma
