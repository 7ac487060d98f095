#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "settings/choice.hpp"

namespace trilemma {

/// Units of times on a simulated clock, and of times that were measured.
inline constexpr const char* simulated_units = "1";
inline constexpr const char* measured_units = "s";

/// A client update that enters a server step.
struct Contact {
  std::uint32_t client = 0;
  std::uint32_t base = 0;    ///< base version: server steps taken when the job's model was made
  std::uint32_t steps = 0;   ///< number of local steps of the update
  double factor = 1;         ///< factor of the update: 1 / alpha of [FAV] section 3
  double weight = 1;         ///< weight of the client in the server step
  std::uint32_t number = 0;  ///< number of the client's local job; addresses its minibatches
};

/// A server step: one update of the server's model.
struct TimedStep {
  double time = 0;                ///< time of its end: simulated, or seconds since the start
  std::vector<Contact> contacts;  ///< in ascending order of clients, at most one per client
};

/// A sequence of server steps that every rank computes for itself, without messages. It depends on
/// settings, seed or record alone, never on data records or models. No client begins a job at a
/// model that does not exist yet: every contact is checked for this, in every build.
class StepSequence {
 public:
  virtual ~StepSequence() = default;
  /// Computes the next server step. Throws std::logic_error if the job of a contact began before
  /// its model existed.
  void next(TimedStep& server_step);
  /// Returns the number of server steps so far.
  std::uint32_t step() const { return step_; }
  /// Returns the model versions on which clients have worked since their last contacts, and the
  /// number of these clients for each.
  const std::map<std::uint32_t, std::uint32_t>& at_work() const { return at_work_; }
  /// Returns whether a future contact is based on the existing model version `model`: a client
  /// works on it, or has begun a job at it while its previous update waits at the server.
  bool needs(std::uint32_t model) const;
  /// Returns all such versions: at most one per job, that is one per client, or two if a client
  /// continues while its update waits at the server.
  std::set<std::uint32_t> needed() const;
  /// Returns the expected number of contacts of a server step.
  virtual double expected() const = 0;
  /// Returns false if the number of contacts varies between server steps by design and not by
  /// chance.
  virtual bool contacts_alike() const { return true; }
  /// Returns false if clients may have begun at models that at_work() does not contain.
  virtual bool knows_all_work() const { return true; }
  /// Returns the units of TimedStep::time: 1 on a simulated clock, s if it was measured.
  virtual const char* units() const { return simulated_units; }
  /// Returns the number of models handed out before the first server step; must be called before
  /// it.
  virtual std::uint64_t handed_out() const;

 protected:
  /// Called when a client begins a job at `model`.
  void begins(std::uint32_t model) { ++at_work_[model]; }
  /// Called when a client begins its next job at `model` while its update waits for the server.
  void begins_ahead(std::uint32_t model) { ++ahead_[model]; }
  /// Called when the server has used that update: the next job becomes the client's work.
  void catches_up(std::uint32_t model);
  /// Adds `contact`, which ends a job that began at `begin`.
  void report(TimedStep& server_step, const Contact& contact, double begin);
  /// Returns the time from which `model` exists, the end of the server step that made it. Known for
  /// the newest model and those back to the oldest base version of a future contact.
  double made(std::uint32_t model) const;

 private:
  virtual void fill(TimedStep& server_step) = 0;
  void forget_old_times();

  std::uint32_t step_ = 0;
  std::uint32_t reported_ = 0;  ///< number of contacts of this server step
  std::map<std::uint32_t, std::uint32_t> at_work_, ahead_;
  std::uint32_t oldest_ = 0;  ///< oldest model with a time in made_
  std::deque<double> made_{0.0};
};

/// Returns the server steps of a recorded run, with the contacts and times of the record.
/// `expected` is the expected number of contacts in a server step, `handed_out` the number of
/// models handed out before the first server step.
Choice<StepSequence> recorded_steps(std::vector<TimedStep> server_steps, double expected,
                                    std::uint64_t handed_out);

}  // namespace trilemma
