#include "run/identity.hpp"

#include <cmath>

#include "comm/node_map.hpp"
#include "comm/session.hpp"
#include "experiment/budget.hpp"
#include "experiment/data_files.hpp"
#include "experiment/disclosures.hpp"
#include "experiment/words.hpp"
#include "record/environment.hpp"

namespace trilemma {

namespace {

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all.append(text).append("\n");
  return all;
}

std::vector<std::string> hosts_with_clients(const std::vector<std::string>& hosts,
                                            const Placement& place) {
  std::vector<std::string> all;
  for (int rank = 0; rank < place.size; ++rank)
    all.push_back(fmt::format("{} clients {} + {}", hosts[static_cast<std::size_t>(rank)],
                              place.first(rank), place.count(rank)));
  return all;
}

NodeRecord node_record(const std::vector<std::string>& hosts, bool is_simulated_run) {
  NodeRecord record;
  if (!is_simulated_run) record.node = nodes_of(hosts);
  if (const auto asked = asked_placement())
    record.asked = {
        .nodes = asked->nodes,
        .ranks_per_node = asked->nodes == 0 ? 0 : (asked->ranks + asked->nodes - 1) / asked->nodes,
        .cores_per_rank = asked->cores_per_rank,
        .threads_per_core = asked->threads_per_core,
        .is_met = placement_problem(*asked, hosts).empty()};
  return record;
}

}  // namespace

RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const RankHosts& ranks, const RunOptions& options) {
  RunIdentity id;
  id.name = plan.name;
  id.method = plan.method_name;
  id.mode = plan.mode;
  id.problem = plan.problem->description();
  id.data = data_in_words(plan, parts.scaling, parts.partition);
  if (!plan.privacy.strict) id.scaling = parts.scaling;
  id.compressor = plan.compression_in_words();
  id.compressor_kind = plan.compressor_kind;
  id.compressor_label = plan.compressor->label();
  id.bound = plan.bound->description();
  id.mechanism = noise_in_words(plan, parts.sigma);
  id.start = parts.x;
  id.claim = claim.sentence;
  id.claim_status = claim.status;
  id.privacy = claim.record;
  id.config = plan.config;
  id.fingerprint = plan.fingerprint;
  id.environment = environment(options.command_line, Session::library());
  const std::optional<Simulation> simulation = Session::simulation();
  id.nodes = node_record(ranks.hosts, simulation.has_value());
  if (simulation) {
    id.environment.emplace_back("simulation", simulation->description);
    id.nodes.simulated = {.platform = simulation->platform,
                          .computing = simulation->computing,
                          .ranks = place.size,
                          .hosts = simulation->hosts,
                          .compute_factor = simulation->compute_factor};
  }
  id.environment.emplace_back("hosts", lines(hosts_with_clients(ranks.hosts, place)));
  std::vector<std::string> descriptions;
  for (const Processor& processor : ranks.processors) {
    descriptions.push_back(processor.description);
    id.vector_bits.push_back(processor.vector_bits);
  }
  id.environment.emplace_back("processors", lines(descriptions));
  const std::string folder = data_folder(options.data_folder);
  const std::string named = named_file_sums(plan.files);
  id.data_files = data_file_sums(plan.source->files(), folder) + named;
  id.withheld = withheld(plan);
  if (!id.withheld.holds(Provenance::test_scores)) {
    id.baseline_score = parts.baseline.common;
    id.baseline_personal_score = parts.baseline.personal;
  }
  id.environment.emplace_back("data_files", id.withheld.holds(Provenance::checksums)
                                                ? names_alone(plan.source->files()) + named
                                                : id.data_files);
  id.environment.emplace_back("data_folder", folder);
  id.environment.emplace_back("random_generator", generator_in_words(plan));
  id.seed = static_cast<std::int64_t>(plan.seed);
  id.rounds = plan.rounds;
  id.clients = plan.clients;
  id.dimension = static_cast<std::int64_t>(plan.problem->dimension());
  id.ranks = place.size;
  id.noise_sigma = parts.sigma;
  id.epsilon_nominal = plan.privacy.epsilon.value_or(std::nan(""));
  id.delta = plan.privacy.delta.value_or(std::nan(""));
  const BitsPerRound bits = bits_per_round(plan);
  id.planned_bits_up = bits.up;
  id.planned_bits_down = bits.down;
  id.planned_bits_down_before = bits.down_before;
  return id;
}

}  // namespace trilemma
