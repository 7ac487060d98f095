#include <algorithm>
#include <cmath>

#include "experiment/sections.hpp"

namespace trilemma {
namespace {

using accounting::name;
using accounting::Relation;
using trilemma::name;

// Defaults of the keys, which depend on the other parts.
struct Defaults {
  Relation relation = Relation::add_remove;
  bool at_server = false;   ///< a trusted server adds the noise
  bool has_models = false;  ///< clients have models of their own, which only they see
  bool has_output = false;  ///< only the model of a random round is released
  bool protects_clients = false;
  bool server_may_add = true;
  bool shares_noise = false;  ///< clients add shares of the noise, of which sums are seen
};

void read_noise(Reader& r, PrivacyPlan& p) {
  r("sigma", p.sigma, at_least(0),
    "standard deviation of the noise per coordinate, where it is added: to a client's vector, or "
    "to the mean");
  r("delta", p.delta, {.low = 0, .high = 1, .low_open = true, .high_open = true},
    "delta of the guarantee");
  r("noise_mode", p.total_norm,
    {{"per_coordinate", false, "standard deviation of every coordinate"},
     {"total_norm", true,
      "standard deviation of the whole noise vector: sigma / sqrt(d) per coordinate, which voids "
      "the claim"}},
    "meaning of sigma");
  r("strict", p.strict,
    "record only what the claim covers, and refuse everything that uses all records: scaling, "
    "some partitions and starts, data.features or data.classes from the files");
  r("rng", p.secret,
    {{"philox", false, "repeatable from the seed"},
     {"chacha20", true, "cryptographic, under a secret of the operating system"}},
    "generator of noise, minibatches and participants");
}

void read_place(Reader& r, const Defaults& defaults, PrivacyPlan& p) {
  p.at_server = defaults.at_server;
  r("noise_at", p.at_server,
    {{"client", false, "each client adds it to its vector"},
     {"server", true, "a trusted server adds it to the mean"}},
    "place of the noise");
  const Adversary trusted = defaults.has_models                ? Adversary::others
                            : defaults.has_output && !p.strict ? Adversary::output
                                                               : Adversary::aggregate;
  p.view = p.at_server ? trusted : defaults.shares_noise ? Adversary::aggregate : Adversary::server;
  r("view", p.view,
    {{name(Adversary::server), Adversary::server, "every message"},
     {name(Adversary::aggregate), Adversary::aggregate, "sums and models only"},
     {name(Adversary::others), Adversary::others, "everything except a client's own model"},
     {name(Adversary::output), Adversary::output, "the last model only"},
     {name(Adversary::shuffled), Adversary::shuffled, "every message, but not its sender"}},
    "view of the adversary");
}

// A client that does not participate adds no noise, so neighbours differ in a client's data only
// and not in its presence.
void read_relation(Reader& r, const Defaults& defaults, PrivacyPlan& p) {
  const bool clients_add_noise = defaults.protects_clients && !p.at_server;
  p.relation = defaults.relation;
  if (clients_add_noise && p.relation == Relation::add_remove) p.relation = Relation::zero_out;
  r("relation", p.relation,
    {{name(Relation::add_remove), Relation::add_remove, "one unit is added or removed"},
     {name(Relation::zero_out), Relation::zero_out, "one unit is set to zero"},
     {name(Relation::replace_one), Relation::replace_one, "one unit is replaced"}},
    "neighbouring relation; by default replace_one where a fixed number of records or clients is "
    "drawn, zero_out where clients add the noise that protects whole clients, otherwise "
    "add_remove");
  if (clients_add_noise && p.relation == Relation::add_remove)
    r.refuse("relation",
             fmt::format("a client that is absent adds no noise; choose zero_out or "
                         "replace_one{}",
                         defaults.server_may_add ? ", or privacy.noise_at = \"server\"" : ""));
}

void read_calibration(Reader& r, PrivacyPlan& p) {
  r("epsilon", p.epsilon, positive(), "epsilon to be reached");
  // A sigma of the command line or a sweep overrides the epsilon of the file.
  if (p.sigma && r.settings().origin("sigma").is_asked_for() &&
      !r.settings().origin("epsilon").is_asked_for()) {
    p.epsilon.reset();
    r.settings().resolve("epsilon", std::nullopt);
  }
  r("calibration", p.by_closed_form,
    {{"accountant", false, "by the accountant"}, {"paper", true, "by the paper's closed form"}},
    "calibration of sigma to epsilon");
  r("constant", p.constant, Word{"method"}, positive(),
    "constant c of the closed form; method = the method's own");
  // A given sigma needs no calibration.
  if (!p.epsilon) p.by_closed_form = false;
}

void check_calibration(const Settings& s, const Plan& plan, const PrivacyPlan& p) {
  const Settings privacy = s.section("privacy");
  if (p.epsilon && !p.by_closed_form && p.total_norm)
    privacy.refuse(
        "noise_mode",
        "the accountant calibrates the noise of every coordinate; set calibration = \"paper\", or "
        "per_coordinate");
  if (p.sigma && p.epsilon)
    privacy.refuse("sigma", "privacy.epsilon is set too; give the noise or the epsilon, not both");
  if (!p.sigma && p.epsilon && !p.delta && (!plan.joint.local || p.view == Adversary::shuffled))
    privacy.refuse(
        "epsilon",
        "needs privacy.delta too: well below 1 / the number of protected units, which are the "
        "records of a client or whole clients");
  if (!p.sigma && !p.epsilon)
    throw UserError(
        fmt::format("{}: privacy: no noise given; set privacy.sigma, or privacy.epsilon "
                    "together with privacy.delta",
                    s.file()));
  if (plan.method.recursion.searches_split && !p.epsilon)
    s.section("local").refuse("split",
                              "searches for the noise of an epsilon, but privacy.sigma is given; "
                              "choose equal, or set privacy.epsilon");
  if (p.epsilon && std::isinf(plan.bound->threshold()))
    privacy.refuse("epsilon",
                   "needs a norm bound; set bound.kind = \"clip-record\", or give privacy.sigma");
  if (!p.epsilon) return;
  if (!p.by_closed_form && !plan.bound->objection().empty())
    privacy.refuse("calibration",
                   fmt::format("no accountant covers this bound ({}); set bound.kind = "
                               "\"clip-record\", or calibration = \"paper\"",
                               plan.bound->objection()));
  if (p.by_closed_form && plan.protects_clients() != plan.takes_steps())
    privacy.refuse("calibration",
                   "the closed form of this method is about records, the bound about clients; set "
                   "calibration = \"accountant\"");
}

// Refuses participants whose number varies, where the noise of all of them is counted.
void check_draw_of_shares(const Settings& s, const Plan& plan) {
  const Draw draw = plan.schedule->draw();
  if (draw == Draw::everyone || (draw == Draw::dropping && plan.secure_sum.is_on)) return;
  if (plan.joint.local)
    s.section("participation")
        .refuse("kind",
                "the claim counts on a message of every client in every round; choose full, or "
                "privacy.view = \"V_server\"");
  if (plan.joint)
    s.section("participation")
        .refuse("kind", fmt::format("the noise of {} is that of all clients together; choose full, "
                                    "{}or joint.kind = \"none\"",
                                    plan.joint_kind,
                                    plan.joint.sums_integers()
                                        ? "drop-outs with secagg.kind and secagg.dropouts, "
                                        : ""));
  s.section("privacy").refuse(
      "view",
      "noise at the clients varies with the number of participants, and no theorem covers its sum; "
      "choose V_server, or privacy.noise_at = \"server\"");
}

void check_place(const Settings& s, const Plan& plan, const PrivacyPlan& p) {
  const Settings privacy = s.section("privacy");
  if (plan.is_decentralised() && p.at_server)
    privacy.refuse("noise_at", "there is no server that could add the noise; choose client");
  if (plan.is_decentralised() && p.view != Adversary::server)
    privacy.refuse("view",
                   "neighbours see single messages of nodes, never sums; choose V_server, under "
                   "which every message is seen");
  if (p.view == Adversary::shuffled && !plan.joint.local)
    privacy.refuse("view",
                   "shuffled messages have a theorem here only if each is private alone; choose "
                   "joint.kind = \"sqkr\" or \"privunit\", or another view");
  if (plan.clock && p.at_server)
    privacy.refuse(
        "noise_at",
        "the server combines updates of different times and models, and no theorem covers noise "
        "on their mean; choose client");
  if (plan.clock && p.view != Adversary::server)
    privacy.refuse("view", "clients' messages are covered one by one; choose V_server");
  if (p.at_server && !plan.protects_clients() && !plan.method.is_central)
    privacy.refuse("noise_at",
                   "records are protected against the server too, so each client adds its noise; "
                   "choose client, a bound of clients, or method = \"dp-sgd\"");
  if (!p.at_server && plan.method.is_central)
    privacy.refuse("noise_at",
                   fmt::format("method {} relies on a trusted server; choose server, or method = "
                               "\"ldp-sgd\"",
                               plan.method_name));
  if (p.view == Adversary::output && !plan.method.output)
    privacy.refuse("view",
                   "is for methods that release the last model only; leave it out, or choose "
                   "method = \"rrpsgd\"");
  if (p.view == Adversary::output && p.strict)
    privacy.refuse("strict",
                   "the run file records the models of all rounds, of which V_output covers the "
                   "last only; set privacy.view = \"V_aggregate\", or false");
  if (p.at_server && plan.memory->traits.changes_released)
    privacy.refuse(
        "noise_at",
        fmt::format(
            "the memory of method {} ({}) changes vectors after the bound, so they must already "
            "carry noise; choose client",
            plan.method_name, plan.method.memory));
  if (p.at_server && p.view == Adversary::server)
    privacy.refuse("view",
                   "the server gets messages without noise; choose V_aggregate, or "
                   "privacy.noise_at = \"client\"");
  if (p.view == Adversary::others && !(p.at_server && plan.method.steps.is_personal()))
    privacy.refuse("view",
                   "is for clients with models of their own and noise at the server; leave "
                   "it out");
  if (p.view == Adversary::server || p.at_server) return;
  if (!plan.protects_clients())
    privacy.refuse("view", "each client's records are protected by its own noise; choose V_server");
  check_draw_of_shares(s, plan);
}

struct Objection {
  const char* table;
  std::string key, problem;
};

std::string path_of(const Objection& objection) {
  const std::string table = objection.table;
  return table.empty() ? objection.key : table + "." + objection.key;
}

// Returns everything in `plan` that privacy.strict forbids, so that its claim has no exceptions.
std::vector<Objection> objections_of_strict(const Plan& plan) {
  std::vector<Objection> found;
  for (const auto& key : plan.found_keys)
    found.push_back(
        {"data", key,
         "found in the files, which uses all records: privacy.strict forbids it; set a value"});
  if (plan.found_clients)
    found.push_back(
        {"", "clients",
         "counted in the files, which uses all records: privacy.strict forbids it; set a value"});
  const Preprocessing done = plan.source->preprocessing();
  if (looks_at_all_records(done.scaling))
    found.push_back(
        {"data", "scaling", "uses all records, which privacy.strict forbids; choose none"});
  if (looks_at_all_records(done.missing))
    found.push_back(
        {"data", "missing", "uses all records, which privacy.strict forbids; choose drop"});
  if (done.has_word_features)
    found.push_back(
        {"data", "one_hot",
         "uses the words of all records, which privacy.strict forbids; write them as numbers "
         "beforehand"});
  if (done.chooses_users)
    found.push_back(
        {"data", "source",
         "chooses users by their records, which privacy.strict forbids; choose another source"});
  if (plan.partition->uses_labels())
    found.push_back(
        {"partition", "kind", "uses all labels, which privacy.strict forbids; choose shuffled"});
  if (plan.start.file.is_set())
    found.push_back(
        {"start", "file",
         "may have been made from these records, which privacy.strict forbids; leave it out"});
  if (!plan.problem->own_code().empty())
    found.push_back({"problem", "kind",
                     "runs code of your own, which sees the records and could do anything with "
                     "them: privacy.strict forbids it; choose another"});
  if (plan.graph_options.is_from_file)
    found.push_back(
        {"graph", "file",
         "may have been made from these records, which privacy.strict forbids; choose another "
         "kind"});
  if (plan.protects_clients() && plan.source->has_users())
    found.push_back(
        {"partition", "kind",
         "the run file has the number of records of every client, which privacy.strict withholds "
         "where whole clients are protected; choose shuffled"});
  if (plan.method.theory.smoothness_from_records)
    found.push_back(
        {"server", "smoothness_from",
         "uses the norms of all records, which privacy.strict forbids; set server.smoothness to a "
         "value that does not depend on them"});
  if (plan.start.at_optimum)
    found.push_back(
        {"start", "at", "uses all records, which privacy.strict forbids; leave it out"});
  return found;
}

// Reports the first objection and lists the keys of all others, so that the user can fix them
// together.
void check_strict(const Settings& s, const Plan& plan, const PrivacyPlan& p) {
  const auto found = p.strict ? objections_of_strict(plan) : std::vector<Objection>();
  if (found.empty()) return;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < found.size(); ++i) others.push_back(path_of(found[i]));
  const std::string more = others.empty() ? "" : fmt::format(". It also forbids: {}", join(others));
  s.refuse(path_of(found[0]), found[0].problem + more);
}

}  // namespace

