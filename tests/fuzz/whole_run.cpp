#include "tests/fuzz/whole_run.hpp"

#include "experiment/read_plan.hpp"
#include "run/checkpointer.hpp"
#include "run/identity.hpp"
#include "run/partition_report.hpp"
#include "sweep/sweep.hpp"
#include "sweep/sweep_status.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/run_files.hpp"

namespace trilemma::fuzz {
namespace {

std::string taken(const std::string& file) {
  const auto bytes = testing::bytes_of(file);
  std::filesystem::remove(file);
  return {bytes.begin(), bytes.end()};
}

void add_rows(RunFile& file, std::int64_t first, std::int64_t last) {
  for (std::int64_t t = first; t <= last; ++t) {
    file.add(testing::sample_row(t));
    file.add_phases({0.0, 0.1, 0.2}, 1);
  }
}

RunIdentity identity_of(Plan& plan, const std::string& folder) {
  Placement place;
  place.clients = static_cast<int>(plan.clients);
  const PartitionedData spread = partition_records(plan, folder);
  const Assembly parts = assemble(plan, place, spread);
  const Claim claim = make_claim(plan, parts.sigma, parts.shard_records);
  const RankHosts ranks{
      {"host clients 0 + 4"}, {{.description = "vectors"}}, {}, uplink_of(plan, 1, 1, 1)};
  RunIdentity identity = identify(plan, parts, claim, place, ranks, {}, 0);
  identity.partition = partition_record(plan, spread, place);
  return identity;
}

Bytes numbers(std::size_t count) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

void write_checkpoint(RunFile& file, std::int64_t round, long clients) {
  auto done = static_cast<std::uint32_t>(round);
  Bytes common;
  State state = State::saving(common);
  state.value(done);
  const auto writer = file.checkpoint(round);
  for (long i = 0; i < clients; ++i) writer->add_client(numbers(static_cast<std::size_t>(100 * i)));
  writer->finish(common, numbers(70));
}

}  // namespace

WholeRun::WholeRun() {
  folder.write("tiny.toml", testing::tiny_experiment);
  sweep = read_sweep(folder.write("s.toml", one_cell));
  resolve(sweep);
  const SweepCell& cell = sweep.cells[0];
  path = cell_files(sweep, cell, folder.path()).run;
  plan = read_plan(Settings::from_file(folder.at("tiny.toml"), cell_overrides(sweep, cell)));
  round = plan.rounds / 2;
  RunFile file(path, identity_of(plan, folder.path()), testing::sample_metrics(),
               testing::sample_phase_names);
  add_rows(file, 0, round);
  write_checkpoint(file, round, plan.clients);
  checkpoint = checkpoint_of(path, round);
  add_rows(file, round + 1, plan.rounds);
  file.finish(Vector(plan.problem->dimension(), final_value));
  run_bytes = taken(path);
  checkpoint_bytes = taken(checkpoint);
}

const WholeRun& whole_run() {
  static const WholeRun run;
  return run;
}

}  // namespace trilemma::fuzz
