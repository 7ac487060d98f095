#include "federation/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "compress/layered.hpp"
#include "compress/words.hpp"
#include "experiment/claim.hpp"
#include "experiment/joint.hpp"
#include "federation/start_model.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

// Finds the minimum of the mean over clients of the mean over their records.
void find_optimum(const Plan& plan, const Dataset& train, const Partition& partition,
                  Assembly& out) {
  if (!plan.evaluation.optimum && !plan.start.at_optimum) return;
  std::vector<double> weight(train.size(), 0.0);
  const auto clients = static_cast<double>(partition.client.size());
  for (std::size_t k = 0; k < partition.client.size(); ++k)
    for (const auto row : partition.client[k])
      weight[row] += (out.weights.empty() ? 1.0 : out.weights[k]) /
                     (clients * static_cast<double>(partition.client[k].size()));
  auto optimum = plan.problem->optimum(train, weight);
  require(
      optimum.has_value(),
      "{}: the minimum of this problem has no closed form; remove this key, or choose problem.kind "
      "= \"linear\"",
      plan.start.at_optimum ? "start.at = \"optimum\"" : "evaluate.optimum = true");
  out.optimum = std::make_unique<Optimum>(*std::move(optimum));
}

// Refuses a minibatch of one record for batch normalisation. Shuffled epochs have one if one record
// is left.
void check_batch_normalisation(const Plan& plan, const std::vector<std::size_t>& sizes) {
  if (plan.problem->as_batch_normalised() == nullptr) return;
  for (std::size_t client = 0; client < sizes.size(); ++client) {
    require(sizes[client] > 1,
            "problem.layers: batchnorm normalises over several records, and client {} has only 1; "
            "give every client more records, or choose groupnorm",
            client);
    require(!plan.sampler || !plan.sampler->shuffles() ||
                sizes[client] % static_cast<std::size_t>(plan.batch) != 1,
            "local.batch = {}: the last minibatch of an epoch has one of the {} records of client "
            "{}, and batchnorm normalises over several; choose another local.batch, or groupnorm",
            plan.batch, sizes[client], client);
  }
}

// Returns a note if clients have fewer records than a minibatch, otherwise an empty text.
std::string note_on_batch(const Plan& plan, const std::vector<std::size_t>& sizes) {
  if (!plan.uses_batch) return "";
  const auto few = std::ranges::count_if(
      sizes, [&](std::size_t records) { return records < static_cast<std::size_t>(plan.batch); });
  if (few == 0) return "";
  const bool is_one = few == 1;
  const bool repeats = plan.sampler->repeats();
  return fmt::format("; {} of them {} fewer than local.batch = {} and {} in each minibatch", few,
                     is_one ? "has" : "have", plan.batch,
                     is_one ? (repeats ? "draws as many as it has" : "takes all records")
                            : (repeats ? "draw as many as they have" : "take all records"));
}

// Returns a note if clients differ in their numbers of records, or have few; otherwise an empty
// text.
std::string note_on_sizes(const Plan& plan, const Partition& partition,
                          const std::vector<std::size_t>& sizes, const ShardSizes& records) {
  const std::string batch = note_on_batch(plan, sizes);
  if (records.least == records.most) return batch.empty() ? "" : partition.description + batch;
  std::string note = partition.description + batch;
  note += plan.weighs_records ? "; each client counts by its number of records"
                              : "; every client counts alike";
  if (plan.claim_takes_batch())
    note += fmt::format(
        ", and the claim takes the sampling rate of the smallest, local.batch = {} of {} records",
        plan.batch, records.least);
  return note;
}

// Returns the weights of the clients in means: n_k / (mean over clients of n), rounded as a client
// applies them. Empty if all are 1.
std::vector<double> weights_of(const Plan& plan, const std::vector<std::size_t>& sizes) {
  if (!plan.weighs_records) return {};
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const double share = static_cast<double>(sizes.size());
  std::vector<double> weights;
  for (const std::size_t records : sizes)
    weights.push_back(static_cast<double>(
        static_cast<real>(static_cast<double>(records) * share / static_cast<double>(total))));
  return weights;
}

