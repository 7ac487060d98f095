#pragma once
// Drivers take an assembled federation from server step to server step: in rounds, on a simulated
// clock, in real time, or without a server.

#include <optional>
#include <string>

#include "federation/round.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Why a run cannot go on after `round` rounds.
struct DriverFailure {
  std::uint32_t round;
  std::string reason;  ///< on rank 0
};

/// Takes a federation from server step to server step. The loop of a run evaluates, records,
/// writes checkpoints and stops between two calls, the same way for all drivers.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Returns the number of server steps taken.
  virtual std::uint32_t step() const = 0;
  /// Runs until `step` server steps are taken, or returns earlier after at least one. Collective:
  /// all ranks enter and leave together.
  virtual void run_until(std::uint32_t step, PhaseTimer& timer) = 0;
  /// Returns true if ranks do not wait for each other within run_until(), so that a call should
  /// ask for many steps.
  virtual bool runs_free() const { return false; }
  /// Sets a function that run_until() calls on every rank after each of its steps but the last.
  /// Drivers that take one step a call ignore it.
  virtual void on_row_end(std::function<void()>) {}
  /// Returns the contacts of each server step, on rank 0 of a driver whose contacts do not follow
  /// from the settings; otherwise nothing.
  virtual std::span<const TimedStep> server_steps() const { return {}; }
  /// Updates model() where the state of a step does not include it. Called on all ranks before
  /// model() is used; collective.
  virtual void gather_model() {}
  /// Returns the first failure of a round that ranks have noticed on their own and gone on after,
  /// the same on every rank. Called before a state is evaluated and before rows are delivered;
  /// collective.
  virtual std::optional<DriverFailure> failure() { return std::nullopt; }
  /// Returns the state that is evaluated and with which a run ends, on rank 0; on other ranks,
  /// memory of the same size.
  virtual View model() = 0;

  /// Records the driver's metrics of the state under evaluation, which every rank has. Called on
  /// all ranks.
  virtual void observe_state() {}

  /// Saves or restores the state that is equal on every rank, starting with step().
  virtual void persist(State& common) = 0;
  /// Saves or restores the server's state, on rank 0.
  virtual void persist_server(State& server) = 0;
  /// Saves or restores the state of the client in `slot`.
  virtual void persist(std::size_t slot, State& client) = 0;
};

/// Arguments of a driver; all must outlive it.
struct DriverSetup {
  const Plan& plan;
  Assembly& parts;
  Ranks& ranks;
  const Placement& placement;
  UplinkTap* tap = nullptr;  ///< may be null
};

using DriverMaker = std::unique_ptr<Driver> (*)(const DriverSetup&);

/// Returns the table of drivers: synchronous, timed, asynchronous, gossip.
std::span<const Row<DriverMaker>> drivers();

/// Returns the driver of the plan's method.
std::unique_ptr<Driver> make_driver(const DriverSetup& setup);

}  // namespace trilemma
