// Commands about the network: calibrate measures it, predict estimates the time of runs on one.

#include <cctype>
#include <cstdio>
#include <memory>

#include "base/read_number.hpp"
#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "experiment/file_kind.hpp"
#include "network/network_file.hpp"
#include "network/predict_command.hpp"

namespace trilemma {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Prediction& p, const RunTraffic& run) {
  Json calls = Json::array();
  for (const Call& call : p.calls)
    calls.push_back({{"operation", operation_names[static_cast<std::size_t>(call.operation)]},
                     {"bytes", call.bytes},
                     {"algorithm", name(call.algorithm)},
                     {"server_bytes", call.server_bytes},
                     {"path_bytes", call.path_bytes},
                     {"seconds", call.seconds},
                     {"uncertainty", finite(call.doubt)}});
  return {{"rounds", p.rounds},
          {"compute", p.compute},
          {"down", p.down},
          {"up", p.up},
          {"seconds", p.seconds()},
          {"calls_per_round", calls},
          {"seconds_per_e_fold", finite(p.seconds_per_e_fold(run.spectral_gap))}};
}

Json to_json(const NetworkPrediction& at, const std::vector<RunTraffic>& runs) {
  Json predictions = Json::array();
  for (std::size_t i = 0; i < at.runs.size(); ++i)
    predictions.push_back(at.runs[i] ? to_json(*at.runs[i], runs[i]) : Json());
  const Network& network = at.network;
  const auto fastest = at.fastest();
  Json json = {{"ranks", network.ranks()},
               {"topology", topology_names[static_cast<std::size_t>(network.topology())]},
               {"algorithms", rule_names[static_cast<std::size_t>(network.rule())]},
               {"measured", network.is_measured()},
               {"measured_ranks", network.measured_ranks()},
               {"latency", network.line().latency},
               {"bandwidth", finite(bits_per_byte / network.line().seconds_per_byte)},
               {"predictions", predictions},
               {"first", fastest ? Json(*fastest) : Json()},
               {"unknown", Json::array()}};
  for (const Unknown& unknown : at.unknown())
    json["unknown"].push_back(
        {{"run", unknown.run},
         {"operation", operation_names[static_cast<std::size_t>(unknown.operation)]},
         {"bytes", unknown.bytes},
         {"uncertainty", finite(unknown.doubt)}});
  return json;
}

std::string to_json(const PredictAnswer& answer) {
  Json json = Json::object();
  json["accuracy"] = answer.asked.accuracy ? Json(*answer.asked.accuracy) : Json();
  json["runs"] = Json::array();
  for (const RunTraffic& run : answer.runs)
    json["runs"].push_back({{"file", run.path},
                            {"method", run.method},
                            {"compressor", run.compressor},
                            {"compressor_kind", run.compressor_kind},
                            {"compressor_label", run.compressor_label},
                            {"exchange", run.exchange}});
  json["networks"] = Json::array();
  for (const NetworkPrediction& at : answer.networks)
    json["networks"].push_back(to_json(at, answer.runs));
  json["crossings"] = Json::array();
  for (const Crossing& c : answer.crossings)
    json["crossings"].push_back({{"ranks", c.ranks},
                                 {"below", c.below},
                                 {"above", c.above},
                                 {"bandwidth", finite(c.bandwidth)}});
  std::string notes;
  for (const auto& note : notes_of(answer)) notes += (notes.empty() ? "" : "; ") + note;
  json["note"] = notes;
  return text_of(json);
}

void add_units(CLI::Option* option, const std::map<std::string, double>& units,
               const std::string& known) {
  option->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED));
  // This transform is added last, so it is applied first.
  const bool takes_several = option->get_expected_max() > 1;
  option->transform(CLI::Validator(
      [known, takes_several](std::string& text) {
        if (text.ends_with("/s")) text.resize(text.size() - 2);  // rates are printed with /s
        const bool has_unit =
            !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
        if (!has_unit) return text + ": the unit is missing; known are " + known;
        const auto end = text.find_last_of("0123456789. ") + 1;
        const auto first = text.find_first_not_of(" +");
        const auto last_digit = text.find_last_not_of(' ', end - 1) + 1;
        const std::string number =
            first < last_digit ? text.substr(first, last_digit - first) : std::string();
        return read_number(number).text == NumberText::number
                   ? std::string()
                   : text + ": not a number with a unit (" + known + ")" +
                         (takes_several ? "; several values are separated by blanks" : "");
      },
      ""));
}

}  // namespace

Command add_calibrate_command(CLI::App& parent, int argc, char** argv) {
  auto o = std::make_shared<CalibrateOptions>();
  auto* calibrate = parent.add_subcommand(
      "calibrate",
      "measure latency and bandwidth between the ranks of a job; run it under mpirun/srun");
  calibrate->add_option("--output", o->output, "HDF5 file to write")->capture_default_str();
  calibrate->add_option("--largest", o->largest, "size of the largest message")
      ->capture_default_str();
  calibrate
      ->add_option("--size", o->sizes,
                   "additional message size to measure, such as the size of the model of a "
                   "run (repeatable)")
      ->delimiter(',');
  calibrate
      ->add_option(
          "--seconds", o->seconds,
          "time to measure one operation at one message size; less if the median is known to "
          "within 2 % sooner, more if 6 calls take longer")
      ->capture_default_str();
  calibrate->add_flag("--overwrite", o->overwrite,
                      "replace an existing network file with this name");
  calibrate->add_flag("--json", o->json, "print the fitted latencies and bandwidths as JSON");
  calibrate->add_flag("--quiet", o->quiet, "print no progress and no table");
  add_mpi_flag(*calibrate);
  return {calibrate, [o, argc, argv] { return calibrate_command(*o, argc, argv); }};
}

Command add_predict_command(CLI::App& parent) {
  auto o = std::make_shared<PredictOptions>();
  auto json = std::make_shared<bool>(false);
  auto* predict = parent.add_subcommand(
      "predict", "predict how long runs take on another network, and which run finishes first");
  predict->add_option("file", o->runs, "run files")->required();
  predict->add_option("--network", o->network, "network file written by `trilemma calibrate`");
  add_units(predict->add_option("--latency", o->latency,
                                "one-way latency of each link, such as 5ms or 20us"),
            {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}, "s, ms, us");
  add_units(predict->add_option("--bandwidth", o->bandwidths,
                                "bandwidth of each link, such as 100Mbit; several values give a "
                                "table (default: 1Mbit to 100Gbit)"),
            {{"bit", 1}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}}, "bit, kbit, Mbit, Gbit");
  predict
      ->add_option(
          "--ranks", o->ranks,
          "number of ranks on the network; several, such as 60,120, give a table "
          "(default: as measured, or one for each client and one for the server, if there is one)")
      ->delimiter(',');
  predict->add_option("--topology", o->topology,
                      "star: all messages pass through the link of rank 0; tree: the MPI "
                      "library forwards messages; calibrated: as measured (default: "
                      "calibrated with --network, else star)");
  predict->add_option("--accuracy", o->accuracy,
                      "predict the time up to the first evaluation with this test accuracy "
                      "(default: whole runs)");
  predict->add_flag("--wide", o->is_wide, "print all networks with a column per run");
  predict->add_flag("--json", *json, "print JSON");
  return {predict, [o, json] {
            for (const auto& run : o->runs) require_run_file(run);
            const PredictAnswer answer = predict_answer(*o);
            print("{}", *json ? to_json(answer) : to_text(answer));
            return 0;
          }};
}

}  // namespace trilemma
