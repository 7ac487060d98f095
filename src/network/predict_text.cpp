// Output of `trilemma predict` as text.

#include <algorithm>
#include <cmath>
#include <set>

#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "network/predict_command.hpp"

namespace trilemma {
namespace {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 600) return fmt::format("{:.3g} s", seconds);
  constexpr double hour = 3600, day = 24 * hour, year = 365 * day;
  if (seconds < 10 * hour) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 10 * day) return fmt::format("{:.3g} h", seconds / hour);
  return seconds < 3 * year ? fmt::format("{:.3g} days", seconds / day)
                            : fmt::format("{:.2g} years", seconds / year);
}

// Names the first run and the runs tied with it, which predictions are not exact enough to
// distinguish.
std::string first_text(const NetworkPrediction& at) {
  constexpr double apart = 1.02;
  const double least = at.runs[*at.fastest()]->seconds();
  std::vector<std::string> first;
  for (std::size_t i = 0; i < at.runs.size(); ++i)
    if (at.runs[i] && at.runs[i]->seconds() <= apart * least)
      first.push_back(std::to_string(i + 1));
  if (first.size() == 1) return "run " + first.front();
  const std::string last = first.back();
  first.pop_back();
  return fmt::format("runs {} and {} (within 2 %)", join(first), last);
}

std::string name_of(const RunTraffic& run) {
  return run.method + ", " + run.compressor + ", " + run.exchange;
}

std::string rate_text(const Network& network) {
  const double per_byte = network.line().seconds_per_byte;
  return per_byte > 0 ? with_prefix(bits_per_byte / per_byte, "bit") + "/s" : "unlimited bandwidth";
}

const char* rule_text(Rule rule) {
  switch (rule) {
    case Rule::star:
      return "all messages pass the link of rank 0";
    case Rule::mpich:
      return "messages are forwarded as MPICH does";
    case Rule::open_mpi:
      break;
  }
  return "messages are forwarded as Open MPI 4.1 does";
}

// Returns the numbers of ranks in ascending order.
std::set<int> ranks_of(const PredictAnswer& answer) {
  std::set<int> found;
  for (const auto& at : answer.networks) found.insert(at.network.ranks());
  return found;
}

// Describes the links of a star or tree, or of runs without a server, to which neither applies.
std::string links_text(const PredictAnswer& answer) {
  const Network& network = answer.networks.front().network;
  const double latency = network.line().latency;
  const bool have_servers = !std::ranges::all_of(answer.runs, [](const RunTraffic& run) {
    return run.is_decentralised() && !run.passes_rank_0;
  });
  const std::string rule =
      have_servers
          ? fmt::format("{}: {}", topology_names[static_cast<std::size_t>(network.topology())],
                        rule_text(network.rule()))
          : "no server: ranks send to the ranks that host neighbours";
  if (!answer.asked.network.empty())
    return fmt::format("{}, each with a link of {} and {} one way, as measured between two in {}",
                       rule, rate_text(network), duration(latency), answer.asked.network);
  return fmt::format(
      "{}{}, each with a link of its own and {} one way{}", rule,
      have_servers && answer.asked.topology.empty() ? " (--topology tree: MPI forwards)" : "",
      duration(latency), latency > 0 ? "" : " (set it with --latency)");
}

std::string heading(const PredictAnswer& answer) {
  const Network& network = answer.networks.front().network;
  std::vector<std::string> counts;
  for (const int ranks : ranks_of(answer)) counts.push_back(std::to_string(ranks));
  const std::string ranks = join(counts) + " ranks";
  const std::string until = answer.asked.accuracy
                                ? fmt::format("to accuracy {:g}", *answer.asked.accuracy)
                                : "whole runs";
  if (network.topology() != Topology::calibrated)
    return fmt::format("{}, {}; {}\n", ranks, links_text(answer), until);
  if (network.is_measured() && counts.size() == 1)
    return fmt::format("{} as measured in {}; {}\n", ranks, answer.asked.network, until);
  return fmt::format(
      "{}, calibrated: as measured on {} in {}, scaled by what the algorithm of each call takes; {}; "
      "{}\n",
      ranks, network.measured_ranks(), answer.asked.network, rule_text(network.rule()), until);
}

std::string files_of(const PredictAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < answer.runs.size(); ++i)
    out += fmt::format("run {}: {} ({})\n", i + 1, name_of(answer.runs[i]), answer.asked.runs[i]);
  return out;
}

