#include "network/run_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/phase_timer.hpp"
#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "exchange/automatic.hpp"
#include "exchange/downlink.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/uplink.hpp"
#include "network/line.hpp"
#include "record/content_sum.hpp"
#include "record/graph_record.hpp"
#include "record/phase_times.hpp"
#include "record/privacy_group.hpp"
#include "record/run_identity.hpp"
#include "record/run_reader.hpp"
#include "schedule/graph.hpp"
#include "settings/settings.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_rows = std::uint64_t{1} << 26U;
Settings config_of(const h5::Group& file, const std::string& path) {
  return Settings::from_text(file.read_text("config"), path + ": /config");
}

// Reads the graph of a decentralised method from the settings.
void read_edges(const h5::Group& file, const Settings& config, RunTraffic& run) {
  Settings exchange = config.section("exchange");
  run.passes_rank_0 = choose(node_exchanges(), exchange, "nodes", node_exchanges().front().name, "")
                          .make.passes_rank_0;
  const GraphOptions options = read_graph(config);
  const auto nodes = static_cast<std::uint32_t>(run.clients);
  const auto seed = static_cast<std::uint64_t>(
      file.integer_attribute("seed", 0, std::numeric_limits<std::int64_t>::max()));
  for (const auto& [a, b] : options.edges(nodes, seed).edges) run.edges.push_back({a, b});
  if (const auto graph = read_graph_record(file)) run.spectral_gap = graph->spectral_gap;
}

// Work of a phase: of clients, of the server, or work that depends on the machine and the network.
enum class Work { client, server, neither };

Work work_of(std::string_view phase, bool server_perturbs, bool clients_decode) {
  if (phase == "perturb") return server_perturbs ? Work::server : Work::client;
  if (phase == "decode") return clients_decode ? Work::client : Work::server;
  if (phase == "server") return Work::server;
  constexpr std::string_view of_clients[] = {"local", "bound", "compress", "encode"};
  return std::ranges::find(of_clients, phase) != std::end(of_clients) ? Work::client
                                                                      : Work::neither;
}

// Row 0 is the initialisation.
void add_seconds(const h5::Group& file, bool server_perturbs, RunTraffic& run) {
  constexpr std::uint64_t rows_at_once = 256;
  std::vector<Work> work;
  for (const auto& name : file.read_texts("phases/name"))
    work.push_back(work_of(name, server_perturbs, run.sums_on_ranks || run.is_decentralised()));
  const h5::Dataset seconds = file.open_dataset("phases/seconds");
  const auto extents = phase_extents(seconds);
  require(extents[2] == work.size() && extents[0] >= run.rows.size(),
          "{}: its phase times do not fit its rounds; run it again with timing.enabled = true",
          run.path);
  const auto width = static_cast<std::size_t>(extents[1] * extents[2]);
  // The mean over the ranks, times their number, is what they took together.
  const double ranks = has_summarised_phases(file) ? file.number_attribute("ranks") : 1;
  RunTraffic::Row total;
  bool is_timed = run.rows.size() < 2;
  for (std::size_t at = 1; at < run.rows.size(); at += rows_at_once) {
    const std::uint64_t count = std::min<std::uint64_t>(rows_at_once, run.rows.size() - at);
    const auto part = seconds.read_rows<double>(extents, at, count);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Work of = work[i % work.size()];
      const bool is_server = i % width < work.size();  // rank 0
      if (!std::isnan(part[i])) {
        is_timed = true;
        if (of == Work::client) total.client_seconds += ranks * part[i];
        if (of == Work::server && is_server) total.server_seconds += ranks * part[i];
      }
      if ((i + 1) % width != 0) continue;
      RunTraffic::Row& row = run.rows[at + i / width];
      row.client_seconds = total.client_seconds;
      row.server_seconds = total.server_seconds;
    }
  }
  require(
      is_timed,
      "{}: it has no phase times, which predictions need; run it with timing.enabled = true and "
      "without privacy.strict",
      run.path);
}

// A model is sent either to all clients or to the participants; with fewer receivers than clients,
// the bytes per client are less than a model.
double bytes_of_a_model(const h5::Group& file, const RunTraffic& run, double bits_down) {
  const RunTraffic::Row& last = run.rows.back();
  const double to_all = bits_down / bits_per_byte /
                        ((last.round - run.rows.front().round) * static_cast<double>(run.clients));
  Settings config = config_of(file, run.path);
  Settings exchange = config.section("exchange");
  const auto& down = choose(downlinks(), exchange, "down", downlinks().front().name, "").make;
  if (down.reaches_everyone || to_all >= static_cast<double>(run.dimension) * sizeof(float))
    return to_all;
  return bits_down / bits_per_byte / last.messages;
}

