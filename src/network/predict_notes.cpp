// Limitations of a prediction.

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "network/predict_command.hpp"

namespace trilemma {
namespace {

// Returns the mean number of rounds between evaluated states; 0 if there is at most one.
double grid_of(const RunTraffic& run) {
  const auto known = std::ranges::count_if(
      run.rows, [](const RunTraffic::Row& row) { return !std::isnan(row.accuracy); });
  const double rounds = run.rows.back().round - run.rows.front().round;
  return known > 1 ? rounds / static_cast<double>(known - 1) : 0;
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

std::string idle_note(const PredictAnswer& answer, std::size_t i) {
  const RunTraffic& run = answer.runs[i];
  int ranks = 0;
  for (const auto& at : answer.networks) ranks = std::max(ranks, at.network.ranks());
  const long hosts = ranks - (run.server_hosts || ranks == 1 ? 0 : 1);
  if (run.clients >= hosts) return "";
  return fmt::format("run {} has {}, so {} of {} hosting ranks have none and send nothing", i + 1,
                     counted(static_cast<std::size_t>(run.clients), "client"), hosts - run.clients,
                     hosts);
}

// Notes on ranks that a run leaves without clients, and on runs whose rounds are not network
// rounds.
void add_notes_on_runs(const PredictAnswer& answer, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const RunTraffic& run = answer.runs[i];
    notes.push_back(idle_note(answer, i));
    if (run.is_decentralised())
      notes.push_back(
          fmt::format("run {} has no server: \"updates up\" is the exchange between its nodes, in "
                      "which every rank sends its messages one after the other",
                      i + 1));
    if (run.on_a_clock)
      notes.push_back(fmt::format(
          "run {} is on the simulated clock; the prediction is the time to simulate it on these ranks, where all contacts of a server step start together, not the time of its clients",
          i + 1));
    if (run.is_simulated)
      notes.push_back(fmt::format(
          "run {} was made on simulated ranks: its computing times are those given to the simulation (trilemma show), not those of a processor",
          i + 1));
  }
  const auto differs = [&](const RunTraffic& run) {
    return run.data_settings != answer.runs[0].data_settings;
  };
  if (const auto other = std::ranges::find_if(answer.runs, differs); other != answer.runs.end())
    notes.push_back(fmt::format(
        "run 1 was made on other data than run {} ('{}', '{}'): times do not show which method is faster",
        other - answer.runs.begin() + 1, answer.runs[0].data, other->data));
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

// Returns the call with the largest error.
std::string unknown_note(const PredictAnswer& answer) {
  std::optional<Unknown> worst;
  for (const auto& at : answer.networks)
    for (const Unknown& one : at.unknown())
      if (!worst || one.doubt > worst->doubt) worst = one;
  if (!worst) return "";
  const std::string call =
      fmt::format("{} of {}", operation_names[static_cast<std::size_t>(worst->operation)],
                  with_prefix(worst->bytes, "B"));
  const std::string how = std::isfinite(worst->doubt)
                              ? fmt::format("known to {:.0f} % only, not to {:.0f} %",
                                            100 * worst->doubt, 100 * most_fit_error)
                              : "above the largest that was measured, where no bandwidth was found";
  return fmt::format(
      "{}the times in {} do not determine how long run {} takes: its {} is {}; calibrate while nothing else runs, with --size {:.0f}B",
      answer.runs.size() > 1 ? "no ranking: " : "", answer.asked.network, worst->run + 1, call, how,
      worst->bytes);
}

std::string beyond_note(const PredictAnswer& answer) {
  double most = 0;
  for (const auto& at : answer.networks)
    for (const auto& run : at.runs)
      for (const Call& call : run ? run->calls : std::vector<Call>())
        if (call.is_beyond) most = std::max(most, call.bytes);
  if (most == 0) return "";
  return fmt::format(
      "messages of {} are longer than all that were measured in {}: extrapolated; calibrate with "
      "--size {:.0f}B",
      with_prefix(most, "B"), answer.asked.network, most);
}

}  // namespace

std::vector<std::string> notes_of(const PredictAnswer& answer) {
  std::vector<std::string> notes{unknown_note(answer), grids_note(answer)};
  add_notes_on_runs(answer, notes);
  notes.push_back(measuring_note(answer));
  notes.push_back(beyond_note(answer));
  std::erase(notes, "");
  return notes;
}

}  // namespace trilemma
