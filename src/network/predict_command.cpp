#include "network/predict_command.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace trilemma {
namespace {

void check_options(const PredictOptions& o) {
  require(o.network.empty() || (o.bandwidths.empty() && o.latency == 0),
          "--network names a measured network; leave out --latency and --bandwidth");
  require(o.latency >= 0 && o.latency <= 3600, "--latency: choose 0 to 3600 s");
  require(!o.accuracy || (*o.accuracy > 0 && *o.accuracy <= 1),
          "--accuracy {:g}: choose a share of the test records, above 0 and at most 1",
          o.accuracy.value_or(0));
  for (const double bandwidth : o.bandwidths)
    require(bandwidth > 0 && std::isfinite(bandwidth), "--bandwidth: choose a number above 0");
  require(o.ranks == 0 || (o.ranks >= 2 && o.ranks <= 1'000'000),
          "--ranks {}: choose 2 to 1e6; one rank alone has no network", o.ranks);
}

// 1, 2 and 5 times the powers of ten.
std::vector<double> all_bandwidths() {
  std::vector<double> found;
  for (double power = 1e6; power < 1e11; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) found.push_back(factor * power);
  found.push_back(1e11);
  return found;
}

std::vector<Network> networks_of(const PredictOptions& o, const RunTraffic& first) {
  if (!o.network.empty()) return {Network::from_file(o.network, o.ranks)};
  const int ranks = o.ranks > 0 ? o.ranks : static_cast<int>(std::min(first.clients, 999'999L)) + 1;
  std::vector<Network> found;
  for (const double bandwidth : o.bandwidths.empty() ? all_bandwidths() : o.bandwidths)
    found.emplace_back(ranks, Line{o.latency, bits_per_byte / bandwidth});
  return found;
}

std::vector<Crossing> crossings_of(const PredictAnswer& answer) {
  std::vector<Crossing> found;
  const int ranks = answer.networks.front().network.ranks();
  const auto& o = answer.asked;
  for (std::size_t a = 0; a < answer.runs.size(); ++a)
    for (std::size_t b = a + 1; b < answer.runs.size(); ++b) {
      const auto row_a = row_of(answer.runs[a], o.accuracy);
      const auto row_b = row_of(answer.runs[b], o.accuracy);
      if (!row_a || !row_b) continue;
      const auto at = crossing(answer.runs[a], *row_a, answer.runs[b], *row_b, ranks, o.latency);
      if (!at) continue;
      const Network below(ranks, {o.latency, 2 * bits_per_byte / *at});
      const bool a_below = predict(answer.runs[a], below, *row_a).seconds() <
                           predict(answer.runs[b], below, *row_b).seconds();
      found.push_back(a_below ? Crossing{a, b, *at} : Crossing{b, a, *at});
    }
  return found;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 600) return fmt::format("{:.3g} s", seconds);
  return seconds < 36000 ? fmt::format("{:.3g} min", seconds / 60)
                         : fmt::format("{:.3g} h", seconds / 3600);
}

// Runs as good as first: predictions are not exact enough to tell these apart.
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

std::string heading(const PredictAnswer& answer) {
  const Network& network = answer.networks.front().network;
  const std::string until = answer.asked.accuracy
                                ? fmt::format("to accuracy {:g}", *answer.asked.accuracy)
                                : "whole runs";
  if (network.is_measured())
    return fmt::format("{} ranks as measured in {}; {}\n", network.ranks(), answer.asked.network,
                       until);
  if (!answer.asked.network.empty())
    return fmt::format("{} ranks, each with a link of {} and {} one way, which fits {}; {}\n",
                       network.ranks(), rate_text(network), duration(network.line().latency),
                       answer.asked.network, until);
  return fmt::format("{} ranks, each with a link of its own and {} one way{}; {}\n",
                     network.ranks(), duration(network.line().latency),
                     network.line().latency > 0 ? "" : " (set it with --latency)", until);
}

// Rounds from one evaluated state to the next in the mean; 0: there is at most one.
double grid_of(const RunTraffic& run) {
  const auto known = std::ranges::count_if(
      run.rows, [](const RunTraffic::Row& row) { return !std::isnan(row.accuracy); });
  const double rounds = run.rows.back().round - run.rows.front().round;
  return known > 1 ? rounds / static_cast<double>(known - 1) : 0;
}

std::string files_of(const PredictAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < answer.runs.size(); ++i)
    out += fmt::format("run {}: {} ({})\n", i + 1, name_of(answer.runs[i]), answer.asked.runs[i]);
  return out;
}

// One network: a line for each run.
std::string details(const PredictAnswer& answer) {
  const NetworkPrediction& at = answer.networks.front();
  std::string out;
  if (answer.runs.size() > 1) out += files_of(answer);
  if (!answer.asked.bandwidths.empty()) out += fmt::format("bandwidth {}\n", rate_text(at.network));
  out += fmt::format("{:>3}{:>9}{:>12}{:>12}{:>12}{:>12}{:>12}  {}\n", "run", "rounds", "compute",
                     "model down", "updates up", "per round", "total", "");
  for (std::size_t i = 0; i < at.runs.size(); ++i) {
    if (!at.runs[i]) {
      out +=
          fmt::format("{:>3}  does not reach the accuracy  {}\n", i + 1, name_of(answer.runs[i]));
      continue;
    }
    const Prediction& p = *at.runs[i];
    out += fmt::format("{:>3}{:>9g}{:>12}{:>12}{:>12}{:>12}{:>12}  {}\n", i + 1, p.rounds,
                       duration(p.compute), duration(p.down), duration(p.up),
                       duration(p.seconds() / std::max(1.0, p.rounds)), duration(p.seconds()),
                       name_of(answer.runs[i]));
  }
  return out;
}

// Many: a line for each network, and for each run a column.
std::string by_bandwidth(const PredictAnswer& answer) {
  std::string out = files_of(answer);
  out += fmt::format("\n{:>14}", "bandwidth");
  for (std::size_t i = 0; i < answer.runs.size(); ++i)
    out += fmt::format("{:>12}", fmt::format("run {}", i + 1));
  const bool has_rivals = answer.runs.size() > 1;
  out += has_rivals ? "  first\n" : "\n";
  if (std::ranges::none_of(answer.networks,
                           [](const auto& at) { return at.fastest().has_value(); }))
    return out + "no run reaches the accuracy, so there is no time to compare; lower --accuracy\n";
  for (const NetworkPrediction& at : answer.networks) {
    out += fmt::format("{:>14}", rate_text(at.network));
    for (const auto& run : at.runs)
      out += fmt::format("{:>12}", run ? duration(run->seconds()) : "-");
    const auto fastest = at.fastest();
    out += has_rivals ? fmt::format("  {}\n", fastest ? first_text(at) : "none") : "\n";
  }
  return out;
}

}  // namespace

