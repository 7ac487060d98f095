#pragma once
// An experiment as read from its file. All parts are chosen and checked against each other before
// the records are read.

#include <map>
#include <optional>

#include "claim/claim_inputs.hpp"
#include "compress/compressor.hpp"
#include "data/data_folder.hpp"
#include "data/partition.hpp"
#include "exchange/automatic.hpp"
#include "local/finetuning.hpp"
#include "memory/memory.hpp"
#include "method/method.hpp"
#include "privacy/joint.hpp"
#include "privacy/secure_sum.hpp"
#include "schedule/graph.hpp"
#include "schedule/step_sequence.hpp"
#include "settings/reader.hpp"

namespace trilemma {

/// Schedule and contents of the evaluations of an experiment.
struct EvaluationPlan {
  long every = 1;         ///< rounds between two evaluations; 0 = only at the start and end
  std::vector<long> at;   ///< numbers of finished rounds, ascending; replaces `every`
  bool objective = true;  ///< evaluate f and its gradient; otherwise test scores only
  bool optimum = false;   ///< compute the minimum, for the column suboptimality
  long nodes = 0;         ///< decentralised methods: nodes whose own models are evaluated too

  /// Reads the section `evaluate`: `at` if it is set, otherwise `every`. If both are set, a key of
  /// the command line or a sweep wins.
  void read(Reader& r);
  /// Returns whether the state after `done` rounds is evaluated. The start and the last round
  /// always are, whatever this function returns.
  bool is_due(long done) const;
};

/// Reads the section `evaluate` of an experiment with `rounds` rounds and, if its method is
/// decentralised, `nodes` nodes (otherwise 0). Throws UserError if `at` does not ascend or exceeds
/// `rounds`, if `at` and `every` have the same origin, or for more nodes than there are.
EvaluationPlan read_evaluation(const Settings& experiment, long rounds, long nodes);

/// The noise, its calibration, and the claim that an experiment asks for.
struct PrivacyPlan {
  std::optional<double> sigma, epsilon, delta, constant;
  /// Calibrate sigma to epsilon by the paper's formula instead of the accountant.
  bool by_closed_form = false;
  accounting::Relation relation = accounting::Relation::add_remove;
  /// Draw noise, minibatches and participants with ChaCha20 from secret keys.
  bool secret = false;
  /// Record only what the claim covers, and refuse everything that uses all records before the
  /// first release.
  bool strict = false;
  /// The noise vector has norm sigma, as in lemma 2 of [NEC], so each coordinate has sigma /
  /// sqrt(d). This is far too little for the epsilon that sigma was calibrated to.
  bool total_norm = false;
  /// A trusted server perturbs the mean; otherwise each client perturbs its vector.
  bool at_server = false;
  Adversary view = Adversary::server;  ///< view of the adversary of the claim
};

/// Largest number of server steps that are simulated before a run; more would take minutes.
inline constexpr double most_timed_steps = 1e7;

/// The start model: a file, or a centre plus random numbers.
struct StartPlan {
  NamedFile file = {};
  double scale = 0;  ///< factor of the laws normal and uniform
  StartLaw law = StartLaw::normal;
  bool at_optimum = false;              ///< the centre is the minimiser instead of 0
  std::vector<StartLayer> layers = {};  ///< layers of the problem
  /// Returns whether there are hidden units; a start must give them different values.
  bool has_hidden() const { return layers.size() > 1; }
};

/// When checkpoints are written; 0 = not for this reason.
struct CheckpointPlan {
  long rounds = 0;
  double seconds = 0;
  long keep = 1;  ///< number of newest checkpoints to keep
  /// Round of a checkpoint kept in addition: the last one of the run being extended.
  long spared = -1;
  bool at_end = false;  ///< keep the checkpoint after the last round, for a run that is extended

