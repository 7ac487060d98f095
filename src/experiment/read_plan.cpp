#include "experiment/read_plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "exchange/automatic.hpp"
#include "exchange/downlink.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/uplink.hpp"
#include "experiment/budget.hpp"
#include "experiment/data_files.hpp"
#include "experiment/fingerprint.hpp"
#include "experiment/joint.hpp"
#include "experiment/sections.hpp"
#include "experiment/theory.hpp"

namespace trilemma {
namespace {

void read_general(const Settings& s, Plan& plan) {
  Reader r(s);
  r("name", plan.name, "name of the experiment, for files and figures");
  if (const std::string problem = name_problem(plan.name); !problem.empty())
    r.refuse("name", fmt::format("not usable in names of files, {}", problem));
  plan.method_name = read_method_name(r.settings());
  r("mode", plan.mode, {"private", "authors"},
    "settings that the privacy analysis requires, or those of the authors' published script");
  r("seed", plan.seed, at_least(0), "seed of all randomness in the run except the data");
  const auto rounds = r.settings().integer_or(
      "rounds", plan.rounds, theory_word, {.low = 1, .high = most_rounds, .unit = "rounds"},
      "communication rounds T; theory (soteriafl methods): as many as the theorem asks for");
  plan.left_to_theory.rounds = !rounds;
  plan.rounds = rounds.value_or(1);
  r("clients", plan.clients, {.low = 1, .high = 1e9},
    "number of clients n; default for a natural partition: the users of the data");
  r("server_hosts", plan.server_hosts, "rank 0 hosts clients, in addition to being the server");
  r("hosting", plan.hosts_by_records, {{"clients", false}, {"records", true}},
    "quantity that is balanced over the ranks, which host blocks of clients");
}

void check_layers(const Settings& settings, const Plan& plan) {
  settings.refuse_unknown_layers("methods", names(methods()));
  settings.refuse_unknown_layers("modes", {"private", "authors"});
  if (plan.mode == "authors" && !settings.has_layer("modes", "authors"))
    settings.refuse("mode",
                    "this experiment has no authors' settings; leave the mode out, or add a table "
                    "[modes.authors]");
}

// Returns the size of a minibatch; 1 if it is left to the theory.
long read_batch(Settings& local, Plan& plan) {
  const long usual = plan.method.steps.minibatches.batch;
  constexpr const char* help =
      "b: records in a minibatch, expected or exact; default: 32 for local steps of synchronous "
      "methods, otherwise 51; theory (soteriafl methods): the corollary's";
  if (!local.when(plan.method.theory.corollary != Corollary::none))
    return local.integer("batch", usual, at_least(1), help);
  const auto batch = local.integer_or("batch", usual, theory_word, at_least(1), help);
  plan.left_to_theory.batch = !batch;
  return batch.value_or(1);
}

void read_snapshot(Settings& local, Plan& plan) {
  constexpr const char* key = "snapshot_probability";
  constexpr const char* by_batch = "batch/records";
  plan.left_to_theory.snapshot = local.says(key, theory_word);
  plan.snapshot_probability = local.number_or(
      key, plan.left_to_theory.snapshot ? theory_word : by_batch, {.low = 0, .high = 1},
      "probability of a new SVRG snapshot in a round; \"theory\" (soteriafl-svrg): the same "
      "b/m, as a number");
}

// Reads the local work of a client: an estimator of the gradient, or local steps.
void read_local(const Settings& s, Plan& plan) {
  if (plan.takes_steps()) {
    plan.uses_batch = row(solvers(), plan.method.steps.solver).make.uses_batch;
  } else {
    plan.estimator = row(estimators(), plan.method.estimator).make;
    plan.uses_batch = plan.estimator.uses_batch;
  }
  Settings local = s.section("local");
  if (s.when(plan.uses_batch)) {
    plan.batch = read_batch(local, plan);
    plan.sampler = Choice<Sampler>(
        choose(samplers(), local, "sampling", plan.method.steps.minibatches.sampling,
               "how minibatches are drawn; default: shuffled for local steps of synchronous "
               "methods, otherwise poisson")
            .make);
    if (plan.sampler->shuffles() && !plan.takes_steps())
      local.refuse(
          "sampling",
          fmt::format("shuffled minibatches are for local steps, and {} takes none; choose "
                      "poisson or without-replacement",
                      plan.method_name));
  }
  if (s.when(plan.estimator.uses_snapshot)) read_snapshot(local, plan);
}

// A claim about records needs minibatches of one size at all clients. The default size is lowered
// to the records of the smallest client if their number is known before the data are read.
void check_batch(const Settings& s, Plan& plan) {
  const auto records = static_cast<long>(plan.known_records()) / plan.clients;
  Settings local = s.section("local");
  const long anchor = plan.method.recursion.anchor_batch;
  if (records > 0 && anchor > records)
    local.refuse("anchor_batch",
                 fmt::format("the smallest client has at most {} of the {} records; set {} or less",
                             records, plan.known_records(), records));
  if (!plan.claim_takes_batch() || records == 0 || plan.batch <= records) return;
  if (local.has("batch"))
    local.refuse(
        "batch",
        fmt::format("the privacy claim is about minibatches of this size, and the smallest "
                    "client has at most {} of the {} records; set local.batch = {} or less, "
                    "or lower clients",
                    records, plan.known_records(), records));
  plan.batch = records;
  local.resolve("batch", plan.batch);
}

// Every step has its own 32-bit index in the address of random numbers.
void check_steps(const Settings& s, const Plan& plan) {
  constexpr double most = 4294967295.0;
  if (static_cast<double>(plan.rounds) * static_cast<double>(plan.method.steps.count) > most)
    s.section("local").refuse("steps", "rounds times steps must be below 2^32; lower one of them");
}

// Returns the bound for clients that take several local steps between two contacts, which must be a
// bound of whole clients or none. A bound of records in the file is intended for other methods and
// replaced by none.
const Row<BoundMaker>& bound_of_clients(Settings& bound, const Row<BoundMaker>& asked) {
  Settings scratch = Settings::empty().section("bound");
  const Bounds what = asked.make(scratch)->what();
  if (what == Bounds::client || what == Bounds::nothing) return asked;
  if (bound.origin("kind").is_asked_for())
    bound.refuse(
        "kind",
        "clients take several local steps between two contacts, and only a bound of clients "
        "covers their sum; choose clip-client, or none");
  bound.resolve("kind", "none");
  return row(bounds(), "none");
}

void read_bound(const Settings& s, Plan& plan) {
  Settings bound = s.section("bound");
  if (!plan.method.bound.empty()) {
    plan.bound = row(bounds(), plan.method.bound).make(bound);
    return;
  }
  const auto* kind =
      &choose(bounds(), bound, "kind", plan.method.default_bound,
              "bound of the influence of a record or of a client; methods with a bound of "
              "their own, such as dp-fedavg-clip, ignore the key");
  if (plan.method.noise_follows_bound) kind = &bound_of_clients(bound, *kind);
  plan.bound = kind->make(bound);
  if (!plan.method.noise_follows_bound) return;
  plan.method.noise = plan.protects_clients();
  if (plan.method.ends_differently && plan.protects_clients())
    s.section("server").refuse(
        "output",
        "the bound and the noise of clients would apply to different vectors in the last server "
        "step than in earlier ones; choose model, or bound.kind = none");
  if (plan.method.noise && plan.policy)
    s.section("clock").refuse(
        "time",
        "in real time the number of contacts of a client is not known beforehand, so no claim can "
        "be made; choose simulated, or bound.kind = none");
}

// Refuses a shuffler where the claim does not count on one, and other uplinks where it does.
void check_shuffler(const Settings& exchange, const Plan& plan) {
  const bool is_shuffled = plan.uplink == shuffled_uplink;
  if (is_shuffled == (plan.privacy.view == Adversary::shuffled)) return;
  exchange.refuse(
      "up", is_shuffled ? "is for an adversary who sees shuffled messages; choose another "
                          "uplink, or privacy.view = \"V_shuffled\""
                        : "under privacy.view = \"V_shuffled\" messages pass a shuffler; choose "
                          "shuffle, or another view");
}

void read_exchange(const Settings& s, Plan& plan) {
  Settings exchange = s.section("exchange");
  if (s.when(plan.is_decentralised()))
    plan.node_exchange = choose(node_exchanges(), exchange, "nodes", "neighbours",
                                "how messages travel between the nodes of decentralised methods")
                             .name;
  if (plan.is_decentralised()) {
    plan.uplink = "gather";
    plan.downlink = "plain";
    return;
  }
  const char* usual = plan.privacy.view == Adversary::shuffled ? shuffled_uplink : automatic;
  plan.uplink = choose(uplink_choices(), exchange, "up", usual,
                       "uplink: how messages are summed at the server; results do not depend on it")
                    .name;
  check_shuffler(exchange, plan);
  const auto& down = choose(
      downlinks(), exchange, "down", plan.method.clients_can_step ? "scalars" : "plain",
      "downlink: how the model reaches the clients; default: scalars for zeroth-order methods");
  plan.downlink = down.name;
  if (down.make.carries == Carries::scalars && !plan.method.clients_can_step)
    exchange.refuse("down",
                    fmt::format("clients cannot take the server's step of method {} themselves; "
                                "choose plain, or method decomfl",
                                plan.method_name));
  plan.ranks_per_node = exchange.integer(
      "ranks_per_node", 0, at_least(0),
      "consecutive ranks that count as a node, for exchange.up = hierarchical; 0 = the ranks of a "
      "machine");
  if (plan.policy) check_real_exchange(exchange, plan);
  if (plan.downlink == "compressed" && plan.clock)
    exchange.refuse(
        "down",
        "every client needs the model's change in every round, but on the simulated clock clients "
        "miss rounds; choose plain or direct");
  if (s.when(down.make.carries == Carries::compressed_model)) read_down_compressor(s, plan);
}

void read_finetuning(const Settings& s, Plan& plan) {
  Settings finetune = s.section("finetune");
  const auto& kind = choose(finetunings(), finetune, "kind", "none",
                            "finetuning of the evaluated models by each client");
  plan.finetunes = std::string_view(kind.name) != "none";
  if (plan.finetunes && plan.held_out == 0)
    finetune.refuse(
        "kind",
        "finetuned models are scored on records that clients hold out; set partition.held_out, "
        "for example 0.2");
  plan.make_finetuning = kind.read(finetune);
  plan.choose_finetuning();
}

// Lanczos steps find the eigenvalue to about ten digits, and a ring of four nodes has exactly -1/3.
void check_eigenvalues(const Settings& s, const Plan& plan) {
  constexpr double rounding = 1e-9;
  const double limit = plan.method.node->eigenvalues_above();
  if (limit <= -1) return;
  const double least = spectrum_of(*plan.graph).least;
  if (least <= limit + rounding)
    s.section("graph").refuse(
        "weights",
        fmt::format("the smallest eigenvalue of the mixing matrix is {:.6g}, and method "
                    "{} diverges unless it is above {:.6g}; choose lazy, or lower gossip.consensus",
                    least, plan.method_name, limit));
}

// Reads the graph of a decentralised method, and refuses what needs a server.
void read_nodes(Settings& s, Plan& plan) {
  if (s.when(plan.is_decentralised())) plan.graph_options = read_graph(s);
  if (!plan.is_decentralised()) return;
  if (plan.clients < 2) s.refuse("clients", "a graph has at least 2 nodes; raise it");
  if (plan.schedule->draw() != Draw::everyone)
    s.section("participation")
        .refuse("kind",
                fmt::format("in method {} every node takes part in every round; choose full",
                            plan.method_name));
  if (plan.method.memory != "none")
    s.section("memory").refuse(
        "kind", fmt::format("the messages of method {} reach several neighbours, and a client "
                            "memory is shared with one server; choose none",
                            plan.method_name));
  if (!plan.server_hosts && s.has("server_hosts"))
    s.refuse("server_hosts",
             "without a server rank 0 hosts nodes like any other rank; leave it out, or set true");
  plan.server_hosts = true;
  s.resolve("server_hosts", plan.server_hosts);
  plan.choose_graph();
  check_eigenvalues(s, plan);
}

void read_method(Settings& s, Plan& plan) {
  const auto& method = row(methods(), plan.method_name);
  refuse_theory(s, method);
  list(methods(), s, "method", method);
  plan.method = method.make(s);
  refuse_noise(s, plan);
  Settings participation = s.section("participation");
  const auto& schedule =
      choose(schedules(), participation, "kind", "full", "participants of a round");
  plan.schedule_kind = schedule.name;
  plan.make_schedule = schedule.read(participation);
  plan.choose_schedule();
  read_pace(s, plan);
  read_memory(s, plan);
  read_nodes(s, plan);
  if (plan.memory->traits.needs_everyone && plan.schedule->draw() != Draw::everyone)
    participation.refuse(
        "kind",
        fmt::format("method {} keeps a memory ({}) at both ends, which needs every client in "
                    "every round; choose full, or a method without it",
                    plan.method_name, plan.method.memory));
  if (plan.method.needs_everyone && plan.schedule->draw() != Draw::everyone)
    participation.refuse("kind",
                         fmt::format("clients of method {} compare two successive models, so every "
                                     "client takes part in every round; choose full",
                                     plan.method_name));
}

void check_evaluation(const Settings& s, Plan& plan) {
  if (!plan.privacy.strict) return;
  if (plan.evaluation.optimum)
    s.section("evaluate").refuse("optimum", "uses all records, which privacy.strict forbids");
  plan.evaluation.objective = false;
}

// Reads all keys. This is the only place that determines their order.
void read_keys(Settings& s, Plan& plan, DataFolder* data) {
  read_general(s, plan);
  settle_clients(s, plan, data);
  check_layers(s, plan);
  read_method(s, plan);
  read_data(s, plan, data);
  read_start(s, plan);
  read_local(s, plan);
  read_bound(s, plan);
  read_weights(s, plan);
  read_joint(s, plan);
  read_secure_sum(s, plan);
  if (s.when(plan.method.noise)) plan.privacy = read_privacy(s, plan);
  check_joint(s, plan);
  check_batch_normalisation(s, plan);
  check_batch(s, plan);
  read_compressor(s, plan);
  settle_theory(s, plan, data);
  read_exchange(s, plan);
  apply_budget(s, plan);
  if (plan.clock) settle_pace(s, plan);
  if (plan.takes_steps()) check_steps(s, plan);
  plan.evaluation = read_evaluation(s, plan.rounds, plan.is_decentralised() ? plan.clients : 0);
  check_evaluation(s, plan);
  read_finetuning(s, plan);
  read_execution(s, plan);
}

}  // namespace

Plan read_plan(Settings settings, DataFolder* data) {
  std::vector<std::string> known;
  for (const auto& record : all_settings()) known.push_back(record.path);
  settings.refuse_unknown(known);
  Plan plan;
  read_keys(settings, plan, data);
  if (plan.privacy.strict) plan.timing = false;
  settings.refuse_unused();
  // The layer lets the resolved configuration be read again: its settings are those of the mode.
  const std::string layer = plan.mode == "authors" ? "\n[modes.authors]\n" : "";
  plan.config = to_toml(settings.records()) + layer;
  plan.annotated = to_annotated_toml(settings.records()) + layer;
  plan.record_settings = record_settings(settings.records());
  plan.files = settings.files();
  plan.fingerprint = fingerprint(settings.records(), plan.files);
  return plan;
}

const std::vector<SettingRecord>& all_settings() {
  static const std::vector<SettingRecord> all = [] {
    Settings settings = Settings::listing();
    Plan plan;
    read_keys(settings, plan, nullptr);
    return settings.records();
  }();
  return all;
}

Plan recorded_plan(const std::string& config, const std::string& data_files,
                   const std::string& path) {
  Settings settings = Settings::from_text(config, path);
  settings.take_recorded_sums(sums_of(data_files));
  return read_plan(settings);
}

}  // namespace trilemma
