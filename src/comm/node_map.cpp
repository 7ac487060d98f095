#include "comm/node_map.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

// Returns the positive integer in the environment variable; 0 if it is not set.
std::int64_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return 0;
  const std::string_view all(text);
  const long number = read_whole_number(all).value_or(0);
  require(number >= 1,
          "{} = {}: expected a whole number from 1 on, as jobs/submit sets it; set it so, or unset "
          "it",
          variable, shown(all));
  return number;
}

bool only_marks() {
  constexpr const char* variable = "TRILEMMA_PLACEMENT_CHECK";
  const char* const text = std::getenv(variable);
  const std::string_view chosen = text == nullptr ? "refuse" : text;
  require(chosen == "refuse" || chosen == "mark", "{} = {}: expected refuse or mark", variable,
          shown(chosen));
  return chosen == "mark";
}

std::vector<std::string> different(const std::vector<std::string>& hosts) {
  std::vector<std::string> found;
  for (const auto& host : hosts)
    if (std::ranges::find(found, host) == found.end()) found.push_back(host);
  return found;
}

}  // namespace

std::optional<AskedPlacement> asked_placement() {
  AskedPlacement asked;
  asked.ranks = number_in("TRILEMMA_RANKS");
  if (asked.ranks == 0) return std::nullopt;
  asked.nodes = number_in("TRILEMMA_NODES");
  require(asked.nodes <= asked.ranks,
          "TRILEMMA_NODES = {} is more than TRILEMMA_RANKS = {}; every node needs a rank",
          asked.nodes, asked.ranks);
  asked.cores_per_rank = number_in("TRILEMMA_CORES_PER_RANK");
  asked.threads_per_core = number_in("TRILEMMA_THREADS_PER_CORE");
  asked.only_marks = only_marks();
  return asked;
}

std::vector<std::int64_t> asked_nodes(const AskedPlacement& asked) {
  std::vector<std::int64_t> node;
  for (std::int64_t n = 0; n < asked.nodes; ++n) {
    const std::int64_t ranks = asked.ranks / asked.nodes + (n < asked.ranks % asked.nodes ? 1 : 0);
    node.insert(node.end(), static_cast<std::size_t>(ranks), n);
  }
  return node;
}

std::vector<std::int64_t> nodes_of(const std::vector<std::string>& hosts) {
  const auto names = different(hosts);
  std::vector<std::int64_t> node;
  for (const auto& host : hosts) node.push_back(std::ranges::find(names, host) - names.begin());
  return node;
}

std::string nodes_in_words(const std::vector<std::int64_t>& node) {
  std::vector<std::string> counts;
  constexpr std::size_t most = 8;
  const std::int64_t nodes = node.empty() ? 0 : 1 + *std::ranges::max_element(node);
  for (std::int64_t n = 0; n < nodes && counts.size() < most; ++n)
    counts.push_back(std::to_string(std::ranges::count(node, n)));
  if (static_cast<std::size_t>(nodes) > counts.size()) counts.emplace_back("...");
  return join(counts, " + ") + (std::ranges::is_sorted(node) ? "" : ", not in blocks");
}

std::string placement_problem(const AskedPlacement& asked, const std::vector<std::string>& hosts) {
  if (static_cast<std::size_t>(asked.ranks) != hosts.size())
    return fmt::format(
        "{} asked for, and the launcher has started {}: it may not know the MPI of this program; "
        "choose another --launcher, or load its MPI",
        counted(static_cast<std::size_t>(asked.ranks), "rank"), counted(hosts.size(), "rank"));
  const auto wanted = asked_nodes(asked);
  const auto obtained = nodes_of(hosts);
  if (wanted.empty() || wanted == obtained) return {};
  return fmt::format(
      "{} asked for on {} ({}), and the launcher has placed them on {} ({}: {}); submit the job "
      "again, or have it run there with --placement-check mark, which marks the run file",
      counted(hosts.size(), "rank"), counted(static_cast<std::size_t>(asked.nodes), "node"),
      nodes_in_words(wanted), counted(different(hosts).size(), "node"), nodes_in_words(obtained),
      shown(join(different(hosts))));
}

}  // namespace trilemma
