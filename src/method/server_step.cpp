#include "method/server_step.hpp"

#include <cmath>

#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

void move(View x, double rate, std::span<const double> direction) {
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = static_cast<real>(static_cast<double>(x[j]) - rate * direction[j]);
}

class GradientStep final : public ServerStep {
 public:
  explicit GradientStep(double rate) : rate_(rate) {}
  void apply(std::uint32_t, View x, std::span<const double> direction) override {
    move(x, rate_, direction);
  }

 private:
  double rate_;
};

class AveragingStep final : public ServerStep {
 public:
  AveragingStep(const Rate& rate, double momentum, bool normalise)
      : rate_(rate), momentum_(momentum), normalise_(normalise) {}

  void apply(std::uint32_t round, View x, std::span<const double> direction) override {
    const std::span<const double> along = momentum_ == 0 ? direction : accumulated(direction);
    double rate = rate_.at(round);
    if (normalise_) {
      const double norm = std::sqrt(norm_squared<double>(along));
      if (norm == 0) return;
      rate /= norm;
    }
    move(x, rate, along);
  }
  void persist(State& state) override { state.values(buffer_); }

 private:
  std::span<const double> accumulated(std::span<const double> direction) {
    buffer_.resize(direction.size());
    for (std::size_t j = 0; j < buffer_.size(); ++j)
      buffer_[j] = momentum_ * buffer_[j] + direction[j];
    return buffer_;
  }

  Rate rate_;
  double momentum_;
  bool normalise_;
  std::vector<double> buffer_;
};

class RecursiveStep final : public ServerStep {
 public:
  RecursiveStep(double rate, const Recursion& recursion) : rate_(rate), recursion_(recursion) {}

  void prepare(const StepSetup& setup) override { estimate_.assign(setup.dimension, 0.0); }
  void apply(std::uint32_t round, View x, std::span<const double> direction) override {
    const double kept = recursion_.is_anchor(round) ? 0 : 1 - recursion_.fresh;
    for (std::size_t j = 0; j < estimate_.size(); ++j)
      estimate_[j] = kept == 0 ? direction[j] : direction[j] + kept * estimate_[j];
    move(x, rate_, estimate_);
  }
  void persist(State& state) override { state.values(estimate_); }

 private:
  double rate_;
  Recursion recursion_;
  std::vector<double> estimate_;  ///< v
};

}  // namespace

Rate read_server_rate(Settings server, const Rate& local, const AveragingDefaults& defaults) {
  constexpr const char* help = "beta: step size of the server; local = local.rate with its decay";
  if (defaults.is_local) {
    const auto given = server.number_or("rate", "local", positive(), help);
    if (!given) return local;
    return read_decay(server, *given);
  }
  return read_decay(server, server.number("rate", defaults.rate, positive(), help));
}

Choice<ServerStep> make_constant_step(double rate) {
  return Choice<ServerStep>([rate] { return std::make_unique<GradientStep>(rate); });
}

Choice<ServerStep> make_recursive_step(double rate, const Recursion& recursion) {
  return Choice<ServerStep>([=] { return std::make_unique<RecursiveStep>(rate, recursion); });
}

double read_gradient_rate(Settings& experiment) {
  return experiment.section("server").number("rate", 0.3, positive(),
                                             "eta: step size of the server");
}

Choice<ServerStep> make_gradient_step(Settings& experiment) {
  return make_constant_step(read_gradient_rate(experiment));
}

Choice<ServerStep> make_averaging_step(Settings& experiment, const Rate& local,
                                       const AveragingDefaults& defaults) {
  Settings server = experiment.section("server");
  const Rate rate = read_server_rate(server, local, defaults);
  const double momentum =
      server.number("momentum", 0.0, {.low = 0, .high = 1, .high_open = true},
                    "mu: momentum, the share of the previous direction that the server adds");
  const bool normalise =
      server.flag("normalise", false,
                  "normalise the direction, so that every server step has length server.rate");
  return Choice<ServerStep>(
      [=] { return std::make_unique<AveragingStep>(rate, momentum, normalise); });
}

void read_recursion(Settings& local, Recursion& recursion) {
  recursion.anchor_batch =
      local
          .integer_or("anchor_batch", "batch", at_least(1),
                      "b_1: records in a minibatch of an anchor round, expected or exact")
          .value_or(0);
  recursion.lipschitz = local.number_or(
      "lipschitz", "none", positive(),
      "public estimate of the Lipschitz constant of a record's gradient: later rounds clip the "
      "difference of a record's gradients to it times the model's last move, and their noise "
      "follows");
}

}  // namespace trilemma
