#pragma once
// Policies of asynchronous methods. A policy decides when clients begin local jobs, when the server
// asks for their updates, and when it steps. It receives events and answers with actions, and does
// not depend on whether the events come from the simulated clock (simulated_clock.hpp) or from MPI
// messages in real time (driver/async_server.hpp).

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/state.hpp"
#include "schedule/schedule.hpp"
#include "settings/choice.hpp"

namespace trilemma {

/// A client's local work from one model version.
struct LocalJob {
  std::uint32_t client = 0;
  std::uint32_t number = 0;  ///< addresses its minibatches and, on the simulated clock, its times
  std::uint32_t base = 0;    ///< base version: server steps taken when the model was made
  std::uint32_t steps = 0;   ///< local steps of the complete job; an interrupted job has fewer
};

/// Divisor of a client's update, which may depend on its local steps ([FAV] section 3).
struct Alpha {
  double whole = 0;     ///< alpha; 0 = use `per_step`
  double per_step = 0;  ///< alpha / steps; 0 = the update is not divided

  /// Returns 1 / alpha for an update of `steps` local steps; 1 for an empty update, which is 0
  /// anyway.
  double factor(std::uint32_t steps) const {
    if (steps == 0) return 1;
    if (whole > 0) return 1 / whole;
    return per_step > 0 ? 1 / (per_step * steps) : 1;
  }
};

/// The server's request for the update of a client's oldest job, whether or not that job is done.
struct Request {
  std::uint32_t client = 0;
  Alpha alpha = {};
  double weight = 1;  ///< of the client in the server step
};

/// What the event source must do after an event: first begin the jobs, then ask for the updates.
struct Actions {
  std::vector<LocalJob> begin;
  std::vector<Request> ask;
  bool empty() const { return begin.empty() && ask.empty(); }
  void clear() {
    begin.clear();
    ask.clear();
  }
};

/// Decides when clients report and when the server steps. Event sources call the public functions.
/// A policy implements the hooks (on_open(), ...) and answers with begin(), ask() and expect().
/// Times are those of the event source and never decrease.
class AsyncPolicy {
 public:
  explicit AsyncPolicy(std::uint32_t clients) : jobs_(clients), numbers_(clients, 0) {}
  virtual ~AsyncPolicy() = default;

  /// Returns the expected number of contacts of a server step, the divisor of the sum of updates.
  virtual double expected() const = 0;
  /// Returns false if the number of contacts varies between server steps by design and not by
  /// chance.
  virtual bool contacts_alike() const { return true; }
  /// Returns the time from the opening of a server step to its contacts if the server interrupts
  /// clients that never report by themselves; nullopt if contacts follow from the clients' reports.
  /// With a pause, no single local step is an event on the simulated clock.
  virtual std::optional<double> pause() const { return std::nullopt; }
  /// Returns whether job numbers are numbers of server steps instead of consecutive for each
  /// client.
  virtual bool numbers_by_step() const { return false; }
  /// Returns the next time at which pass() has an effect even if no client reports; infinity if
  /// there is none.
  virtual double deadline() const;

  /// Returns the number of server steps so far, which is the version of the newest model.
  std::uint32_t step() const { return step_; }
  /// Returns the jobs whose updates have not been received, by client, oldest first.
  const std::vector<std::deque<LocalJob>>& jobs() const { return jobs_; }
  /// Returns the base versions of these jobs, and the number of jobs for each.
  std::map<std::uint32_t, std::uint32_t> at_work() const;
  /// Returns the number of these jobs, which before the first server step is that of the models
  /// handed out.
  std::uint64_t handed_out() const;

  /// Begins all jobs, for the first time or again after a restart.
  void start(double now, Actions& actions);
  /// Opens the next server step for updates.
  void open(double now, Actions& actions);
  /// Called when a client has done all steps of its first unfinished job.
  void ready(std::uint32_t client, double now, Actions& actions);
  /// Called when all events up to `now` have been delivered.
  void pass(double now, Actions& actions);
  /// Called when the requested update of `steps` local steps has arrived, which ends the client's
  /// first job.
  void report(std::uint32_t client, std::uint32_t steps, Actions& actions);
  /// Called when a client's update has reached the server, whether or not it is used yet; the
  /// client may continue.
  void sent(std::uint32_t client, double now, Actions& actions);
  /// Returns whether the open server step has all its updates.
  bool is_complete() const { return missing_ == 0U; }
  /// Called when the server has taken its step.
  void close(double now, Actions& actions);

  /// Saves or restores the state for a restart in real time, after which all jobs begin again. The
  /// simulated clock is recomputed instead.
  void persist(State& state);

 protected:
  /// Gives a client a job of `steps` steps from model `version`, after its earlier jobs.
  void begin(std::uint32_t client, std::uint32_t version, long steps);
  void begin(const LocalJob& job);
  /// Asks for the update of a client's first job.
  void ask(const Request& request);
  /// Declares that the open server step is complete with `updates` updates.
  void expect(std::size_t updates) { missing_ = static_cast<std::uint32_t>(updates) - received_; }
  /// Returns the number of updates requested in the open server step.
  std::uint32_t asked() const { return asked_; }
  double now() const { return now_; }
  double opened() const { return opened_; }

 private:
  virtual void on_start() {}
  virtual void on_open() {}
  virtual void on_ready(std::uint32_t /*client*/) {}
  virtual void on_time() {}
  virtual void on_report(std::uint32_t /*client*/, std::uint32_t /*steps*/) {}
  virtual void on_sent(std::uint32_t /*client*/) {}
  virtual void on_close() {}
  virtual void persist_more(State&) {}

  std::uint32_t step_ = 0;
  double now_ = 0, opened_ = 0;
  /// Missing updates; nullopt = expect() has not been called.
  std::optional<std::uint32_t> missing_;
  std::uint32_t received_ = 0, asked_ = 0;
  std::vector<std::deque<LocalJob>> jobs_;
  std::vector<std::uint32_t> numbers_;  ///< number of jobs so far, by client
  Actions* actions_ = nullptr;          ///< actions of the current event; null before start()
};

/// Inputs of policies.
struct PolicySetup {
  std::uint64_t seed = 1;
  std::uint32_t clients = 1;
  Choice<Schedule> schedule;  ///< draws the clients if the server chooses them
  std::uint32_t steps = 0;    ///< number of server steps in the whole run; 0 = not known yet
};

using PolicyMaker = std::function<std::unique_ptr<AsyncPolicy>(const PolicySetup&)>;

/// Returns the weight of an update, (1 + staleness)^-power (Xie, Koyejo and Gupta 2019, polynomial
/// form); 1 if `power` is 0.
double staleness_weight(double power, std::uint32_t staleness);

}  // namespace trilemma
