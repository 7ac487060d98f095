#pragma once

#include "driver/driver.hpp"

namespace trilemma {

/// A server step is a round, in which all participants start from the server's model and the server
/// waits for all of them.
class Rounds : public Driver {
 public:
  explicit Rounds(const DriverSetup& setup)
      : parts_(setup.parts), round_(setup.plan, setup.parts, setup.ranks, setup.tap) {}

  std::uint32_t step() const final { return step_; }
  void run_until(std::uint32_t step, PhaseTimer& timer) final;
  View model() final { return parts_.x; }
  void persist(State& common) final;
  void persist_server(State& server) final;
  void persist(std::size_t slot, State& client) final;

 private:
  /// The participants in the order in which every rank works, those of a rank side by side and the
  /// ranks ascending, as they are `drawn`; valid until the next call.
  virtual Coordinates order(std::uint32_t /*round*/, Coordinates drawn) { return drawn; }

  Assembly& parts_;
  Round round_;
  std::uint32_t step_ = 0;
};

}  // namespace trilemma