void read_rounds(const h5::Group& file, RunTraffic& run) {
  auto column = [&](const char* name) { return file.read_numbers(name, most_rows); };
  for (const char* needed :
       {"rounds/messages", "rounds/bits_up_payload", "rounds/bits_down_payload"})
    require(file.has_member(needed),
            "{}: privacy.strict has omitted /{}, without which nothing can be predicted; run it "
            "without privacy.strict",
            run.path, needed);
  const auto round = column("rounds/round");
  const auto messages = column("rounds/messages");
  const auto up = column("rounds/bits_up_payload");
  const auto down = column("rounds/bits_down_payload");
  auto accuracy =
      file.has_member("rounds/accuracy") ? column("rounds/accuracy") : std::vector<double>();
  accuracy.resize(round.size(), std::numeric_limits<double>::quiet_NaN());
  require(
      messages.size() == round.size() && up.size() == round.size() && down.size() == round.size(),
      "{}: columns of different lengths; run it again", run.path);
  require(round.size() > 1 && messages.back() > 0,
          "{}: no message was sent in it, so that there is nothing to predict", run.path);
  for (std::size_t i = 0; i < round.size(); ++i)
    run.rows.push_back(
        {.round = round[i], .accuracy = accuracy[i], .messages = messages[i], .bits_up = up[i]});
  run.model_bytes = bytes_of_a_model(file, run, down.back());
  if (!file.has_member("rounds/bits_up_masks")) return;
  const double client_rounds = (round.back() - round.front()) * static_cast<double>(run.clients);
  run.mask_bytes_up = column("rounds/bits_up_masks").back() / bits_per_byte / client_rounds;
  run.mask_bytes_down = column("rounds/bits_down_masks").back() / bits_per_byte / client_rounds;
}

// Returns the bytes that a rank contributes if sums are exchanged: as counted, or, in a run of one
// process, one number per coordinate.
double bytes_of_a_sum(const h5::Group& file, const RunTraffic& run) {
  if (run.ranks < 2 || !file.has_member("mpi/bits_up"))
    return static_cast<double>(run.dimension) * sizeof(double);
  const auto booked = file.read_numbers("mpi/bits_up", most_rows);
  const double rounds = run.rows.back().round - run.rows.front().round;
  return booked.empty()
             ? 0
             : booked.back() / bits_per_byte / rounds / static_cast<double>(run.ranks - 1);
}

// Returns the settings that determine which records were read or generated, but not their scaling,
// partition or split for tests.
std::map<std::string, std::string> data_settings_of(const Settings& config) {
  std::map<std::string, std::string> found;
  for (const auto& entry : config.entries()) {
    const std::string_view key = key_name(entry.path);
    if (!is_in_section(entry.path, "data") || key == "scaling" || key == "test_share" ||
        key == "seed")
      continue;
    for (const auto& value : entry.values) found[entry.path] += value.toml + " ";
  }
  return found;
}

RunTraffic traffic_of(const std::string& path) {
  constexpr std::int64_t most = std::int64_t{1} << 33U;
  const h5::File file = open_run_file(path);
  require(content_of(file) != Content::changed, "{}", changed_content(path));
  RunTraffic run;
  run.path = path;
  run.method = file.text_attribute("method");
  run.compressor = file.text_attribute("compressor");
  run.compressor_kind = file.text_attribute("compressor_kind");
  run.compressor_label = file.text_attribute("compressor_label");
  run.data = file.text_attribute("data");
  run.data_settings = data_settings_of(config_of(file, path));
  run.ranks = file.integer_attribute("ranks", 1, most);
  run.clients = file.integer_attribute("clients", 1, most);
  run.dimension = file.integer_attribute("dimension", 0, most);
  Settings config = config_of(file, path);
  run.server_hosts = config.flag("server_hosts", false, "");
  Settings exchange = config.section("exchange");
  if (file.has_member("mpi/bits_neighbours")) {
    read_edges(file, config, run);
    run.exchange = exchange.text("nodes", node_exchanges().front().name, "");
  } else {
    const h5::Group environment = file.open_group("environment");
    run.exchange = choose(uplink_choices(), exchange, "up", uplinks().front().name, "").name;
    const auto recorded = read_fields(environment, uplink_fields());
    if (run.exchange == automatic && recorded) run.exchange = recorded->uplink;
    if (!is_uplink(run.exchange)) environment.refuse("@uplink", "an unknown uplink");
    run.sums_on_ranks = row(uplinks(), run.exchange).make.sums_on_ranks;
  }
  run.on_a_clock = file.has_member("rounds/simulated_time");
  run.is_simulated = file.has_member("environment/simulation");
  std::optional<PrivacyProblem> problem;
  const bool server_perturbs = read_privacy(file, problem).noise_place == "server";
  read_rounds(file, run);
  add_seconds(file, server_perturbs, run);
  if (run.sums_on_ranks) run.sum_bytes = bytes_of_a_sum(file, run);
  return run;
}

}  // namespace

void RunTraffic::persist(State& state) {
  for (std::string* text :
       {&path, &method, &compressor, &compressor_kind, &compressor_label, &exchange, &data})
    state.values(*text);
  std::map<std::string, std::string> restored;
  std::size_t count = data_settings.size();
  state.value(count);
  auto setting = data_settings.begin();
  for (std::size_t i = 0; i < count; ++i) {
    std::pair<std::string, std::string> one;
    if (setting != data_settings.end()) one = *setting++;
    state.values(one.first);
    state.values(one.second);
    restored.insert(std::move(one));
  }
  data_settings = std::move(restored);
  for (long* number : {&ranks, &clients, &dimension}) state.value(*number);
  state.value(server_hosts);
  state.value(sums_on_ranks);
  state.value(on_a_clock);
  state.value(is_simulated);
  state.value(sum_bytes);
  state.value(model_bytes);
  state.value(mask_bytes_up);
  state.value(mask_bytes_down);
  state.values(edges);
  state.value(passes_rank_0);
  state.value(spectral_gap);
  state.values(rows);
}

RunTraffic read_traffic(const std::string& path) {
  return found_in_subprocess(path, [&path] { return traffic_of(path); });
}

}  // namespace trilemma
