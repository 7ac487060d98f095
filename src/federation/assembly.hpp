#pragma once
// From a plan to the living parts of this rank: data read, shards cut, parts wired together.

#include "comm/placement.hpp"
#include "federation/baseline.hpp"
#include "federation/client_side.hpp"
#include "federation/evaluator.hpp"
#include "federation/partitioned_data.hpp"
#include "federation/server_side.hpp"
#include "numeric/secret.hpp"

namespace trilemma {

/// Everything a rank needs to run its part of an experiment.
struct Assembly {
  std::vector<Dataset> shards;  ///< of the hosted clients, by slot
  /// The server's state: the start, and what each step makes of it, on rank 0; what was broadcast
  /// last elsewhere.
  Vector x;
  std::unique_ptr<Optimum> optimum;  ///< of the objective, where the plan wants it, or null
  double sigma = 0;
  std::unique_ptr<GradientNotes> notes = std::make_unique<GradientNotes>();
  std::string partition;  ///< description
  std::string
      uneven;  ///< what follows where clients differ in their records, or have few; or empty
  std::string scaling;       ///< of the features, in words
  ShardSizes shard_records;  ///< of the smallest and the largest client
  std::size_t smallest = 0;  ///< the first client with the fewest records
  /// Weights of all clients in means over clients, of mean 1; empty where all are 1.
  std::vector<double> weights;
  Baseline baseline;  ///< what answers without regard to the features score

  std::vector<std::unique_ptr<Secret>> secrets;  ///< by slot, where the plan asks for them
  std::unique_ptr<Secret> server_secret;         ///< what the server draws: noise, participants
  std::unique_ptr<MetricLog> metric_log =
      std::make_unique<MetricLog>();  ///< of what the parts make
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<Compressor> compressor;  ///< of the clients
  std::unique_ptr<Compressor> mask;    ///< rank 0: draws what all clients of a round send, or null
  std::unique_ptr<Rotation> rotation;  ///< or null
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

/// Builds the rank's parts with its clients' records. The plan must outlive them. Without `start`
/// the estimator's state is left to be restored.
Assembly assemble(const Plan& plan, const Placement& placement, const PartitionedData& partitioned,
                  bool start = true);
/// The same, after reading the data from `data_folder`.
Assembly assemble(const Plan& plan, const Placement& placement, const std::string& data_folder,
                  bool start = true);

}  // namespace trilemma