// Prints the messages of each run in a round, and their algorithms.
std::string calls_text(const NetworkPrediction& at) {
  std::string out = fmt::format("\n{:>3}  {:<11}{:>12}  {:<22}{:>16}{:>16}{:>12}\n", "run", "call",
                                "message", "algorithm", "link of rank 0", "longest path", "time");
  for (std::size_t i = 0; i < at.runs.size(); ++i)
    for (const Call& call : at.runs[i] ? at.runs[i]->calls : std::vector<Call>())
      out += fmt::format("{:>3}  {:<11}{:>12}  {:<22}{:>16}{:>16}{:>12}\n", i + 1,
                         operation_names[static_cast<std::size_t>(call.operation)],
                         with_prefix(call.bytes, "B"), name(call.algorithm),
                         with_prefix(call.server_bytes, "B"), with_prefix(call.path_bytes, "B"),
                         duration(call.seconds));
  return out + "\n";
}

// Prints how fast the nodes of decentralised runs reach consensus.
std::string consensus_text(const PredictAnswer& answer) {
  std::string out;
  const NetworkPrediction& at = answer.networks.front();
  for (std::size_t i = 0; i < at.runs.size(); ++i) {
    const double gap = answer.runs[i].spectral_gap;
    if (!at.runs[i] || !(gap < 1) || at.runs[i]->rounds == 0) continue;
    out += fmt::format(
        "run {}: {} for each factor e by which averaging alone brings the nodes closer together "
        "({:.4g} rounds; spectral gap {:.4g})\n",
        i + 1, duration(at.runs[i]->seconds_per_e_fold(gap)), -1 / std::log1p(-gap), gap);
  }
  return out;
}

// Prints one network, with a line per run.
std::string details(const PredictAnswer& answer) {
  const NetworkPrediction& at = answer.networks.front();
  std::string out;
  out += answer.runs.size() > 1 ? files_of(answer)
                                : fmt::format("run 1: {}\n", name_of(answer.runs.front()));
  if (!answer.asked.bandwidths.empty()) out += fmt::format("bandwidth {}\n", rate_text(at.network));
  out += fmt::format("{:>3}{:>9}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "run", "rounds", "compute",
                     "model down", "updates up", "per round", "total");
  for (std::size_t i = 0; i < at.runs.size(); ++i) {
    if (!at.runs[i]) {
      out += fmt::format("{:>3}  does not reach the accuracy\n", i + 1);
      continue;
    }
    const Prediction& p = *at.runs[i];
    out += fmt::format("{:>3}{:>9g}{:>12}{:>12}{:>12}{:>12}{:>12}\n", i + 1, p.rounds,
                       duration(p.compute), duration(p.down), duration(p.up),
                       duration(p.seconds() / std::max(1.0, p.rounds)), duration(p.seconds()));
  }
  return out + consensus_text(answer) + calls_text(at);
}

// A network, or several consecutive ones on which all times and the order are the same.
struct NetworkRow {
  int ranks;
  std::string from, to;  ///< bandwidths
  std::vector<std::string> times;
  std::string first;

  bool is_like(const NetworkRow& other) const {
    return ranks == other.ranks && times == other.times && first == other.first;
  }
};

