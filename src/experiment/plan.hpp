#pragma once
// An experiment as read from its file: all parts chosen and checked against each other before the
// records are read.

#include <map>
#include <optional>

#include "compress/compressor.hpp"
#include "data/data_folder.hpp"
#include "data/partition.hpp"
#include "experiment/evaluation_plan.hpp"
#include "experiment/privacy_plan.hpp"
#include "local/finetuning.hpp"
#include "memory/memory.hpp"
#include "method/method.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Server steps on the simulated clock that can be gone through before a run; more would take
/// minutes.
inline constexpr double most_timed_steps = 1e7;

/// The start model: a file, or a centre plus random numbers.
struct StartPlan {
  NamedFile file = {};
  double scale = 0;  ///< of the laws normal and uniform
  StartLaw law = StartLaw::normal;
  bool at_optimum = false;              ///< centre: the minimiser, else 0
  std::vector<StartLayer> layers = {};  ///< of the problem
  /// Whether there are hidden units, which a start must tell apart.
  bool has_hidden() const { return layers.size() > 1; }
};

/// When state goes to the disk; 0 = not for that reason.
struct CheckpointPlan {
  long rounds = 0;
  double seconds = 0;
  long keep = 1;        ///< newest ones that stay
  long spared = -1;     ///< round of one that stays besides: the end of the run that is extended
  bool at_end = false;  ///< the state after the last round stays, for a run that is extended

  void read(Reader& r);
};

/// What of a plan is to be another, where it is set.
struct PlanChange {
  std::optional<std::uint64_t> seed = {};
  std::optional<long> clients = {};
  ScheduleMaker schedule = {};
  Choice<Problem> problem = {};
  CompressorMaker compressor = {};
};

/// A value: nothing in it has state or is used up, so that two assemblies of one plan are equal.
struct Plan {
  std::string name = "experiment", method_name, mode = "private";
  std::uint64_t seed = 1;
  long rounds = 100;
  long clients = 10;
  bool server_hosts = false;
  bool hosts_by_records = false;  ///< blocks of clients with about equal records a rank

  std::shared_ptr<const Source> source;
  std::vector<std::string> found_keys;  ///< of [data]: what the files have told
  bool found_clients = false;           ///< they are the users of the data, and were counted
  std::uint64_t data_seed = 1;
  std::shared_ptr<const Partitioner> partition;
  std::string partition_kind;
  double test_share = 0;       ///< share of the records that is drawn for tests, before all else
  double held_out = 0;         ///< share of its records that a client keeps for tests
  bool held_out_last = false;  ///< the last ones in the order of the source, else drawn at random
  Choice<Problem> problem;
  StartPlan start;

  Method method;
  ScheduleMaker make_schedule;
  Choice<Schedule> schedule;  ///< with the seed and the number of clients
  std::string schedule_kind;
  Choice<StepSequence> clock;  ///< simulated, or the record of a run that is replayed
  Choice<AsyncPolicy> policy;  ///< of methods in real time
  /// Of a private run on the simulated clock: most contacts of any client after 0, 1, ... steps.
  std::vector<std::uint32_t> contacts_after;
  std::vector<long> slowdown;  ///< of the ranks that host clients, in real time
  std::shared_ptr<const Bound> bound;
  EstimatorKind estimator = estimators().front().make;  ///< if the method takes no local steps
  bool uses_batch = false;
  Choice<Sampler> sampler;
  long batch = 1;
  std::optional<double> snapshot_probability;
  PrivacyPlan privacy;
  CompressorMaker make_compressor;
  ValueFormat value_format = ValueFormat::float32;  ///< of client messages
  Choice<Compressor> compressor;                    ///< for the dimension of what clients send
  std::string compressor_kind;                      ///< row of compressors()
  bool weighs_records = false;         ///< means over clients are weighted by their records
  bool rotates = false;                ///< the clients' vectors, before they are bounded
  std::string uplink, downlink;        ///< rows of uplinks() and downlinks()
  long ranks_per_node = 0;             ///< 0 = those of a machine
  Choice<Compressor> down_compressor;  ///< of a compressed downlink
  const MemoryKind* memory = &memories().front().make;
  std::optional<double> memory_step;

  /// Returns this plan with `change`. The choices that depend on what is changed are made again:
  /// the schedule and what meets clients on a clock for the seed and the clients, the compressor
  /// for the dimension, the finetuning for the seed and the problem.
  Plan with(const PlanChange& change) const;
  void choose_schedule();
  void choose_clock();
  void choose_compressor();
  void choose_finetuning();

  /// Of so many records those that are drawn for tests; refuses a draw that leaves none of a kind.
  std::size_t drawn_for_tests(std::size_t records) const;
  /// Returns the number of training records if it is known in advance, otherwise 0.
  std::size_t known_records() const { return source->rows() - drawn_for_tests(source->rows()); }
  /// Local steps instead of an estimate of the gradient.
  bool takes_steps() const { return !method.steps.solver.empty(); }
  /// A claim about single records counts on minibatches of `batch` records at every client.
  bool claim_takes_batch() const {
    return uses_batch && method.noise && !protects_clients() && privacy.sigma != 0.0;
  }
  /// What the server keeps and broadcasts, and what a client sends.
  StateShape shape() const {
    return method.shape(problem->dimension(), static_cast<std::size_t>(clients));
  }
  /// What happens to a vector between its client's work and the message, in words.
  std::string compression_in_words() const {
    return compressor->description() + (rotates ? ", of vectors turned at random" : "") +
           (down_compressor ? "; the model's changes by " + down_compressor->description() : "");
  }
  /// The step of the memory.
  double step_of_memory() const {
    return memory_step.value_or(memory->usual_step(compressor->traits().omega));
  }
  /// Expected in a round.
  double participants() const {
    if (policy) return policy->expected();
    return clock ? clock->expected() : schedule->expected();
  }
  /// How many times as long a hosting rank takes for a local step, on purpose.
  double slowdown_of(int host) const {
    const auto at = static_cast<std::size_t>(host);
    return at < slowdown.size() ? static_cast<double>(slowdown[at]) : 1;
  }
  /// Participants are drawn from rank 0's secret and sent; else, and on a clock, from the seed by
  /// every rank.
  bool draws_secretly() const {
    return privacy.secret && !clock && schedule->draw() != Draw::everyone;
  }
  /// What is bounded is what a client sends, so privacy is that of whole clients.
  bool protects_clients() const { return bound->what() == Bounds::client; }

  EvaluationPlan evaluation;
  FinetuningMaker make_finetuning;
  Choice<Finetuning> finetuning;
  bool finetunes = false;    ///< finetuning does something
  unsigned vector_bits = 0;  ///< of the registers that kernels use at most; 0 = no limit
  bool has_portable_numerics = false;
  bool timing = true;
  bool separate_wait = false;
  bool staged = false;
  double model_bits_per_value = 32;
  CheckpointPlan checkpoint;
  double watchdog_seconds = 0;  ///< most time between two phases; 0 = no limit

  std::string config;     ///< resolved, as TOML
  std::string annotated;  ///< the same with help, for `trilemma config`
  /// SHA-256 over the settings that determine the results: all but those that say where and how the
  /// run is made (placement, the way of the messages, timing, checkpoints, watchdog), and budgets,
  /// which have become rounds. Files that settings name enter by their content.
  std::string fingerprint;
  std::vector<NamedFile> files;  ///< named by settings, outside the data folder
  /// Settings that determine which records there are and which client has them: values as TOML by
  /// dotted path.
  std::map<std::string, std::string> record_settings;
};

}  // namespace trilemma