  void read(Reader& r);
};

/// Keys that are left to the theory of the method until its constants are known; server.rate is in
/// Method::theory.
struct LeftToTheory {
  bool rounds = false, batch = false, snapshot = false;
};

/// Changes of a plan; members that are not set change nothing.
struct PlanChange {
  std::optional<std::uint64_t> seed = {};
  std::optional<long> clients = {};
  ScheduleMaker schedule = {};
  Choice<Problem> problem = {};
  CompressorMaker compressor = {};
};

/// A plain copyable value: no member has state that a run changes, so two assemblies of one plan
/// are equal. Fields that others depend on are changed by with().
struct Plan {
  std::string name = "experiment", method_name, mode = "private";
  std::uint64_t seed = 1;
  long rounds = 100;
  long clients = 10;
  bool server_hosts = false;
  /// Blocks of clients with about equal numbers of records per rank.
  bool hosts_by_records = false;

  std::shared_ptr<const Source> source;
  std::vector<std::string> found_keys;  ///< keys of [data] that were determined from the files
  bool found_clients = false;           ///< the clients are the users of the data and were counted
  std::uint64_t data_seed = 1;
  std::shared_ptr<const Partitioner> partition;
  std::string partition_kind;
  double test_share = 0;  ///< share of the records drawn for tests, before they are partitioned
  double held_out = 0;    ///< share of its records that a client holds out for tests
  /// Hold out the last records in the order of the source, instead of random ones.
  bool held_out_last = false;
  Choice<Problem> problem;
  StartPlan start;

  Method method;
  ScheduleMaker make_schedule;
  Choice<Schedule> schedule;  ///< made for the seed and the number of clients
  std::string schedule_kind;
  GraphOptions graph_options;          ///< for decentralised methods
  std::shared_ptr<const Graph> graph;  ///< made for the seed and the number of clients
  std::string node_exchange;           ///< row of node_exchanges()
  Choice<StepSequence> clock;          ///< simulated clock, or the record of a run that is replayed
  Choice<AsyncPolicy> policy;          ///< for methods in real time
  /// For a private run on the simulated clock: largest number of contacts of a client after 0, 1,
  /// ... server steps.
  std::vector<std::uint32_t> contacts_after;
  /// Real time: artificial slowdown factors of the ranks that host clients.
  std::vector<long> slowdown;
  std::shared_ptr<const Bound> bound;
  EstimatorKind estimator = estimators().front().make;  ///< if the method takes no local steps
  bool uses_batch = false;
  Choice<Sampler> sampler;
  long batch = 1;
  std::optional<double> snapshot_probability;
  LeftToTheory left_to_theory;
  PrivacyPlan privacy;
  std::string joint_kind = "none";  ///< row of joints()
  JointChoice joint;                ///< the joint mechanism, if any
  SecureSum secure_sum;             ///< how sums of words are hidden
  CompressorMaker make_compressor;
  ValueFormat value_format = ValueFormat::float32;  ///< format of client messages
  Choice<Compressor> compressor;                    ///< for the dimension of client messages
  std::string compressor_kind;                      ///< row of compressors() or of joints()
  bool weighs_records = false;           ///< clients are weighted by their numbers of records
  bool rotates = false;                  ///< rotate the clients' vectors before the bound
  std::string uplink, downlink;          ///< rows of uplink_choices() and downlinks()
  long ranks_per_node = 0;               ///< 0 = the ranks of a machine
  CompressorMaker make_down_compressor;  ///< none with a plain downlink
  Choice<Compressor> down_compressor;    ///< for the dimension of the broadcast
  const MemoryKind* memory = &memories().front().make;
  std::optional<double> memory_step;

  /// Returns this plan with `change`. Choices that depend on a changed field are made again: the
  /// schedule, the graph and the clock or policy for the seed and the clients, the compressors for
  /// their dimensions, the finetuning for the seed and the problem.
  Plan with(const PlanChange& change) const;
  void choose_schedule();
  void choose_graph();
  void choose_clock();
  void choose_compressor();
  void choose_down_compressor();
  void choose_finetuning();

