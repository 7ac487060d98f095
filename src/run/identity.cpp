#include "run/identity.hpp"

#include "base/version.hpp"
#include "comm/node_map.hpp"
#include "experiment/budget.hpp"
#include "experiment/data_files.hpp"
#include "experiment/disclosures.hpp"
#include "experiment/graph_answer.hpp"
#include "experiment/theory.hpp"
#include "experiment/words.hpp"
#include "machine/variables.hpp"

namespace trilemma {
namespace {

using F = RunFacts;

std::int64_t whole_number(auto value) { return static_cast<std::int64_t>(value); }

// Lines from texts.
std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all.append(text).append("\n");
  return all;
}

// A score of the best constant answer; NaN where test scores are withheld.
double baseline(const F& f, double score) {
  return withheld(f.plan).holds(Provenance::test_scores) ? std::nan("") : score;
}

const Fields<F> identity_table = {
    computed(
        "name", "1", "name of the experiment", Compared::exactly,
        +[](const F& f) { return f.plan.name; }),
    computed(
        "method", "1", "the method", Compared::exactly,
        +[](const F& f) { return f.plan.method_name; }),
    computed(
        "mode", "1", "the settings: `private` or `authors`", Compared::exactly,
        +[](const F& f) { return f.plan.mode; }),
    computed(
        "problem", "1", "the problem, in words", Compared::exactly,
        +[](const F& f) { return f.plan.problem->description(); }),
    computed(
        "data", "1", "the data, their scaling and their partition, in words", Compared::exactly,
        +[](const F& f) { return data_in_words(f.plan, f.scaling, f.partition); }),
    computed(
        "scaling", "1", "what was done to the records, in words; empty under `privacy.strict`",
        Compared::repeated,
        +[](const F& f) { return f.plan.privacy.strict ? std::string() : f.scaling; }),
    computed(
        "local_work", "1",
        "what a client computes between two messages, in words; files of older programs do not have it",
        Compared::exactly, +[](const F& f) { return local_work_in_words(f.plan); })
        .optional(),
    computed(
        "compressor", "1", "the compressor, in words", Compared::exactly,
        +[](const F& f) { return f.plan.compression_in_words(); }),
    computed(
        "compressor_kind", "1", "name of the compressor or joint mechanism in `trilemma list`",
        Compared::exactly, +[](const F& f) { return f.plan.compressor_kind; }),
    computed(
        "compressor_label", "1", "the same with its parameter, as `rand-k, k = 12`",
        Compared::exactly, +[](const F& f) { return f.plan.compressor->label(); }),
    computed(
        "equal_messages", "1", "whether all messages of client updates have one size",
        Compared::exactly, +[](const F& f) { return f.plan.compressor->layout().is_equal(); }),
    computed(
        "bound", "1", "the bound, in words", Compared::exactly,
        +[](const F& f) { return f.plan.bound->description(); }),
    computed(
        "mechanism", "1", "the noise and who adds it, in words", Compared::exactly,
        +[](const F& f) { return noise_in_words(f.plan, f.sigma); }),
    computed(
        "claim", "1",
        "what the run promises about privacy, in words ([privacy-model.md](../explanation/privacy-model.md)); "
        "`claim_status` says it for programs",
        Compared::exactly, +[](const F& f) { return f.claim.sentence; }),
    computed(
        "claim_status", "1",
        "`holds`, `nominal_only` (a published formula promises less than is spent) or "
        "`not_private`",
        Compared::exactly, +[](const F& f) { return std::string(name(f.claim.status)); }),
    computed(
        "seed", "1", "seed of the experiment", Compared::exactly,
        +[](const F& f) { return whole_number(f.plan.seed); }),
    computed(
        "rounds", "round", "rounds that were asked for", Compared::exactly,
        +[](const F& f) { return whole_number(f.plan.rounds); }),
    computed(
        "clients", "client", "clients", Compared::exactly,
        +[](const F& f) { return whole_number(f.plan.clients); }),
    computed(
        "dimension", "1", "coordinates of the model", Compared::exactly,
        +[](const F& f) { return whole_number(f.plan.problem->dimension()); }),
    computed(
        "ranks", "rank", "MPI ranks of the last start", Compared::nowhere,
        +[](const F& f) { return whole_number(f.origin->place.size); }),
    computed(
        "extended_from", "round",
        "rounds that the run had before `--rounds-more` gave it those of `rounds`; 0 = it was "
        "not extended",
        Compared::nowhere, +[](const F& f) { return whole_number(f.extended_from); }),
    computed(
        "noise_sigma", "1",
        "standard deviation per coordinate of the noise that each client adds to its update, "
        "or the server to the mean (`mechanism` says who); 0 = none",
        Compared::exactly, +[](const F& f) { return f.sigma; }),
    computed(
        "epsilon_nominal", "1", "the epsilon that was asked for; NaN = none", Compared::exactly,
        +[](const F& f) { return f.plan.privacy.epsilon.value_or(std::nan("")); }),
    computed(
        "delta", "1", "the delta that was asked for; NaN = none", Compared::exactly,
        +[](const F& f) { return f.plan.privacy.delta.value_or(std::nan("")); }),
    computed(
        "baseline_score", "1",
        "test score (share of the most frequent class, or root mean squared distance to the "
        "mean target) of the best answer that does not depend on the features, one for all "
        "records; NaN = no test records, or withheld by `privacy.strict`",
        Compared::repeated,
        +[](const F& f) { return baseline(f, f.origin->parts.baseline.common); }),
    computed(
        "baseline_personal_score", "1",
        "the same with an answer for each client with test records of its own, as the mean "
        "over these clients",
        Compared::repeated,
        +[](const F& f) { return baseline(f, f.origin->parts.baseline.personal); }),
    computed(
        "planned_bits_up", "bit",
        "payload bits that a client sends in a round, in expectation over the participants "
        "and in the mean over the clients. [Budgets](sweep-files.md#the-budget-of-bits) are "
        "planned with the planned bits and judged by them. NaN = they do not follow from the "
        "configuration: messages differ in size, or the number of contacts changes from one "
        "server step to the next other than by chance",
        Compared::exactly, +[](const F& f) { return bits_per_round(f.plan, f.real_bits).up; }),
    computed(
        "planned_bits_down", "bit", "the same, received in a round", Compared::exactly,
        +[](const F& f) { return bits_per_round(f.plan, f.real_bits).down; }),
    computed(
        "planned_bits_down_before", "bit",
        "the same, received before the first round (models that methods on the clock hand "
        "out)",
        Compared::exactly,
        +[](const F& f) { return bits_per_round(f.plan, f.real_bits).down_before; }),
};

std::string hosts_with_clients(const F& f) {
  const Placement& place = f.origin->place;
  std::vector<std::string> all;
  for (int rank = 0; rank < place.size; ++rank)
    all.push_back(fmt::format("{} clients {} + {}",
                              f.origin->ranks.hosts[static_cast<std::size_t>(rank)],
                              place.first(rank), place.count(rank)));
  return lines(all);
}

std::string processors_of(const F& f) {
  std::vector<std::string> all;
  for (const Processor& processor : f.origin->ranks.processors)
    all.push_back(processor.description);
  return lines(all);
}

const Fields<F> environment_table = {
    computed(
        "command_line", "text", "the command", Compared::nowhere,
        +[](const F& f) { return f.origin->options.command_line; }),
    computed(
        "git_revision", "text", "commit of the program's source", Compared::nowhere,
        +[](const F&) { return std::string(git_revision()); }),
    computed(
        "dirty", "text",
        "`yes` if the source had changes that are not in this commit, `no`, `not known (archive)`, "
        "or `not available` (no commit is known)",
        Compared::nowhere, +[](const F&) { return std::string(source_state()); }),
    computed(
        "compiler", "text", "the compiler", Compared::nowhere,
        +[](const F&) { return std::string(compiler()); }),
    computed(
        "compiler_flags", "text", "options of the compiler", Compared::nowhere,
        +[](const F&) { return std::string(compiler_flags()); }),
    computed(
        "libraries", "text", "versions of the libraries", Compared::nowhere,
        +[](const F&) { return library_versions() + (", " + Session::library()); }),
    computed(
        "real", "text", "type of the model and of messages: `float32` or `float64`",
        Compared::nowhere, +[](const F&) { return std::string(real_name); }),
    computed(
        "cpu", "text", "model of the processor of rank 0", Compared::nowhere,
        +[](const F&) { return cpu_model(); }),
    computed(
        "started", "text", "when the run was started, UTC", Compared::nowhere,
        +[](const F&) { return utc_now(); }),
    computed(
        "slurm", "text", "the variables of Slurm, lines `KEY=VALUE`", Compared::nowhere,
        +[](const F&) { return variables("SLURM_"); }),
    computed(
        "launch", "text",
        "the variables `TRILEMMA_*` with which job scripts state how they launch and bind the "
        "ranks, lines `KEY=VALUE`",
        Compared::nowhere,
        +[](const F&) { return variables("TRILEMMA_") + variables("OMPI_COMM_WORLD_SIZE"); }),
    computed(
        "simulation", "text",
        "platform, ranks and hosts, treatment of computing, library "
        "([simulate-ranks.md](../how-to/simulate-ranks.md)); only with simulated ranks",
        Compared::nowhere,
        +[](const F& f) {
          return f.origin->simulation ? f.origin->simulation->description : std::string();
        })
        .optional(),
    computed("hosts", "text", "a line for each rank: host name, first client, number of clients",
             Compared::nowhere, hosts_with_clients),
    computed("processors", "text",
             "a line for each rank: vector instructions of the kernels, their bits, kernels of "
             "OpenBLAS; of a resumed run those of its first start",
             Compared::nowhere, processors_of),
    computed(
        "data_files", "text",
        "SHA-256 and name of every file read: those of the data, whose sums `privacy.strict` "
        "withholds, then those that settings name, by their absolute paths",
        Compared::nowhere, +[](const F& f) { return f.origin->data_files; }),
    computed(
        "data_folder", "text", "folder of the data files", Compared::nowhere,
        +[](const F& f) { return f.origin->data_folder; }),
    computed(
        "random_generator", "text", "generator of the noise and the minibatches", Compared::exactly,
        +[](const F& f) { return generator_in_words(f.plan); }),
};

NodeRecord node_record(const RunOrigin& origin) {
  NodeRecord record;
  const auto& hosts = origin.ranks.hosts;
  if (!origin.simulation) record.node = nodes_of(hosts);
  if (const auto asked = asked_placement())
    record.asked = {
        .nodes = asked->nodes,
        .ranks_per_node = asked->nodes == 0 ? 0 : (asked->ranks + asked->nodes - 1) / asked->nodes,
        .cores_per_rank = asked->cores_per_rank,
        .threads_per_core = asked->threads_per_core,
        .is_met = placement_problem(*asked, hosts).empty()};
  if (origin.simulation)
    record.simulated = {.platform = origin.simulation->platform,
                        .computing = origin.simulation->computing,
                        .ranks = origin.place.size,
                        .hosts = origin.simulation->hosts,
                        .compute_factor = origin.simulation->compute_factor};
  return record;
}

UplinkRecord uplink_record(const UplinkChoice& choice) {
  UplinkRecord record{.uplink = choice.uplink,
                      .reason = name(choice.reason),
                      .in_words = in_words(choice),
                      .sends_sums = sends_sums(choice.uplink)};
  if (choice.reason == UplinkReason::asked_for) return record;
  record.messages = choice.facts.messages;
  record.message_bytes = choice.facts.message_bytes;
  record.sum_bytes = choice.facts.sum_bytes;
  return record;
}

}  // namespace

