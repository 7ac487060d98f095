#include "tests/claim_oracle/facts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "settings/settings.hpp"

namespace trilemma::claims {
namespace {

/// The values of a configuration by their dotted keys.
class Values {
 public:
  explicit Values(const std::string& config) {
    for (const SettingEntry& entry : Settings::from_text(config, "resolved").entries())
      if (!entry.values.empty()) value_[entry.path] = entry.values.front();
  }
  std::string text(const std::string& key, const std::string& absent = "") const {
    const auto at = value_.find(key);
    if (at == value_.end()) return absent;
    const auto* found = std::get_if<std::string>(&at->second.value);
    return found == nullptr ? absent : *found;
  }
  double number(const std::string& key, double absent) const {
    const auto at = value_.find(key);
    if (at == value_.end()) return absent;
    if (const auto* found = std::get_if<double>(&at->second.value)) return *found;
    if (const auto* found = std::get_if<std::int64_t>(&at->second.value))
      return static_cast<double>(*found);
    return absent;
  }
  long integer(const std::string& key, long absent) const {
    return std::lround(number(key, static_cast<double>(absent)));
  }

 private:
  std::map<std::string, SettingValue> value_;
};

/// The bound of a method that leaves no choice, else the one that the settings name.
std::string bound_of(const std::string& method, const Values& values) {
  const auto one_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), method) != names.end();
  };
  if (one_of({"ldp-spider", "dp-sgd", "dp-gd", "rrpsgd", "dp-srm", "dp-srm-distributed"}))
    return "clip-record";
  if (method == "dp-normfedavg") return "normalise-client";
  if (method == "dp-fedavg-smooth" || method.ends_with("normec") || method.ends_with("normec-ig"))
    return "smooth-normalise-client";
  if (one_of({"dp-fedavg-clip", "clip21", "pmtl", "pp-sgd", "naive-dp-mtl", "dp-scaffold",
              "dp-decomfl"}))
    return "clip-client";
  if (one_of({"gd", "compressed-gd", "diana", "ef21", "marina", "fedavg", "fedprox", "scaffold",
              "local", "beer", "decomfl"}))
    return "none";
  if (method == "porter-gc") return "clip-estimator";
  return values.text("bound.kind", "clip-record");
}

}  // namespace

std::string_view Facts::estimator() const {
  for (const char* kind : {"svrg", "saga"})
    if (method.ends_with(kind)) return kind;
  return method == "gd" || method.ends_with("-gd") ? "gd" : "sgd";
}

bool Facts::is_central() const {
  return method == "rrpsgd" || method == "dp-sgd" || method == "dp-gd" ||
         method.starts_with("dp-srm");
}

bool Facts::keeps_private_state() const {
  return method == "pmtl" || method == "pp-sgd" || method == "dp-scaffold" ||
         method == "scaffold" || memory == "residual" || memory == "error-feedback" ||
         estimator() == "saga";
}

double Facts::share() const {
  if (participation == "poisson") return rate;
  if (participation == "drop-outs") return 1 - dropped;
  if (participation == "fixed-size")
    return static_cast<double>(size) / static_cast<double>(clients);
  return 1;
}

Facts read_facts(const std::string& config) {
  const Values values(config);
  Facts f;
  f.method = values.text("method");
  f.relation = values.text("privacy.relation");
  f.view = values.text("privacy.view");
  f.noise_at = values.text("privacy.noise_at");
  f.noise_mode = values.text("privacy.noise_mode", "per_coordinate");
  f.rng = values.text("privacy.rng", "philox");
  f.calibration = values.text("privacy.calibration");
  f.participation = values.text("participation.kind", "full");
  f.sampling = values.text("local.sampling", "poisson");
  f.bound = bound_of(f.method, values);
  f.memory = values.text("memory.kind", "none");
  f.start_file = values.text("start.file");
  f.start_at_optimum = values.text("start.at", "zero") == "optimum";
  f.problem = values.text("problem.kind", "logistic");
  f.threshold = values.number("bound.threshold", 1);
  f.rate = values.number("participation.rate", 1);
  f.size = values.integer("participation.size", 1);
  f.clients = values.integer("clients", 1);
  f.rounds = values.integer("rounds", 1);
  f.batch = values.integer("local.batch", 1);
  f.joint = values.text("joint.kind", "none");
  f.dropped = values.number("participation.probability", 0);
  f.is_hidden = values.text("secagg.kind", "none") != "none";
  for (const char* key : {"secagg.corrupt", "secagg.dropouts"})
    f.missing += static_cast<long>(values.number(key, 0) * static_cast<double>(f.clients) + 1e-9);
  f.delta = values.number("privacy.delta", 0);
  f.anchor_batch = values.integer("local.anchor_batch", f.batch);
  if (f.method.starts_with("dp-srm")) f.fresh = values.number("local.fresh", 0.1);
  if (f.method == "ldp-spider") {
    f.fresh = 0;
    f.period = values.integer("local.period", 8);
  }
  f.regulariser = f.problem == "logistic" ? values.number("problem.lambda", 0) : 0;
  return f;
}

double radius_of_bits(int bits) { return std::sqrt(2 * (bits + 1) * std::numbers::ln2); }

}  // namespace trilemma::claims