std::optional<std::size_t> NetworkPrediction::fastest() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i] && (!best || runs[i]->seconds() < runs[*best]->seconds())) best = i;
  return best;
}

PredictAnswer predict_answer(const PredictOptions& options) {
  check_options(options);
  PredictAnswer answer{.asked = options, .runs = {}, .networks = {}, .crossings = {}};
  for (const auto& path : options.runs) answer.runs.push_back(read_traffic(path));
  for (const Network& network : networks_of(options, answer.runs.front())) {
    NetworkPrediction at{network, {}};
    for (const RunTraffic& run : answer.runs) {
      const auto row = row_of(run, options.accuracy);
      at.runs.push_back(row ? std::optional(predict(run, network, *row)) : std::nullopt);
    }
    answer.networks.push_back(std::move(at));
  }
  if (options.network.empty()) answer.crossings = crossings_of(answer);
  return answer;
}

std::string grids_note(const PredictAnswer& answer) {
  std::vector<double> grids;
  for (const auto& run : answer.runs) grids.push_back(grid_of(run));
  const auto [least, most] = std::ranges::minmax(grids);
  constexpr double alike = 1.5;
  if (!answer.asked.accuracy || most <= alike * least) return "";
  std::string each;
  for (const double grid : grids) each += fmt::format("{}{:.3g}", each.empty() ? "" : ", ", grid);
  return fmt::format(
      "evaluated every {} rounds on average: in a run that is evaluated rarely, the accuracy is "
      "seen later than it is reached; compare runs of one evaluate.every",
      each);
}

