#include "tests/claim_oracle/random_plans.hpp"

#include <cmath>
#include <random>

#include "compress/compressor.hpp"
#include "data/partition.hpp"
#include "local/sampler.hpp"
#include "method/method.hpp"
#include "privacy/bound.hpp"
#include "privacy/joint.hpp"
#include "schedule/schedule.hpp"

namespace trilemma::claims {
namespace {

/// Draws with laws of its own: those of the standard library differ between libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double p) { return uniform() < p; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  long whole(double low, double high) { return std::lround(log_uniform(low, high)); }
  template <class List>
  auto one_of(const List& list) {
    return list[static_cast<std::size_t>(uniform() * static_cast<double>(list.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Returns the names of the samplers whose draws are independent of each other, as estimators need.
std::vector<std::string> independent_samplers() {
  std::vector<std::string> found;
  for (const auto& row : samplers())
    if (!row.make()->shuffles()) found.emplace_back(row.name);
  return found;
}

using Words = std::vector<std::string>;

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : dice(seed) {}

  Request write() {
    method_ = dice.one_of(names(methods()));
    set("method", method_);
    sizes();
    data();
    if (!noisy()) return request_;
    privacy();
    participation();
    bound();
    if (!of_records() && dice.chance(0.25))
      joint();
    else
      compressor();
    local();
    start();
    if (!is_joint_) noise();
    return request_;
  }

 private:
  template <class Value>
  void set(const char* key, const Value& value) {
    request_.overrides.push_back(fmt::format("{}={}", key, value));
  }
  /// Methods without noise have no keys of privacy; once in a while they are given some all the
  /// same.
  bool noisy() {
    for (const char* plain : {"gd", "compressed-gd", "diana", "ef21", "marina", "fedavg", "fedprox",
                              "scaffold", "local", "beer", "porter-gc"})
      if (method_ == plain) return dice.chance(0.1);
    return true;
  }
  bool of_records() const {
    return method_.starts_with("ldp") || method_.starts_with("cdp") || method_.starts_with("sot") ||
           is_decentralised() || is_central();
  }
  bool is_decentralised() const {
    for (const char* of_nodes : {"dsgd", "choco-sgd", "d2", "deepsqueeze", "gradient-tracking",
                                 "porter-dp", "motef", "sdm-dsgd", "q-dpsgd-1"})
      if (method_ == of_nodes) return true;
    return false;
  }
  bool is_central() const {
    return method_ == "rrpsgd" || method_ == "dp-sgd" || method_ == "dp-gd" ||
           method_.starts_with("dp-srm");
  }

  void sizes() {
    clients_ = dice.chance(0.1) ? 1 : dice.whole(1, 1000);
    request_.least = dice.whole(1, 2000);
    request_.most = request_.least * (dice.chance(0.5) ? 1 : dice.whole(1, 60));
    set("rounds", dice.chance(0.15) ? 1 : dice.whole(1, 2000));
    set("clients", clients_);
  }
  void data() {
    if (dice.chance(0.12)) {
      set("data.source", "quadratics");
      set("data.functions", clients_);
      set("problem.kind", "linear");
      return;
    }
    set("data.rows", clients_ * (request_.least + request_.most) / 2 + 1);
    set("data.features", 20);
    set("partition.kind", dice.one_of(names(partitions())));
    if (dice.chance(0.25)) set("problem.lambda", dice.log_uniform(1e-3, 1e9));
  }
  /// Mostly sigma itself, some standard deviations of what a unit moves in a round: to look for the
  /// sigma of an epsilon takes the accountants twenty times as long.
  void noise() {
    const double way = dice.uniform();
    if (way < 0.8) {
      const double among =
          is_central() ? static_cast<double>(clients_) * (method_ == "dp-gd" ? 1.0 : batch_) : 1;
      const double moved = threshold_ / among /
                           (of_records()       ? batch_
                            : dice.chance(0.5) ? 1.0
                                               : share_);
      set("privacy.sigma",
          moved * (dice.chance(0.1) ? dice.log_uniform(1e-8, 1e-2) : dice.log_uniform(0.3, 100)));
      return;
    }
    set("privacy.epsilon", dice.log_uniform(0.05, 50));
    if (way > 0.9) set("privacy.calibration", "paper");
    if (way > 0.97) set("privacy.constant", dice.log_uniform(0.1, 100));
  }
  void privacy() {
    const auto units = static_cast<double>(of_records() ? request_.most : clients_);
    if (dice.chance(0.97))
      set("privacy.delta", dice.chance(0.3) ? std::min(0.5, dice.log_uniform(0.01, 3) / units)
                                            : dice.log_uniform(1e-12, 0.5));
    if (dice.chance(0.3))
      set("privacy.relation", dice.one_of(Words{"add_remove", "zero_out", "replace_one"}));
    place();
    if (dice.chance(0.25)) set("privacy.rng", "chacha20");
    if (dice.chance(0.04)) set("privacy.noise_mode", "total_norm");
  }
  /// View and place of the noise: mostly such as go together.
  void place() {
    const Words views{"V_server", "V_aggregate", "V_others"}, places{"client", "server"};
    if (dice.chance(of_records() ? 0.95 : 0.4)) return;
    if (dice.chance(0.1)) {
      set("privacy.view", dice.one_of(views));
      set("privacy.noise_at", dice.one_of(places));
    } else if (dice.chance(0.5)) {
      set("privacy.noise_at", "client");
      if (dice.chance(0.3)) set("privacy.view", "V_aggregate");
      if (dice.chance(0.7)) set("privacy.relation", dice.one_of(Words{"zero_out", "replace_one"}));
    } else {
      set("privacy.noise_at", "server");
      if (dice.chance(0.4)) set("privacy.view", "V_aggregate");
    }
  }
  void participation() {
    share_ = static_cast<double>(clients_);
    if (is_decentralised() || dice.chance(of_records() ? 0.7 : 0.25)) return;
    const std::string kind = dice.one_of(names(schedules()));
    set("participation.kind", kind);
    if (kind == "poisson") {
      const double rate = dice.log_uniform(1e-3, 1);
      set("participation.rate", rate);
      share_ = rate * static_cast<double>(clients_);
    }
    if (kind == "drop-outs") {
      const double dropped = dice.log_uniform(1e-3, 0.9);
      set("participation.probability", dropped);
      share_ = (1 - dropped) * static_cast<double>(clients_);
    }
    if (kind == "fixed-size") {
      const long size = dice.whole(1, static_cast<double>(clients_));
      set("participation.size", size);
      share_ = static_cast<double>(size);
    }
  }
  void bound() {
    if (dice.chance(of_records() ? 0.3 : 0.02)) set("bound.kind", dice.one_of(names(bounds())));
    if (dice.chance(0.3)) return;
    threshold_ = dice.log_uniform(1e-2, 10);
    set("bound.threshold", threshold_);
  }
  void compressor() {
    if (method_ == "gd" || method_ == "dsgd" || method_ == "d2" || method_ == "gradient-tracking" ||
        method_ == "q-dpsgd-1" || method_.starts_with("ldp") || is_central() || dice.chance(0.3))
      return;
    const std::string kind = dice.one_of(names(compressors()));
    set("compressor.kind", kind);
    if (kind == "rand-k" && dice.chance(0.5)) set("compressor.k", dice.whole(1, 20));
  }
  /// A joint mechanism chooses its noise for an epsilon.
  void joint() {
    is_joint_ = true;
    const std::string kind = dice.one_of(names(joints()));
    set("joint.kind", kind);
    set("privacy.epsilon", dice.log_uniform(0.05, 50));
    if (kind == "none") return;
    if (kind == "sqkr" || kind == "privunit") {
      if (dice.chance(0.3)) return;
      set("privacy.view", "V_shuffled");
      set("privacy.noise_at", "client");
      set("privacy.relation", dice.one_of(Words{"zero_out", "replace_one"}));
      return;
    }
    const bool has_words = kind == "ddgauss" || kind == "skellam";
    if (has_words && dice.chance(0.5)) set("joint.bits", dice.whole(4, 24));
    if (has_words && dice.chance(0.3)) set("joint.wrap", dice.log_uniform(1, 20));
    if (!has_words && dice.chance(0.5)) set("joint.range", dice.log_uniform(1, 10));
    if (kind == "pbm" && dice.chance(0.5)) set("joint.trials", dice.whole(1, 20));
    const bool is_masked = kind == "csgm" || kind == "blocks";
    if (is_masked && dice.chance(0.7)) set("joint.rate", dice.log_uniform(0.01, 1));
    if (kind == "blocks" && dice.chance(0.7)) set("joint.block", dice.whole(1, 30));
    if (is_masked || kind == "layered" || dice.chance(0.5)) return;
    set("secagg.kind", dice.one_of(Words{"masks", "counted"}));
    if (dice.chance(0.7)) set("secagg.corrupt", dice.log_uniform(0.01, 0.9));
    if (dice.chance(0.7)) set("secagg.dropouts", dice.log_uniform(0.01, 0.9));
  }
  void local() {
    if (of_records() && !method_.ends_with("-gd")) {
      set("local.batch",
          dice.chance(0.1) ? request_.least : dice.whole(1, static_cast<double>(request_.least)));
      if (dice.chance(0.35)) set("local.sampling", dice.one_of(independent_samplers()));
      if (method_.starts_with("dp-srm") && dice.chance(0.7))
        set("local.fresh", dice.chance(0.2) ? 1.0 : dice.log_uniform(0.01, 1));
      if (method_ == "ldp-spider" && dice.chance(0.7)) set("local.period", dice.whole(1, 30));
      if ((method_.starts_with("dp-srm") || method_ == "ldp-spider") && dice.chance(0.5))
        set("local.anchor_batch", dice.whole(1, static_cast<double>(request_.least)));
      if (method_.ends_with("svrg") && dice.chance(0.3))
        set("local.snapshot_probability", dice.uniform());
    } else if (method_.starts_with("dp-") && dice.chance(0.1)) {
      set("local.steps", dice.whole(1, 50));
    }
    if (method_ == "pmtl" && dice.chance(0.3)) set("local.update", "own");
  }
  void start() {
    if (dice.chance(0.1)) set("start.scale", dice.uniform());
    if (dice.chance(0.04)) set("start.at", "optimum");
    if (dice.chance(0.03))
      set("start.file", TRILEMMA_SOURCE_DIR "/jobs/experiments/sot-x0-d124.txt");
  }

  Dice dice;
  Request request_;
  std::string method_;
  long clients_ = 1;
  bool is_joint_ = false;
  double share_ = 1, threshold_ = 1, batch_ = 1;
};

}  // namespace

Request random_request(std::uint64_t seed, std::uint64_t number) {
  return Writer(seed * 0x9E3779B97F4A7C15 + number).write();
}

}  // namespace trilemma::claims