  /// Returns the number of test records drawn from `records`. Throws UserError if the training or
  /// the test set would be empty.
  std::size_t drawn_for_tests(std::size_t records) const;
  /// Returns the number of training records, or 0 if it is not known before the data are read.
  std::size_t known_records() const { return source->rows() - drawn_for_tests(source->rows()); }
  /// Returns whether clients take local steps instead of computing an estimate of the gradient.
  bool takes_steps() const { return !method.steps.solver.empty(); }
  /// Returns the local step size of the first round.
  double local_rate() const {
    const double factor = method.rate_factor == nullptr
                              ? 1
                              : method.rate_factor(static_cast<double>(clients), participants());
    return method.steps.rate.first * factor;
  }
  /// Returns whether clients are nodes that exchange messages with neighbours, without a server.
  bool is_decentralised() const { return static_cast<bool>(method.node); }
  /// Returns the number of messages that a participant sends in a round.
  std::size_t messages() const { return is_decentralised() ? method.node->channels() : 1; }
  /// Returns whether the claim is about single records and assumes minibatches of `batch` records
  /// at every client.
  bool claim_takes_batch() const {
    return uses_batch && method.noise && !protects_clients() && privacy.sigma != 0.0;
  }
  /// Returns the dimensions of the server's state, of the broadcast and of a client's message.
  StateShape shape() const {
    return method.shape(problem->dimension(), static_cast<std::size_t>(clients));
  }
  /// Returns whether every client gets what the server sends in a round, participant or not.
  bool reaches_everyone() const;
  /// Returns the number of values that a client receives in a round from an uncompressed downlink.
  std::size_t values_down() const;
  /// Describes the compression of vectors in both directions.
  std::string compression_in_words() const {
    return compressor->description() + (rotates ? ", of randomly rotated vectors" : "") +
           (down_compressor ? "; the model's changes by " + down_compressor->description() : "");
  }
  /// Returns the step size of the memory: as set, or its default for the compressor.
  double step_of_memory() const {
    return memory_step.value_or(memory->usual_step(compressor->traits().omega));
  }
  /// Returns the expected number of participants of a round or server step.
  double participants() const {
    if (policy) return policy->expected();
    return clock ? clock->expected() : schedule->expected();
  }
  /// Returns the factor by which hosting rank `host` artificially slows down its local steps.
  double slowdown_of(int host) const {
    const auto at = static_cast<std::size_t>(host);
    return at < slowdown.size() ? static_cast<double>(slowdown[at]) : 1;
  }
  /// Returns whether participants are drawn from rank 0's secret and sent to the other ranks.
  /// Otherwise, and always on a clock, every rank draws them from the seed.
  bool draws_secretly() const {
    return privacy.secret && !clock && can_be_secret(schedule->draw());
  }
  /// Returns whether the bound applies to a client's update, so that whole clients are protected.
  bool protects_clients() const { return bound->what() == Bounds::client; }

  EvaluationPlan evaluation;
  FinetuningMaker make_finetuning;
  Choice<Finetuning> finetuning;
  bool finetunes = false;    ///< whether the finetuning is not "none"
  unsigned vector_bits = 0;  ///< width of the widest registers used by kernels; 0 = no limit
  bool has_portable_numerics = false;
  bool timing = true;
  bool separate_wait = false;
  bool summarises_times = false;  ///< record times summarised over the ranks
  bool staged = false;
  double model_bits_per_value = 32;
  CheckpointPlan checkpoint;
  double watchdog_seconds = 0;  ///< largest time between two phases; 0 = no limit

  std::string config;     ///< resolved, as TOML
  std::string annotated;  ///< the same with help, for `trilemma config`
  /// SHA-256 over the settings that determine the results. Excluded are settings that say where and
  /// how the run is made (placement, uplink, timing, checkpoints, watchdog), and budgets, which are
  /// resolved to rounds. Files that settings name contribute their content.
  std::string fingerprint;
  std::vector<NamedFile> files;  ///< files that settings name outside the data folder
  /// Settings that determine the records and their partition over the clients: values as TOML by
  /// dotted path.
  std::map<std::string, std::string> record_settings;
};

/// Returns the uplink of `plan` for `ranks` ranks on `nodes` nodes, `hosts` of which host clients:
/// the one that it names, or the one that exchange.up = "auto" chooses.
UplinkChoice uplink_of(const Plan& plan, long ranks, long hosts, long nodes);

/// Returns whether ranks send sums of messages with this uplink, a row of uplinks().
bool sends_sums(const std::string& uplink);

/// Sets the uplink of a plan to the recorded one, unless that is empty. Returns whether there is an
/// uplink with the name that the plan then has.
bool take_recorded_uplink(Plan& plan, const std::string& recorded);

}  // namespace trilemma
