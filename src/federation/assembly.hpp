#pragma once
// Assembles the parts of this rank from a plan: reads data, cuts shards, connects the parts.

#include "comm/placement.hpp"
#include "federation/client_side.hpp"
#include "federation/evaluator.hpp"
#include "federation/partitioned_data.hpp"
#include "federation/server_side.hpp"
#include "numeric/secret.hpp"

namespace trilemma {

/// All parts of an experiment on one rank.
struct Assembly {
  std::vector<Dataset> shards;  ///< records of the hosted clients, by slot
  /// State of the server: on rank 0 the current state; on other ranks the state that was broadcast
  /// last.
  Vector x;
  std::unique_ptr<Optimum> optimum;  ///< of the objective, if the plan requires it; may be null
  double sigma = 0;
  std::unique_ptr<GradientNotes> notes = std::make_unique<GradientNotes>();
  std::string partition;  ///< description of the partition
  std::string
      uneven;  ///< what follows where clients differ in their records, or have few; or empty
  std::string scaling;       ///< description of the scaling of features
  ShardSizes shard_records;  ///< records of the smallest and the largest client
  std::size_t smallest = 0;  ///< first client with the fewest records
  /// Weights of all clients in means over clients, with mean 1; empty if all are 1.
  std::vector<double> weights;
  Baseline baseline;  ///< scores of the best constant answers

  std::vector<std::unique_ptr<Secret>> secrets;  ///< by slot, if the plan requires secrets
  std::unique_ptr<Secret> server_secret;         ///< for draws of the server: noise, participants
  std::unique_ptr<MetricLog> metric_log = std::make_unique<MetricLog>();  ///< metrics of the parts
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Sampler> sampler;
  std::shared_ptr<PairMasks> masks;        ///< of secure aggregation; null without
  std::unique_ptr<Compressor> compressor;  ///< of the clients
  std::unique_ptr<Compressor>
      mask;  ///< rank 0: draws the coordinates of a round if all clients send the same; may be null
  std::unique_ptr<Rotation> rotation;  ///< may be null
  std::unique_ptr<ServerStep> step;    ///< rank 0 only
  std::unique_ptr<Finetuning> finetuning;
  std::unique_ptr<LocalWork> work;
  std::unique_ptr<Mechanism> mechanism;
  std::unique_ptr<ClientMemory> client_memory;
  std::unique_ptr<ServerMemory> server_memory;
  std::unique_ptr<ClientSide> clients;
  std::unique_ptr<ServerSide> server;  ///< rank 0 only
  std::unique_ptr<Evaluator> evaluator;
};

/// Returns the compressor of the clients' messages, for noise `sigma` where messages carry it.
std::unique_ptr<Compressor> make_compressor(const Plan& plan, double sigma);

/// Returns the inputs of the server's step. `secret`, if any, replaces the seed of the draw of the
/// released model.
StepSetup step_setup(const Plan& plan, const Secret* secret = nullptr);

/// Returns the parts of this rank with the records of its clients. `plan` must outlive them.
/// Without `start`, the state of the local work is left to be restored.
Assembly assemble(const Plan& plan, const Placement& placement, const PartitionedData& partitioned,
                  bool start = true);
/// Returns the same parts, after reading the data from `data_folder`.
Assembly assemble(const Plan& plan, const Placement& placement, const std::string& data_folder,
                  bool start = true);

}  // namespace trilemma
