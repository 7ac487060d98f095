#include <algorithm>
#include <cstdlib>
#include <functional>

#include "comm/session.hpp"
#include "experiment/commands.hpp"
#include "experiment/round_loop.hpp"
#include "problem/matrix.hpp"
#include "record/environment.hpp"
#include "record/summary.hpp"

namespace trilemma {
namespace {

std::string data_folder(const RunOptions& options) {
  if (!options.data_folder.empty()) return options.data_folder;
  const char* set = std::getenv("TRILEMMA_DATA_DIR");
  return set != nullptr && *set != '\0' ? set : "data";
}

std::string output_path(const RunOptions& options, const Plan& plan) {
  if (!options.output.empty()) return options.output;
  return fmt::format("runs/{}-{}-{}-s{}.h5", plan.name, plan.method_name, plan.mode, plan.seed);
}

// Runs `step` on every rank. Where it fails on any, the first of those ranks says why and all ranks
// leave with the same exit code (0 = go on); nobody is left waiting.
int together(Exchange& exchange, const Placement& place, const std::function<void()>& step) {
  std::string problem;
  int code = 0;
  try {
    step();
  } catch (const UserError& error) {
    problem = error.what();
    code = exit_user;
  } catch (const std::exception& error) {
    problem = fmt::format("{} (rank {})", error.what(), place.rank);
    code = exit_internal;
  }
  const int first = exchange.smallest(code == 0 ? place.size : place.rank);
  if (first == place.size) return 0;
  if (first == place.rank) fmt::print(stderr, "trilemma: {}\n", problem);
  return -exchange.smallest(-code);
}

RunIdentity identify(const Plan& plan, const Assembly& parts, const Placement& place,
                     const std::vector<std::string>& hosts, const RunOptions& options) {
  RunIdentity id;
  id.name = plan.name;
  id.method = plan.method_name;
  id.mode = plan.mode;
  id.problem = plan.problem->description();
  id.data = fmt::format("{}; {}", plan.source->description(), parts.partition);
  id.compressor = plan.compressor->description();
  id.claim = parts.claim;
  id.accounted_epsilon = "not computed";
  id.config = plan.config;
  id.environment = environment(options.command_line, Session::library());
  std::string lines;
  for (const auto& host : hosts) lines += host + "\n";
  id.environment.emplace_back("hosts", lines);
  id.seed = static_cast<std::int64_t>(plan.seed);
  id.rounds = plan.rounds;
  id.clients = plan.clients;
  id.dimension = static_cast<std::int64_t>(plan.problem->dimension());
  id.ranks = place.size;
  id.noise_sigma = parts.sigma;
  id.epsilon_nominal = plan.privacy.epsilon.value_or(std::nan(""));
  id.delta = plan.privacy.delta.value_or(std::nan(""));
  return id;
}

void warn_placement(const Placement& place, const Assembly& parts, bool quiet) {
  if (place.rank != 0) return;
  if (place.hosts() > place.clients)
    fmt::print(
        stderr,
        "trilemma: warning: {} hosting ranks for {} clients, {} ranks stay idle; use fewer ranks\n",
        place.hosts(), place.clients, place.hosts() - place.clients);
  if (!quiet && parts.partition.find(':') != std::string::npos)
    fmt::print(stderr, "trilemma: note: {}\n", parts.partition);
}

}  // namespace

int run_command(const RunOptions& options, int argc, char** argv) {
  Session session(argc, argv);
  pin_blas_threads();
  Placement place{.rank = session.rank(), .size = session.size()};
  std::unique_ptr<Exchange> exchange =
      place.size > 1 ? make_mpi_exchange(place) : make_in_process_exchange();
  Plan plan;
  int code = together(*exchange, place, [&] {
    plan = read_plan(Settings::from_file(options.file, options.overrides));
  });
  if (code != 0) return code;
  place.clients = static_cast<int>(plan.clients);
  place.server_hosts = plan.server_hosts;
  if (place.size > 1) exchange = make_mpi_exchange(place);
  Assembly parts;
  code = together(*exchange, place, [&] { parts = assemble(plan, place, data_folder(options)); });
  if (code != 0) return code;
  warn_placement(place, parts, options.quiet);
  const auto hosts = exchange->gather_text(fmt::format(
      "{} clients {} + {}", Session::host(), place.first(place.rank), place.count(place.rank)));
  std::unique_ptr<RunFile> file;
  code = together(*exchange, place, [&] {
    if (place.rank == 0)
      file = std::make_unique<RunFile>(
          output_path(options, plan), identify(plan, parts, place, hosts, options),
          std::vector<std::string>(std::begin(phase_names), std::end(phase_names)));
  });
  if (code != 0) return code;
  try {
    RoundLoop loop(plan, parts, *exchange, place, file.get(), options.quiet);
    if (loop.run() == Outcome::failed) {
      if (file)
        fmt::print(stderr, "trilemma: {}; results so far are in {}\n", loop.failure(),
                   file->partial_path());
      return exit_failed_run;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "trilemma: rank {}: {}{}\n", place.rank, error.what(),
               file ? "; what was flushed is in " + file->partial_path() : "");
    if (file) file->abandon();
    if (place.size > 1) Session::abort(exit_failed_run);
    return exit_failed_run;
  }
  if (file && !options.quiet)
    fmt::print("{}\nrun file: {}\n", to_text(read_summary(file->path())), file->path());
  return 0;
}

}  // namespace trilemma