PrivacyPlan read_privacy(const Settings& s, const Plan& plan) {
  Defaults defaults{
      .at_server = plan.joint ? plan.joint.is_masked()
                              : (plan.takes_steps() && !plan.clock) || plan.method.is_central,
      .has_models = plan.method.steps.is_personal(),
      .has_output = plan.method.output.has_value(),
      .protects_clients = plan.protects_clients(),
      .server_may_add = !plan.clock && !plan.joint,
      .shares_noise = plan.joint && !plan.joint.local};
  // Draws of a fixed size have a theorem for replaced units only.
  const bool fixed_clients = plan.protects_clients() && plan.schedule->draw() == Draw::fixed_size;
  const bool fixed_records =
      plan.sampler && plan.sampler->scheme() == accounting::Sampling::fixed_wor;
  if (plan.protects_clients() ? fixed_clients : fixed_records)
    defaults.relation = Relation::replace_one;
  // Messages that are private alone are so for any two vectors.
  if (plan.joint.local) defaults.relation = Relation::replace_one;
  Reader privacy(s.section("privacy"));
  PrivacyPlan p;
  read_noise(privacy, p);
  read_place(privacy, defaults, p);
  read_relation(privacy, defaults, p);
  read_calibration(privacy, p);
  if (s.lists()) return p;
  check_calibration(s, plan, p);
  check_place(s, plan, p);
  check_strict(s, plan, p);
  return p;
}

