#pragma once
// What a run will take, estimated before it starts.

#include <optional>
#include <string>

#include "federation/assembly.hpp"

namespace trilemma {

/// Work of a run, in gradients of single records. In real time, contacts may interrupt local steps,
/// so that fewer are taken than counted here; estimators with several gradients of a record are
/// counted once.
struct RunCost {
  double gradients = 0;    ///< of all clients in all rounds, in expectation
  double evaluations = 0;  ///< gradients of training records for the objective
  double products = 0;     ///< multiply-adds of the loss of a record; 0 = not known
  double seconds = 0;      ///< of one gradient on this machine
  long hosts = 1;          ///< ranks that share the work

  /// Returns the expected duration in seconds, if the ranks have cores of their own and equal work.
  double duration() const;
};

/// Returns the work of a run without its time.
RunCost work_of(const Plan& plan, const Assembly& parts, const Placement& place);

/// Measures the time of a gradient on records of the first client of this rank, one block of them.
/// Returns 0 on a rank without clients, and where the whole run has fewer than a thousand blocks:
/// it is short, or its start would take a noticeable share of it.
double measured_gradient(const RunCost& work, Assembly& parts);

/// Returns a sentence on a run of at least ten minutes; empty for others.
std::string in_words(const RunCost& cost);

}  // namespace trilemma