const Fields<RunFacts>& identity_fields() { return identity_table; }
const Fields<RunFacts>& environment_fields() { return environment_table; }

RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const RankHosts& ranks, const RunOptions& options,
                     long extended_from) {
  RunIdentity id;
  id.start = parts.x;
  id.privacy = claim.record;
  id.graph = graph_record(plan);
  id.theory = theory_record(plan, parts.sigma, parts.shard_records);
  id.config = plan.config;
  id.fingerprint = plan.fingerprint;
  id.ranks = place.size;
  id.summarises_phases = plan.summarises_times;
  id.records_energy = plan.timing && counts_energy(ranks.machine.nodes);
  id.withheld = withheld(plan);
  const std::string folder = data_folder(options.data_folder);
  const std::string named = named_file_sums(plan.files);
  id.data_files = data_file_sums(plan.source->files(), folder) + named;
  const RunOrigin origin{parts,
                         place,
                         ranks,
                         options,
                         folder,
                         id.withheld.holds(Provenance::checksums)
                             ? names_alone(plan.source->files()) + named
                             : id.data_files,
                         Session::simulation()};
  const RunFacts inputs{.plan = plan,
                        .claim = claim,
                        .sigma = parts.sigma,
                        .extended_from = extended_from,
                        .scaling = parts.scaling,
                        .partition = parts.partition,
                        .origin = &origin};
  for (const auto& field : identity_table)
    id.attributes.emplace_back(field.name, field.get(inputs));
  for (const auto& field : environment_table)
    if (const auto text = std::get<std::string>(field.get(inputs));
        !field.is_optional || !text.empty())
      id.environment.push_back({field.name, text, field.help});
  for (const Processor& processor : ranks.processors)
    id.vector_bits.push_back(processor.vector_bits);
  id.machine = ranks.machine;
  id.nodes = node_record(origin);
  if (!plan.is_decentralised()) id.uplink = uplink_record(ranks.uplink);
  return id;
}

}  // namespace trilemma