void refuse_noise(const Settings& s, const Plan& plan) {
  const Method& method = plan.method;
  if (method.noise || method.noise_follows_bound || *method.private_form == 0) return;
  Settings privacy = s.section("privacy");
  Settings copy = privacy.copy();  // a method without noise has no keys of noise
  const auto sigma = copy.optional_number("sigma", at_least(0), "");
  const auto epsilon = copy.optional_number("epsilon", positive(), "");
  // If only the command line or a sweep chooses the method, noise in the file is meant for the
  // method of the file.
  const bool is_file_of_method = !s.origin("method").is_asked_for();
  const auto is_meant = [&](const char* key) {
    return is_file_of_method || privacy.origin(key).is_asked_for();
  };
  const std::string why =
      method.bound == "none"
          ? fmt::format("{} bounds no {}", plan.method_name,
                        plan.takes_steps() ? "updates" : "gradients")
          : fmt::format("{} bounds finished gradients and not those of single records",
                        plan.method_name);
  if (sigma.value_or(0) > 0 && is_meant("sigma"))
    privacy.refuse("sigma", fmt::format("{}, so noise would protect nothing; choose method = {}, "
                                        "or set 0",
                                        why, method.private_form));
  const bool is_off = sigma == 0 && privacy.origin("sigma").lies_above(privacy.origin("epsilon"));
  if (epsilon && is_meant("epsilon") && !is_off)
    privacy.refuse("epsilon",
                   fmt::format("{}, so it adds no noise and promises no epsilon; choose method = "
                               "{}, or set privacy.sigma = 0 to run without privacy",
                               why, method.private_form));
  if (sigma == 0) privacy.optional_number("sigma", at_least(0), "standard deviation of the noise");
}

}  // namespace trilemma