std::vector<NetworkRow> network_rows(const PredictAnswer& answer) {
  std::vector<NetworkRow> rows;
  for (const NetworkPrediction& at : answer.networks) {
    const std::string rate = rate_text(at.network);
    NetworkRow row{
        at.network.ranks(), rate, rate, {}, at.fastest() ? first_text(at) : "no ranking"};
    for (const auto& run : at.runs) row.times.push_back(run ? duration(run->seconds()) : "-");
    if (!answer.asked.is_wide && !rows.empty() && rows.back().is_like(row))
      rows.back().to = rate;
    else
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string bandwidth_of(const NetworkRow& row) {
  return row.from == row.to ? row.from : row.from + " to " + row.to;
}

// Returns a table with a line per network and a column per run.
std::string lines_by_network(const PredictAnswer& answer, const std::vector<NetworkRow>& rows) {
  const bool has_ranks = ranks_of(answer).size() > 1;
  const bool has_bandwidths = answer.asked.network.empty();
  const bool has_rivals = answer.runs.size() > 1;
  std::size_t width = 14;
  for (const NetworkRow& row : rows) width = std::max(width, bandwidth_of(row).size() + 2);
  std::string out;
  if (has_ranks) out += fmt::format("{:>9}", "ranks");
  if (has_bandwidths) out += fmt::format("{:>{}}", "bandwidth", width);
  for (std::size_t i = 0; i < answer.runs.size(); ++i)
    out += fmt::format("{:>12}", fmt::format("run {}", i + 1));
  out += has_rivals ? "  first\n" : "\n";
  for (const NetworkRow& row : rows) {
    if (has_ranks) out += fmt::format("{:>9}", row.ranks);
    if (has_bandwidths) out += fmt::format("{:>{}}", bandwidth_of(row), width);
    for (const auto& time : row.times) out += fmt::format("{:>12}", time);
    out += has_rivals ? "  " + row.first + "\n" : "\n";
  }
  return out;
}

// Returns a table with a line per run and columns for as many networks as there is room, from the
// first to the last.
std::string lines_by_run(const PredictAnswer& answer, const std::vector<NetworkRow>& rows,
                         std::size_t columns) {
  constexpr std::size_t cell = 13, label = 28;
  const std::size_t room = std::max<std::size_t>(2, (columns - label) / cell);
  std::vector<const NetworkRow*> chosen;
  const std::size_t count = std::min(room, rows.size());
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(&rows[count == 1 ? 0 : i * (rows.size() - 1) / (count - 1)]);
  const bool has_ranks = ranks_of(answer).size() > 1;
  std::string out(label, ' ');
  for (const NetworkRow* row : chosen) out += fmt::format("{:>{}}", row->from, cell);
  out += '\n';
  if (has_ranks) {
    out += fmt::format("{:<{}}", "ranks", label);
    for (const NetworkRow* row : chosen) out += fmt::format("{:>{}}", row->ranks, cell);
    out += '\n';
  }
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const RunTraffic& run = answer.runs[i];
    std::string name = fmt::format("{:>3}  {}, {}", i + 1, run.method, run.compressor_kind);
    if (name.size() >= label) name.resize(label - 1);
    out += fmt::format("{:<{}}", printable(name), label);
    for (const NetworkRow* row : chosen) out += fmt::format("{:>{}}", row->times[i], cell);
    out += '\n';
  }
  for (const NetworkRow* row : chosen)
    out +=
        fmt::format("first at {}{}: {}\n", has_ranks ? fmt::format("{} ranks, ", row->ranks) : "",
                    bandwidth_of(*row), row->first);
  if (chosen.size() < rows.size())
    out += fmt::format("{} of {} networks; --wide prints all\n", chosen.size(), rows.size());
  return out;
}

// Prints several networks.
std::string by_network(const PredictAnswer& answer, std::size_t columns) {
  const std::string head = files_of(answer) + "\n";
  const auto& reached = answer.networks.front().runs;  // the same on all networks
  if (std::ranges::none_of(reached, [](const auto& run) { return run.has_value(); }))
    return head + "no run reaches the accuracy, so there is no time to compare; lower --accuracy\n";
  const auto rows = network_rows(answer);
  const std::string table = lines_by_network(answer, rows);
  const bool fits = answer.asked.is_wide || widest_line(table) <= columns;
  return head + (fits ? table : lines_by_run(answer, rows, columns));
}

}  // namespace

std::string to_text(const PredictAnswer& answer, std::size_t columns) {
  const bool is_one = answer.networks.size() == 1;
  std::string out = heading(answer);
  out += is_one ? details(answer) : by_network(answer, columns);
  if (is_one && answer.runs.size() > 1 && answer.networks.front().fastest())
    out += fmt::format("first: {}\n", first_text(answer.networks.front()));
  const bool has_ranks = ranks_of(answer).size() > 1;
  constexpr std::size_t most_crossings = 10;
  const bool lists_crossings = answer.asked.is_wide || answer.crossings.size() <= most_crossings;
  if (!lists_crossings)
    out += fmt::format("{} pairs of runs change their order at some bandwidth; --wide lists them\n",
                       answer.crossings.size());
  for (const Crossing& c : lists_crossings ? answer.crossings : std::vector<Crossing>())
    out += fmt::format("{}run {} is faster than run {} below {}/s\n",
                       has_ranks ? fmt::format("{} ranks: ", c.ranks) : "", c.below + 1,
                       c.above + 1, with_prefix(c.bandwidth, "bit"));
  for (const std::string& note : notes_of(answer)) out += "note: " + note + "\n";
  out += "computing as fast as in the runs; without evaluation, recording and checkpoints\n";
  return answer.asked.is_wide ? out : fitted(out, columns);
}

}  // namespace trilemma