// Keeps the records of the hosted clients, and returns this rank's part of the test records.
TestRecords take_shards(const Plan& plan, const Placement& place,
                        const PartitionedData& partitioned, Assembly& out) {
  const TrainTest& data = partitioned.data;
  const Partition& partition = partitioned.partition;
  out.partition = partition.description;
  const std::vector<std::size_t> sizes = partition.sizes();
  check_batch_normalisation(plan, sizes);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  out.shard_records = {*least, *most};
  out.smallest = static_cast<std::size_t>(least - sizes.begin());
  out.uneven = note_on_sizes(plan, partition, sizes, out.shard_records);
  out.weights = weights_of(plan, sizes);
  find_optimum(plan, data.train, partition, out);
  out.scaling = data.scaling;
  TestRecords test;
  test.classes = static_cast<std::size_t>(data.train.classes);
  test.are_held_out = !partitioned.test.empty();
  const Dataset& from = partitioned.test_is_held_out ? data.train : data.test;
  const auto first = static_cast<std::size_t>(place.first(place.rank));
  const auto hosted = static_cast<std::size_t>(place.count(place.rank));
  out.shards.reserve(hosted);
  for (std::size_t slot = 0; slot < hosted; ++slot) {
    out.shards.push_back(data.train.select(partition.client[first + slot]));
    out.shards.back().prepare();
    if (test.are_held_out) test.held_out.push_back(from.select(partitioned.test[first + slot]));
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

// A claim about records requires minibatches of local.batch records, since its rate and its
// sensitivity follow from their size. Without such a claim, a client with fewer records uses all of
// them.
void check_batch(const Plan& plan, const Assembly& a) {
  const std::size_t records = a.shard_records.least;
  if (plan.method.steps.counts_epochs) {
    const auto of_epoch =
        std::ceil(static_cast<double>(a.shard_records.most) / static_cast<double>(plan.batch));
    require(
        static_cast<double>(plan.rounds) * static_cast<double>(plan.method.steps.count) * of_epoch <
            0x1p32,
        "local.unit = \"epoch\": an epoch of the largest client has {:.0f} minibatches, and "
        "rounds times the minibatches of all local epochs must be below 2^32; lower rounds, or "
        "take a larger local.batch",
        of_epoch);
  }
  const long anchor = plan.method.recursion.anchor_batch;
  require(
      anchor <= static_cast<long>(records),
      "local.anchor_batch = {}: client {}, the smallest, has only {}; set {} or less, or give every "
      "client more records",
      anchor, a.smallest, counted(records, "record"), records);
  require(
      !plan.claim_takes_batch() || static_cast<std::size_t>(plan.batch) <= records,
      "local.batch = {}: the privacy claim is about minibatches of this size, and client {}, the "
      "smallest, has only {}; set local.batch = {} or less, or give every client more records",
      plan.batch, a.smallest, counted(records, "record"), records);
}

LocalSetup local_setup(const Plan& plan, const Placement& place, Assembly& a) {
  LocalSetup setup;
  setup.problem = a.problem.get();
  setup.sampler = a.sampler.get();
  for (const auto& shard : a.shards) setup.shards.push_back(&shard);
  setup.first_client = static_cast<std::size_t>(place.first(place.rank));
  setup.batch = static_cast<std::size_t>(plan.batch);
  setup.snapshot_probability = plan.snapshot_probability.value_or(
      std::min(1.0, static_cast<double>(plan.batch) / static_cast<double>(a.shard_records.least)));
  setup.record_bound = {plan.bound->record_threshold(), plan.bound->smooths_records()};
  setup.notes = a.notes.get();
  setup.contacts = plan.participants();
  setup.steps = plan.method.steps;
  setup.recursion = plan.method.recursion;
  setup.later_noise = later_noise(plan, a.shard_records);
  setup.steps.rate.first = plan.local_rate();
  return setup;
}

void build_memories(const Plan& plan, const Placement& place, Assembly& a) {
  const StateShape shape = plan.shape();
  a.client_memory = plan.memory->client(a.shards.size(), shape.up, plan.step_of_memory());
  if (place.rank == 0) a.server_memory = plan.memory->server(shape.sum(), plan.step_of_memory());
}

// Returns the weights of the clients that this rank hosts, by slot; empty where all are 1.
std::vector<double> hosted_weights(const Placement& place, const Assembly& a) {
  if (a.weights.empty()) return {};
  const auto first = a.weights.begin() + place.first(place.rank);
  return {first, first + place.count(place.rank)};
}

// Returns the compressor of clients. A node compresses what its method makes of the released vector
// (NodeSide), which is therefore whole.
std::unique_ptr<Compressor> compressor_of_clients(const Plan& plan, const Assembly& a) {
  if (plan.secure_sum.has_masks && a.masks != nullptr)
    return make_words(plan.shape().up, word_bits(plan), a.masks);
  if (!plan.is_decentralised()) return make_compressor(plan, a.sigma);
  Settings none = Settings::empty();
  return row(compressors(), "identity").make(none, plan.shape().up, ValueFormat::float32);
}

std::unique_ptr<Mechanism> mechanism_of_clients(const Plan& plan, double sigma) {
  const JointChoice& joint = plan.joint;
  if (joint.words)
    return make_integer_mechanism(joint.words->law, joint_noise(plan), word_bits(plan));
  if (joint.trials)
    return make_random_trials(joint.trials->trials, joint_trials(plan).theta,
                              joint.trials->clip.limit(plan.bound->threshold(), plan.shape().up));
  if (joint.local)
    return make_local_mechanism(joint_messages(plan), plan.shape().up, plan.bound->threshold());
  // A server that adds the noise itself is trusted with vectors without noise; so is the layered
  // quantiser, whose decoded messages carry it.
  return make_gaussian(plan.privacy.at_server || joint.layered ? 0 : sigma);
}

void build_clients(const Plan& plan, const Placement& place, Assembly& a) {
  const LocalSetup setup = local_setup(plan, place, a);
  a.work = plan.takes_steps() ? row(solvers(), plan.method.steps.solver).make.make(setup)
                              : plan.estimator.make(setup);
  a.mechanism = mechanism_of_clients(plan, a.sigma);
  if (plan.secure_sum.is_on)
    a.masks = std::make_shared<PairMasks>(plan.seed, static_cast<std::uint32_t>(plan.clients),
                                          accounting::mask_graph(mask_task(plan)), word_bits(plan));
  a.compressor = compressor_of_clients(plan, a);
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
                    a.metric_log.get()};
  parts.rotation = a.rotation.get();
  parts.weight = hosted_weights(place, a);
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
  parts.averages_models = plan.method.averages_models;
  parts.weights = a.weights;
  if (plan.privacy.secret) a.server_secret = std::make_unique<Secret>();
  a.step->prepare(step_setup(plan, a.server_secret.get()));
  parts.secret = a.server_secret.get();
  if (plan.privacy.at_server) parts.sigma = a.sigma;
  parts.words = words_of(plan);
  if (plan.secure_sum.is_on)
    parts.secure = {plan.secure_sum.has_masks ? a.masks.get() : nullptr,
                    accounting::mask_graph(mask_task(plan)),
                    static_cast<std::uint64_t>(plan.clients)};
  if (plan.compressor->traits().is_shared && shape.stride == 0) {
    a.mask = plan.compressor.make();
    parts.mask = a.mask->oblivious();
  }
  parts.rotation = a.rotation.get();
  if (!plan.is_decentralised()) parts.metric_log = a.metric_log.get();
  a.server = std::make_unique<ServerSide>(parts, plan.seed);
}

// Returns the bytes of the models, vectors, sums and messages of the nodes that a rank hosts.
double bytes_of_nodes(const Plan& plan, const Placement& place) {
  if (!plan.is_decentralised()) return 0;
  const auto method = plan.method.node.make();
  const auto channels = static_cast<double>(method->channels());
  const double vectors =
      static_cast<double>(method->vectors()) + (method->hears_itself() ? 2 * channels : channels);
  return static_cast<double>(place.count(place.rank)) * static_cast<double>(plan.shape().up) *
         (vectors * static_cast<double>(sizeof(double)) +
          (1 + channels) * static_cast<double>(sizeof(real)));
}

// Every method holds at least ten vectors of the model's size: the model, a client's update,
// messages, and their exact sum, among others.
void require_model_memory(const Plan& plan, const Placement& place) {
  constexpr double vectors = 10;
  const auto size = static_cast<double>(plan.shape().state);
  const double nodes = bytes_of_nodes(plan, place);
  require_memory(
      nodes > 0
          ? fmt::format("a model of {} coordinates at each of {} on this rank", plan.shape().state,
                        counted(static_cast<std::size_t>(place.count(place.rank)), "node"))
          : fmt::format("a model of {} coordinates", plan.shape().state),
      vectors * size * static_cast<double>(sizeof(real)) + nodes,
      nodes > 0
          ? "lower clients or data.features, or use more ranks on more machines"
          : "lower data.features, problem.hidden or problem.channels, or take smaller problem.layers");
}

}  // namespace

