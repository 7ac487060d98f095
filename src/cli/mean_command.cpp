#include <memory>

#include "audit/mean.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"

namespace trilemma {
namespace {

std::string to_json(const MeanOptions& o, const std::vector<MeanResult>& results) {
  nlohmann::ordered_json out{{"clients", o.clients},   {"dimension", o.dimension},
                             {"law", o.law},           {"norm", o.norm},
                             {"epsilon", o.epsilon},   {"delta", o.delta},
                             {"relation", o.relation}, {"repetitions", o.repetitions}};
  for (const MeanResult& r : results) {
    nlohmann::ordered_json one{{"mechanism", r.mechanism}, {"trusted", r.trusted}};
    if (r.refused.empty())
      one.update({{"bits", r.bits},
                  {"bits_of_masks", r.bits_of_masks},
                  {"error", r.error},
                  {"half_width", r.half_width},
                  {"expected", finite(r.expected)},
                  {"epsilon", r.epsilon}});
    else
      one["refused"] = r.refused;
    out["mechanisms"].push_back(one);
  }
  return text_of(out);
}

std::string to_text(const MeanOptions& o, const std::vector<MeanResult>& results) {
  std::string text = fmt::format(
      "Mean of {} vectors of norm {:g} in {} coordinates, ({:g}, {:g})-DP for one client, "
      "{}; {} repetitions\n\n{:<14} {:<19} {:>9} {:>7}  {:<24} {:>10} {:>8}\n",
      o.clients, o.norm, o.dimension, o.epsilon, o.delta, o.relation, o.repetitions, "mechanism",
      "trusted", "bits", "/coord.", "squared error", "formula", "epsilon");
  for (const MeanResult& r : results) {
    if (!r.refused.empty()) {
      text += fmt::format("{:<14} {:<19} {}\n", r.mechanism, r.trusted, r.refused);
      continue;
    }
    text += fmt::format("{:<14} {:<19} {:>9.0f} {:>7.3g}  {:<24} {:>10} {:>8.4g}\n", r.mechanism,
                        r.trusted, r.bits, r.bits / static_cast<double>(o.dimension),
                        fmt::format("{:.4g} +- {:.2g}", r.error, r.half_width),
                        std::isnan(r.expected) ? "" : fmt::format("{:.4g}", r.expected), r.epsilon);
  }
  if (const auto secure =
          std::ranges::find_if(results, [](const MeanResult& r) { return r.bits_of_masks > 0; });
      secure != results.end())
    text += fmt::format(
        "\nKeys and shares of secure aggregation are {:.0f} further bits of each client.\n",
        secure->bits_of_masks);
  // The bounds are of Chen, Kairouz and Ozgur 2020 and of Duchi, Jordan and Wainwright 2018.
  const double least = std::min(o.epsilon, o.epsilon * o.epsilon);
  const auto n = static_cast<double>(o.clients);
  const double scale = static_cast<double>(o.dimension) * o.norm * o.norm;
  return text +
         fmt::format(
             "\nThe answer 0 has an error of at most {:.4g}. Up to a constant, no mechanism has less "
             "than {:.2g} if a server, secure aggregation or a shuffler is trusted, and than {:.2g} "
             "if none is.\n",
             o.norm * o.norm, scale / (n * n * least), scale / (n * least));
}

}  // namespace

Command add_mean_command(CLI::App& parent, int argc, char** argv) {
  auto o = std::make_shared<MeanOptions>();
  auto json = std::make_shared<bool>(false);
  auto* mean = parent.add_subcommand(
      "mean", "estimate a mean with each private mechanism: error, bits and certified epsilon");
  mean->add_option("--clients", o->clients, "n: clients, each with one vector")
      ->capture_default_str();
  mean->add_option("--dimension", o->dimension, "d: coordinates")->capture_default_str();
  mean->add_option("--law", o->law, "law of the vectors (data.law of the source vectors)")
      ->capture_default_str();
  mean->add_option("--norm", o->norm, "C: norm of every vector, and of the bound")
      ->capture_default_str();
  mean->add_option("--epsilon", o->epsilon, "epsilon of the one round")->capture_default_str();
  mean->add_option("--delta", o->delta, "delta of the one round")->capture_default_str();
  mean->add_option("--relation", o->relation, "neighbours: replace_one or zero_out")
      ->capture_default_str();
  mean->add_option("--mechanism", o->mechanisms,
                   "mechanisms (default: all): " + join(mean_mechanisms()));
  mean->add_option(
      "--bits", o->bits,
      "bits of a coordinate, for mechanisms that have a choice (default: theirs); at most "
      "1 for csgm");
  add_overrides(*mean, o->overrides);
  mean->add_option("--repetitions", o->repetitions, "number of estimates, at least 2")
      ->capture_default_str();
  mean->add_flag("--json", *json, "print JSON");
  add_mpi_flag(*mean);
  return {mean, [o, json, argc, argv] {
            return mean_command(*o, argc, argv, [&](const std::vector<MeanResult>& results) {
              print("{}", *json ? to_json(*o, results) : to_text(*o, results));
            });
          }};
}

}  // namespace trilemma
