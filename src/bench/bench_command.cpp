#include "bench/bench_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bench/machine_facts.hpp"
#include "bench/report.hpp"
#include "comm/collectively.hpp"
#include "comm/mpi_variables.hpp"
#include "comm/node_map.hpp"
#include "exchange/uplink.hpp"
#include "numeric/vectors.hpp"
#include "problem/kernels/blas.hpp"
#include "run/machine.hpp"

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
  BenchCase one{.ranks = ranks, .clients_of = o.clients_of, .is_warm_up_only = o.is_warm_up_only};
  one.size = static_cast<BenchClass>(index_in(class_names, o.size, "class"));
  constexpr const char* modes[] = {"weak", "strong"};
  one.mode = static_cast<BenchMode>(index_in(modes, o.mode, "--mode"));
  chosen.rules = static_cast<BenchRules>(index_in(rules_names, o.rules, "--rules"));
  std::vector<std::string> patterns{"kernel"};
  for (const auto& row : uplink_choices()) patterns.emplace_back(row.name);
  if (index_in(patterns, o.pattern, "--pattern") > 0) one.pattern = o.pattern;
  require(o.clients_of >= 0 && o.clients_of <= 1'000'000,
          "--clients-of {}: expected a number of ranks from 1 to 1e6", o.clients_of);
  require(
      o.clients_of == 0 || one.mode == BenchMode::weak,
      "--clients-of {}: strong cases have the same clients on any number of ranks; leave it out",
      o.clients_of);
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels()) names.emplace_back(kernel.name);
  for (const auto& wanted : o.kernels.empty() ? names : o.kernels) {
    const auto by_letter = std::ranges::find_if(
        kernels(), [&](const Kernel& kernel) { return wanted == std::string(1, kernel.letter); });
    one.kernel =
        by_letter != kernels().end() ? &*by_letter : &kernels()[index_in(names, wanted, "kernel")];
    require(one.clients() % ranks == 0,
            "kernel {}: {} clients on {} ranks are uneven work; choose a number of ranks that "
            "divides the clients",
            wanted, one.clients(), ranks);
    chosen.cases.push_back(one);
  }
  require(o.repetitions >= 1 && o.repetitions <= 1000,
          "--repetitions {}: expected a number from 1 to 1000", o.repetitions);
  return chosen;
}

// Two ranks with different programs would measure a mixture.
std::string program_in_words() {
  return fmt::format("program {} {}, source changed: {}", program_version(), git_revision(),
                     source_state());
}

// Least time of the timed rounds of all repetitions together.
double least_seconds(BenchClass size) {
  constexpr double of_class[] = {2, 10, 60, 60, 60};
  return of_class[static_cast<std::size_t>(size)];
}

// The facts that do not come from the rounds.
void add_facts(BenchRules rules, unsigned vector_bits, const MachineRecord& record,
               BenchResult& result) {
  BenchFacts& facts = result.facts;
  facts.rules = rules;
  facts.least_seconds = least_seconds(result.of.size);
  if (!result.of.is_warm_up_only) facts.shipped = shipped_checksum(result.of, BenchState::last);
  facts.shipped_warm_up = shipped_checksum(result.of, BenchState::warm_up);
  facts.vector_bits = vector_bits;
  facts.is_float32 = sizeof(real) == sizeof(float);
  facts.is_source_clean = is_source_clean();
  facts.has_clients_of_ranks = result.of.clients_of == 0 || result.of.clients_of == result.of.ranks;
  add_machine(record, asked_placement(), facts);
}

void describe(const Chosen& chosen, const BenchOptions& o) {
  for (const BenchCase& one : chosen.cases)
    print("{}", description_of(one, plan_of(one), o.repetitions));
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
  return exit_code_of(results);
}

// The benchmark on one rank. Every step is collective, and returns the same exit code on all ranks.
class Bench {
 public:
  Bench(const BenchOptions& options, const Session& session, MpiVariables& mpi_variables)
      : options_(options),
        mpi_variables_(mpi_variables),
        communicator_(session.communicator()),
        ranks_(session.place(), communicator_),
        on_{ranks_, communicator_, session.place(), {}} {}

  int execute();

 private:
  bool is_first() const { return on_.place.rank == 0; }
  void find_machine();
  int measure_case(const BenchCase& of);
  void conclude(BenchResult result);

  const BenchOptions& options_;
  MpiVariables& mpi_variables_;
  Communicator communicator_;
  Ranks ranks_;
  BenchRanks on_;
  Chosen chosen_;
  unsigned vector_bits_ = 0;  ///< of the rank with the narrowest registers
  // On rank 0.
  MachineRecord record_;
  BenchMachine machine_;
  std::vector<BenchResult> results_;
  Report report_;
};

int Bench::execute() {
  int code = collectively(ranks_, [&] {
    chosen_ = chosen_by(options_, on_.place.size);
    if (is_first() && !options_.output.empty() && !options_.describes)
      check_report_path(options_.output, bench_report_kind, options_.overwrite);
  });
  if (code == 0) code = same_everywhere(ranks_, program_in_words(), "");
  if (code != 0) return code;
  if (options_.describes)
    return collectively(ranks_, [&] {
      if (is_first()) describe(chosen_, options_);
    });
  find_machine();
  for (const BenchCase& one : chosen_.cases)
    if (code = measure_case(one); code != 0) return code;
  int verdict = 0;
  code = collectively(ranks_, [&] {
    if (is_first()) verdict = print_results(results_, report_, options_);
  });
  return code != 0 ? code : ranks_.broadcast_number(verdict, Use::control);
}

void Bench::find_machine() {
  const auto hosts = ranks_.gather_text(Session::host());
  record_ = gather_machine(ranks_, hosts);
  vector_bits_ = static_cast<unsigned>(ranks_.smallest(static_cast<int>(vector_target().bits)));
  if (!is_first()) return;
  record_.mpi_variables = mpi_variables_.changed();
  on_.node = nodes_of(hosts);
  machine_ = machine_in(record_, on_.node, vector_bits_);
}

int Bench::measure_case(const BenchCase& of) {
  Plan plan;
  int code = collectively(ranks_, [&] { plan = plan_of(of); });
  if (code != 0) return code;
  const std::size_t bytes = plan.shape().down * sizeof(real);
  const CalibrationFacts before = calibration(on_, bytes);
  BenchResult result;
  code = measure(of, plan, on_, options_.repetitions, result);
  if (code != 0) return code;
  result.facts.before = before;
  result.facts.after = calibration(on_, bytes);
  return collectively(ranks_, [&] {
    if (is_first()) conclude(std::move(result));
  });
}

// Judges, prints and stores a result.
void Bench::conclude(BenchResult result) {
  add_facts(chosen_.rules, vector_bits_, record_, result);
  result.findings = judge(result.facts);
  if (options_.format == BenchFormat::lines) {
    print("{}", lines_of(result, machine_));
    flush_standard_output();
  }
  results_.push_back(std::move(result));
  report_ = keep_results(results_, machine_, record_, options_);
}

}  // namespace

int bench_command(const BenchOptions& options, int argc, char** argv) {
  pin_blas_threads();
  MpiVariables mpi_variables;
  Session session(argc, argv);
  return run_on_rank(session, [&] { return Bench(options, session, mpi_variables).execute(); });
}

}  // namespace trilemma
