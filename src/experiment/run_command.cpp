#include <filesystem>

#include "comm/session.hpp"
#include "experiment/identity.hpp"
#include "experiment/round_loop.hpp"
#include "experiment/together.hpp"
#include "problem/threads.hpp"
#include "record/summary.hpp"

namespace trilemma {
namespace {

std::string output_path(const RunOptions& options, const Plan& plan) {
  if (!options.output.empty()) return options.output;
  // Runs that differ in other settings have the same name: number them, so that none is lost.
  const std::string stem =
      fmt::format("runs/{}-{}-{}-s{}", plan.name, plan.method_name, plan.mode, plan.seed);
  std::string path = stem + ".h5";
  for (int number = 2; std::filesystem::exists(path) || std::filesystem::exists(path + ".partial");
       ++number)
    path = fmt::format("{}-{}.h5", stem, number);
  return path;
}

void warn_placement(const Placement& place, const Assembly& parts, bool quiet) {
  if (place.rank != 0) return;
  if (place.hosts() > place.clients)
    fmt::print(
        stderr,
        "trilemma: warning: {} hosting ranks for {} clients, {} ranks stay idle; use fewer ranks\n",
        place.hosts(), place.clients, place.hosts() - place.clients);
  if (!quiet && parts.uneven) fmt::print(stderr, "trilemma: note: {}\n", parts.partition);
}

// An exception in the loop: keeps what there is, says why.
int give_up(RunFile* file, const Assembly& parts, const Placement& place,
            const std::exception& error) {
  std::string kept;
  if (file != nullptr) {
    kept = "; results so far are in " + file->partial_path();
    try {
      file->fail(error.what(), parts.x, 0);
    } catch (const std::exception&) {
      kept = "; what was flushed is in " + file->partial_path();
      file->abandon();
    }
  }
  fmt::print(stderr, "trilemma: rank {}: {}{}\n", place.rank, error.what(), kept);
  if (place.size > 1) Session::abort(exit_failed_run);
  return exit_failed_run;
}

int run_rounds(const RunOptions& options, const Plan& plan, Assembly& parts, const Claim& claim,
               Exchange& exchange, const Placement& place, RunFile* file) {
  try {
    RoundLoop loop(plan, parts, exchange, place, file, options.quiet);
    if (claim.curve) loop.set_epsilon(*claim.curve);
    if (loop.run() == Outcome::failed) {
      if (file != nullptr)
        fmt::print(stderr, "trilemma: {}; results so far are in {}\n", loop.failure(),
                   file->partial_path());
      return exit_failed_run;
    }
  } catch (const std::exception& error) {
    return give_up(file, parts, place, error);
  }
  if (file != nullptr && !options.quiet)
    fmt::print("{}\nrun file: {}\n", to_text(read_summary(file->path())), file->path());
  return 0;
}

int run_on_rank(const RunOptions& options, Placement place) {
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
  Claim claim;
  code = together(*exchange, place, [&] {
    if (place.rank != 0) return;
    claim = make_claim(plan, parts.sigma, parts.shard_records, parts.scaling);
    file = std::make_unique<RunFile>(
        output_path(options, plan), identify(plan, parts, claim, place, hosts, options),
        std::vector<std::string>(std::begin(phase_names), std::end(phase_names)));
  });
  if (code != 0) return code;
  return run_rounds(options, plan, parts, claim, *exchange, place, file.get());
}

}  // namespace

int run_command(const RunOptions& options, int argc, char** argv) {
  Session session(argc, argv);
  pin_blas_threads();
  try {
    return run_on_rank(options, {.rank = session.rank(), .size = session.size()});
  } catch (const std::exception& error) {
    // Ranks that still wait for this one must not wait for ever.
    fmt::print(stderr, "trilemma: rank {}: {}\n", session.rank(), error.what());
    if (session.size() > 1) Session::abort(exit_internal);
    return exit_internal;
  }
}

}  // namespace trilemma
