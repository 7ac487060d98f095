#pragma once
// What an adversary gets to see: messages, and the mean that enters the server's step.

#include "algorithm/method.hpp"
#include "audit/audit_plan.hpp"

namespace trilemma {

/// Decodes messages as the server does and frees them of the compressor's gain and of the shift,
/// which who reads all messages knows.
class MessageReader {
 public:
  explicit MessageReader(const Plan& plan);
  /// Begins a run of a plan: forgets the shifts.
  void begin(const Plan& plan);
  /// What a client has released in a round, by coordinate; NaN where nothing was sent. Valid until
  /// the next call.
  std::span<const double> read(std::span<const std::byte> bytes, std::uint32_t client,
                               std::uint32_t round);
  /// The client would send coordinate j in this round, as anybody knows who can draw masks.
  bool sends(std::uint32_t client, std::uint32_t round, std::size_t j);
  std::size_t bytes() const { return layout_.bytes(); }
  double gain() const { return gain_; }

 private:
  Compressor& compressor_;
  std::uint64_t seed_ = 0;
  Layout layout_;
  double gain_ = 1;
  double shift_step_ = 0;  ///< 0: no shift
  Message message_;
  std::vector<std::uint32_t> support_;
  std::vector<Vector> shift_;     ///< by client, as both ends of the link know it
  std::vector<double> released_;  ///< of one message
};

/// A server's step that remembers the direction it was given: the perturbed mean, behind the
/// server's memory.
class TappedStep final : public ServerStep {
 public:
  explicit TappedStep(std::unique_ptr<ServerStep> step) : step_(std::move(step)) {}
  void prepare(const StepSetup& setup) override { step_->prepare(setup); }
  void apply(std::uint32_t round, View x, std::span<const double> direction) override {
    seen_.assign(direction.begin(), direction.end());
    step_->apply(round, x, direction);
  }
  void persist(State& state) override { step_->persist(state); }
  const std::vector<double>& seen() const { return seen_; }

 private:
  std::unique_ptr<ServerStep> step_;
  std::vector<double> seen_;
};

}  // namespace trilemma
