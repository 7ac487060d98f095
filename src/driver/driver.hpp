#pragma once
// When what happens: between an assembled federation and the loop of a run.

#include "federation/round.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Takes a federation from server step to server step. The loop above it evaluates, records, saves
/// and stops, and knows nothing of what happens in between.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Server steps that are done.
  virtual std::uint32_t step() const = 0;
  /// Goes on until so many are done, or for a while. Collective: all ranks enter and leave
  /// together, but need not be in step in between.
  virtual void run_until(std::uint32_t step, PhaseTimer& timer) = 0;
  /// Ranks need not be in step: run_until() should be asked for many steps at once.
  virtual bool runs_free() const { return false; }
  /// What run_until() calls on every rank after each step but the last, where it takes several.
  virtual void on_row_end(std::function<void()>) {}
  /// Rank 0, of a driver whose contacts cannot be told from the settings: those of each step.
  virtual std::span<const TimedStep> server_steps() const { return {}; }
  /// What is evaluated and what a run ends with, where rank 0 has it; elsewhere room for it.
  virtual View model() = 0;

  /// Notes what it knows of the state that is being evaluated, which every rank has. On all ranks.
  virtual void observe_state() {}

  /// What a restart must find again: in common, equal on every rank; of the server, on rank 0; and
  /// of the client of a slot. In common the number of steps comes first.
  virtual void persist(State& common) = 0;
  virtual void persist_server(State& server) = 0;
  virtual void persist(std::size_t slot, State& client) = 0;
};

/// What a driver moves; all must outlive it.
struct DriverSetup {
  const Plan& plan;
  Assembly& parts;
  Ranks& ranks;
  const Placement& placement;
  UplinkTap* tap = nullptr;  ///< may be null
};

using DriverMaker = std::unique_ptr<Driver> (*)(const DriverSetup&);

/// synchronous, timed, asynchronous.
std::span<const Row<DriverMaker>> drivers();

/// That of the plan's method.
std::unique_ptr<Driver> make_driver(const DriverSetup& setup);

}  // namespace trilemma
