#include "federation/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "federation/start_model.hpp"
#include "plan/claim.hpp"

namespace trilemma {
namespace {

// The minimum of the mean over clients of the mean over their records.
void find_optimum(const Plan& plan, const Dataset& train, const Partition& partition,
                  Assembly& out) {
  if (!plan.evaluation.optimum && !plan.start.at_optimum) return;
  std::vector<double> weight(train.size(), 0.0);
  const auto clients = static_cast<double>(partition.client.size());
  for (const auto& records : partition.client)
    for (const auto row : records)
      weight[row] += 1.0 / (clients * static_cast<double>(records.size()));
  auto optimum = plan.problem->optimum(train, weight);
  require(
      optimum.has_value(),
      "{}: the minimum of this problem has no closed form; leave it out, or choose problem.kind "
      "= \"linear\"",
      plan.start.at_optimum ? "start.at = \"optimum\"" : "evaluate.optimum = true");
  out.optimum = std::make_unique<Optimum>(*std::move(optimum));
}

// What it means that clients do not hold equally many records.
std::string note_on_sizes(const Plan& plan, const Partition& partition, std::size_t least) {
  const std::string note = partition.description + "; every client counts alike";
  if (!plan.uses_batch || !plan.method.noise || plan.protects_clients()) return note;
  return fmt::format(
      "{}, and the claim takes the sampling rate of the smallest, local.batch = {} of {} records",
      note, plan.batch, least);
}

// Keeps the records of the hosted clients and this rank's part of the test records.
TestRecords take_shards(const Plan& plan, const Placement& place, const SpreadRecords& spread,
                        Assembly& out) {
  const TrainTest& data = spread.data;
  const Partition& partition = spread.partition;
  out.partition = partition.description;
  const auto [least, most] =
      std::minmax_element(partition.client.begin(), partition.client.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (least->size() != most->size()) out.uneven = note_on_sizes(plan, partition, least->size());
  find_optimum(plan, data.train, partition, out);
  out.scaling = data.scaling;
  out.shard_records = {least->size(), most->size()};
  TestRecords test;
  test.have_classes = data.train.classes != 0;
  test.are_held_out = !spread.test.empty();
  const Dataset& from = spread.test_is_held_out ? data.train : data.test;
  const auto first = static_cast<std::size_t>(place.first(place.rank));
  const auto hosted = static_cast<std::size_t>(place.count(place.rank));
  out.shards.reserve(hosted);
  for (std::size_t slot = 0; slot < hosted; ++slot) {
    out.shards.push_back(data.train.select(partition.client[first + slot]));
    out.shards.back().prepare();
    if (test.are_held_out) test.held_out.push_back(from.select(spread.test[first + slot]));
  }
  if (test.are_held_out) return test;
  test.common_total = data.test.size();
  test.hosts = static_cast<std::size_t>(place.hosts());
  const int host = place.rank - place.first_host();
  if (host < 0) return test;
  test.common =
      data.test.select(test_rows(test.common_total, static_cast<std::size_t>(host), test.hosts));
  return test;
}

void check_batch(const Plan& plan, std::size_t records) {
  require(!plan.uses_batch || static_cast<std::size_t>(plan.batch) <= records,
          "local.batch = {}: more than the {} records of a client; lower local.batch or clients",
          plan.batch, records);
}

LocalSetup local_setup(const Plan& plan, const Placement& place, Assembly& a) {
  LocalSetup setup;
  setup.problem = a.problem.get();
  setup.sampler = a.sampler.get();
  for (const auto& shard : a.shards) setup.shards.push_back(&shard);
  setup.first_client = static_cast<std::size_t>(place.first(place.rank));
  setup.batch = static_cast<std::size_t>(plan.batch);
  setup.snapshot_probability = plan.snapshot_probability.value_or(
      static_cast<double>(plan.batch) / static_cast<double>(a.shard_records.least));
  setup.record_threshold = plan.bound->record_threshold();
  setup.notes = a.notes.get();
  setup.contacts = plan.participants();
  setup.steps = plan.method.steps;
  if (plan.method.rate_factor != nullptr)
    setup.steps.rate.first *=
        plan.method.rate_factor(static_cast<double>(plan.clients), plan.participants());
  return setup;
}

void build_memories(const Plan& plan, const Placement& place, Assembly& a) {
  const StateShape shape = plan.shape();
  a.client_memory = plan.memory->client(a.shards.size(), shape.up, plan.step_of_memory());
  if (place.rank == 0) a.server_memory = plan.memory->server(shape.state, plan.step_of_memory());
}

void build_clients(const Plan& plan, const Placement& place, Assembly& a) {
  const LocalSetup setup = local_setup(plan, place, a);
  a.work = plan.takes_steps() ? row(solvers(), plan.method.steps.solver).make.make(setup)
                              : plan.estimator.make(setup);
  // Where the server adds the noise, it is trusted with vectors without any.
  a.mechanism = make_gaussian(plan.privacy.at_server ? 0 : a.sigma);
  a.compressor = plan.compressor.make();
  if (plan.rotates) a.rotation = std::make_unique<Rotation>(plan.seed, plan.shape().up);
  ClientParts parts{a.work.get(),
                    plan.bound.get(),
                    a.mechanism.get(),
                    a.client_memory.get(),
                    plan.memory->traits,
                    a.compressor.get(),
                    {},
                    plan.takes_steps() ? &plan.method.steps : nullptr,
                    plan.shape().model,
                    a.notes.get(),
                    a.journal.get()};
  parts.rotation = a.rotation.get();
  for (std::size_t slot = 0; plan.privacy.secret && slot < a.shards.size(); ++slot) {
    a.secrets.push_back(std::make_unique<Secret>());
    parts.secret.push_back(a.secrets.back().get());
  }
  a.clients = std::make_unique<ClientSide>(std::move(parts), a.shards.size(), plan.shape().up,
                                           static_cast<std::uint32_t>(place.first(place.rank)),
                                           plan.seed, plan.staged);
}

void build_server(const Plan& plan, Assembly& a) {
  const StateShape shape = plan.shape();
  a.step = plan.method.step.make();
  ServerParts parts{a.server_memory.get(), a.step.get()};
  parts.divisor = plan.participants();
  a.step->prepare({.dimension = shape.model,
                   .clients = static_cast<double>(plan.clients),
                   .participants = parts.divisor});
  if (plan.privacy.secret) a.server_secret = std::make_unique<Secret>();
  parts.secret = a.server_secret.get();
  if (plan.privacy.at_server) parts.sigma = a.sigma;
  if (plan.compressor->traits().is_shared && shape.stride == 0) {
    a.mask = plan.compressor.make();
    parts.mask = a.mask->oblivious();
  }
  parts.rotation = a.rotation.get();
  parts.journal = a.journal.get();
  a.server = std::make_unique<ServerSide>(parts, plan.seed);
}

}  // namespace

Assembly assemble(const Plan& plan, const Placement& placement, const SpreadRecords& spread,
                  bool start) {
  Assembly a;
  a.problem = plan.problem.make();
  if (plan.sampler) a.sampler = plan.sampler.make();
  a.finetuning = plan.finetuning.make();
  TestRecords test = take_shards(plan, placement, spread, a);
  a.x = plan.shape().begin(start_model(plan.start, plan.seed, plan.problem->dimension(),
                                       plan.start.at_optimum ? a.optimum.get() : nullptr));
  check_batch(plan, a.shard_records.least);
  a.sigma = noise_sigma(plan, a.shard_records);
  build_memories(plan, placement, a);
  build_clients(plan, placement, a);
  if (placement.rank == 0) build_server(plan, a);
  if (start) a.clients->start(a.x);
  std::vector<const Dataset*> shards;
  for (const auto& shard : a.shards) shards.push_back(&shard);
  a.evaluator = std::make_unique<Evaluator>(
      EvaluatorParts{a.problem.get(), std::move(shards), placement, std::move(test), a.work.get(),
                     plan.shape(), a.finetuning.get(), a.journal.get(), a.optimum.get()});
  return a;
}

Assembly assemble(const Plan& plan, const Placement& placement, const std::string& data_folder,
                  bool start) {
  return assemble(plan, placement, spread_records(plan, data_folder), start);
}

}  // namespace trilemma
