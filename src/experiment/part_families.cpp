#include <algorithm>

#include "base/text.hpp"
#include "exchange/downlink.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/uplink.hpp"
#include "experiment/plan.hpp"
#include "experiment/read_plan.hpp"

namespace trilemma {
namespace {

template <class Maker>
PartFamily family(const char* name, std::span<const Row<Maker>> rows) {
  PartFamily out{name, {}};
  for (const auto& row : rows) out.parts.emplace_back(row.name, row.summary);
  return out;
}

PartFamily layer_family() {
  PartFamily out{"layers", {}};
  for (const LayerWords& one : layer_words()) out.parts.emplace_back(one.name, one.summary);
  return out;
}

}  // namespace

std::vector<PartFamily> part_families(const std::string& wanted) {
  const std::vector<PartFamily> all = {family("methods", methods()),
                                       family("estimators", estimators()),
                                       family("solvers", solvers()),
                                       family("finetunings", finetunings()),
                                       family("samplers", samplers()),
                                       family("bounds", bounds()),
                                       family("compressors", compressors()),
                                       family("joint-mechanisms", joints()),
                                       family("secure-aggregation", secure_sums()),
                                       family("memories", memories()),
                                       family("problems", problems()),
                                       layer_family(),
                                       family("sources", sources()),
                                       family("partitions", partitions()),
                                       family("participation", schedules()),
                                       family("uplinks", uplink_choices()),
                                       family("downlinks", downlinks()),
                                       family("graphs", graphs()),
                                       family("node-exchanges", node_exchanges())};
  if (wanted.empty()) return all;
  std::vector<std::string> names;
  for (const auto& one : all) {
    if (one.name == wanted) return {one};
    names.push_back(one.name);
  }
  throw UserError(
      fmt::format("{}: no such family of parts; {}", wanted,
                  did_you_mean(wanted, names, fmt::format("known are {}", join(names)))));
}

}  // namespace trilemma