std::unique_ptr<Compressor> make_compressor(const Plan& plan, double sigma) {
  if (!plan.joint.layered) return plan.compressor.make();
  const std::size_t dimension = plan.shape().up;
  return make_layered({.dimension = dimension,
                       .limit = plan.joint.layered->limit(plan.bound->threshold(), dimension),
                       .sigma = sigma});
}

StepSetup step_setup(const Plan& plan, const Secret* secret) {
  return {.dimension = plan.shape().model,
          .clients = static_cast<double>(plan.clients),
          .participants = plan.participants(),
          .rounds = static_cast<double>(plan.rounds),
          .output = {plan.seed, Purpose::output, 0, 0, secret}};
}

Assembly assemble(const Plan& plan, const Placement& placement, const PartitionedData& partitioned,
                  bool start) {
  require_model_memory(plan, placement);
  Assembly a;
  a.problem = plan.problem.make();
  if (plan.sampler) a.sampler = plan.sampler.make();
  a.finetuning = plan.finetuning.make();
  TestRecords test = take_shards(plan, placement, partitioned, a);
  const Vector first = start_model(plan.start, plan.seed, *plan.problem,
                                   plan.start.at_optimum ? a.optimum.get() : nullptr);
  if (start) require_gradient(plan.start, first);
  a.x = plan.shape().begin(first);
  check_batch(plan, a);
  a.sigma = noise_sigma(plan, a.shard_records);
  build_memories(plan, placement, a);
  build_clients(plan, placement, a);
  if (placement.rank == 0) build_server(plan, a);
  if (start) a.clients->start(a.x);
  std::vector<const Dataset*> shards;
  for (const auto& shard : a.shards) shards.push_back(&shard);
  a.evaluator = std::make_unique<Evaluator>(
      EvaluatorParts{a.problem.get(), std::move(shards), placement, std::move(test), a.work.get(),
                     plan.shape(), a.finetuning.get(), a.metric_log.get(), a.optimum.get(),
                     hosted_weights(placement, a), plan.method.steps.has_model_of_each()});
  return a;
}

Assembly assemble(const Plan& plan, const Placement& placement, const std::string& data_folder,
                  bool start) {
  return assemble(plan, placement, partition_records(plan, data_folder), start);
}

}  // namespace trilemma
