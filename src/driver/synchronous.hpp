#pragma once

#include "driver/driver.hpp"

namespace trilemma {

/// The driver of synchronous methods: a server step is a round, in which all participants start
/// from the server's model and the server waits for all of them. Tests derive from it to change the
/// order of the participants.
class Synchronous : public Driver {
 public:
  explicit Synchronous(const DriverSetup& setup)
      : parts_(setup.parts), round_(setup.plan, setup.parts, setup.ranks, setup.tap) {}

  std::uint32_t step() const final { return step_; }
  void run_until(std::uint32_t step, PhaseTimer& timer) final;
  View model() final { return parts_.x; }
  void persist(State& common) final;
  void persist_server(State& server) final;
  void persist(std::size_t slot, State& client) final;

 private:
  /// Returns the `drawn` participants in the order in which every rank works: grouped by rank,
  /// ranks ascending. Valid until the next call.
  virtual Coordinates order(std::uint32_t /*round*/, Coordinates drawn) { return drawn; }

  Assembly& parts_;
  Round round_;
  std::uint32_t step_ = 0;
};

}  // namespace trilemma