// Ranks that a run leaves without clients, and runs whose rounds are no rounds of a network.
std::vector<std::string> notes_on_runs(const PredictAnswer& answer) {
  std::vector<std::string> notes;
  const int ranks = answer.networks.front().network.ranks();
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const RunTraffic& run = answer.runs[i];
    const long hosts = ranks - (run.server_hosts || ranks == 1 ? 0 : 1);
    if (run.clients < hosts)
      notes.push_back(fmt::format(
          "run {} has {}, so {} of {} hosting ranks have none and send nothing", i + 1,
          counted(static_cast<std::size_t>(run.clients), "client"), hosts - run.clients, hosts));
    if (run.on_a_clock)
      notes.push_back(fmt::format(
          "run {} is on the simulated clock; predicted is what simulating it would take on these "
          "ranks, where all contacts of a server step start together, not what its clients would",
          i + 1));
    if (run.is_simulated)
      notes.push_back(
          fmt::format("run {} was made on simulated ranks: its computing takes as long as the "
                      "simulation was told (trilemma show), not as long as a processor takes",
                      i + 1));
  }
  const auto differs = [&](const RunTraffic& run) { return run.data != answer.runs[0].data; };
  if (const auto other = std::ranges::find_if(answer.runs, differs); other != answer.runs.end())
    notes.push_back(
        fmt::format("run 1 was made on other data than run {} ('{}', '{}'): times do not "
                    "tell which method is faster",
                    other - answer.runs.begin() + 1, answer.runs[0].data, other->data));
  return notes;
}

std::string measuring_note(const PredictAnswer& answer) {
  constexpr double well_known = 0.1;
  const Network& network = answer.networks.front().network;
  const std::string& file = answer.asked.network;
  std::string note;
  if (!network.warning().empty())
    note = fmt::format("{} was measured with a warning ({}), so that predictions are unreliable",
                       file, network.warning());
  if (!(network.spread() > well_known)) return note;
  return fmt::format(
      "{}{}the times in {} are known to {:.0f} % only (half of an interval of 95 %, in the median "
      "of all sizes), and predictions no better; calibrate while nothing else runs, or with more "
      "--seconds",
      note, note.empty() ? "" : "; ", file, 100 * network.spread());
}

std::string fit_note(const PredictAnswer& answer) {
  const Network& network = answer.networks.front().network;
  const std::string remark = fit_remark(network.line(), network.line_error());
  if (network.is_measured() || answer.asked.network.empty() || remark.empty()) return "";
  return fmt::format("the line of {} is off by {:.0f} % in the median, and so may predictions be{}",
                     answer.asked.network, 100 * network.line_error(), remark);
}

std::string to_text(const PredictAnswer& answer) {
  std::string out = heading(answer);
  out += answer.networks.size() == 1 ? details(answer) : by_bandwidth(answer);
  if (const auto first = answer.networks.front().fastest();
      answer.networks.size() == 1 && answer.runs.size() > 1 && first)
    out += fmt::format("first: {}\n", first_text(answer.networks.front()));
  for (const Crossing& c : answer.crossings)
    out += fmt::format("run {} is faster than run {} below {}/s\n", c.below + 1, c.above + 1,
                       with_prefix(c.bandwidth, "bit"));
  std::vector<std::string> notes = notes_on_runs(answer);
  notes.insert(notes.begin(), grids_note(answer));
  notes.push_back(measuring_note(answer));
  notes.push_back(fit_note(answer));
  for (const std::string& note : notes)
    if (!note.empty()) out += "note: " + note + "\n";
  return out + "computing as fast as in the runs; without evaluation, recording and checkpoints\n";
}

}  // namespace trilemma
