#pragma once
// What an asynchronous method decides: when clients begin local jobs, when the server asks for
// their updates, and when it steps. A policy hears events and answers with actions; it does not
// know whether the events come from the simulated clock (simulated_clock.hpp) or from MPI messages
// in real time (driver/async_server.hpp).

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
  std::uint32_t base = 0;    ///< base version: server steps behind the model that it begins at
  std::uint32_t steps = 0;   ///< local steps after which it is done; an interrupted job does fewer
};

/// What a client's update is divided by, which may depend on its local steps ([FAV] section 3).
struct Alpha {
  double whole = 0;     ///< alpha; 0 = `per_step` says it
  double per_step = 0;  ///< alpha / steps; 0 = the update is not divided

  /// Returns 1 / alpha of an update of `steps` local steps. An update without steps is 0, whatever
  /// divides it: 1.
  double factor(std::uint32_t steps) const {
    if (steps == 0) return 1;
    if (whole > 0) return 1 / whole;
    return per_step > 0 ? 1 / (per_step * steps) : 1;
  }
};

/// The server asks a client for the update of its first job, done or not.
struct Request {
  std::uint32_t client = 0;
  Alpha alpha = {};
  double weight = 1;  ///< of the client in the server step
};

/// What a policy makes the event source do, in this order.
struct Actions {
  std::vector<LocalJob> begin;
  std::vector<Request> ask;
  bool empty() const { return begin.empty() && ask.empty(); }
  void clear() {
    begin.clear();
    ask.clear();
  }
};

/// When clients report and when the server steps. Event sources call the public functions; a policy
/// implements the hooks (on_open, ...) and answers by begin(), ask() and expect(). Times are those
/// of the event source, and never decrease.
class AsyncPolicy {
 public:
  explicit AsyncPolicy(std::uint32_t clients) : jobs_(clients), numbers_(clients, 0) {}
  virtual ~AsyncPolicy() = default;

  /// Expected contacts of a server step, by which the sum of the updates is divided.
  virtual double expected() const = 0;
  /// Returns false where server steps have other numbers of contacts by design and not by chance.
  virtual bool contacts_alike() const { return true; }
  /// Time between a server step's opening and its contacts where the server interrupts clients that
  /// never report by themselves; nullopt where contacts follow from what clients report. On the
  /// simulated clock no single local step is an event then.
  virtual std::optional<double> pause() const { return std::nullopt; }
  /// Returns whether job numbers are those of server steps, and not consecutive for each client.
  virtual bool numbers_by_step() const { return false; }
  /// Next time at which pass() matters though no client has reported; infinity = none.
  virtual double deadline() const;

  /// Server steps so far, the version of the newest model.
  std::uint32_t step() const { return step_; }
  /// Jobs whose updates have not been received, by client, oldest first.
  const std::vector<std::deque<LocalJob>>& jobs() const { return jobs_; }
  /// Base versions of these jobs, and their number for each.
  std::map<std::uint32_t, std::uint32_t> at_work() const;
  /// Number of these jobs: before the first server step, of the models handed out.
  std::uint64_t handed_out() const;

  /// All jobs begin, for the first time or again after a restart.
  void start(double now, Actions& actions);
  /// The next server step is open for updates.
  void open(double now, Actions& actions);
  /// A client has done all steps of its first job that was not yet done.
  void ready(std::uint32_t client, double now, Actions& actions);
  /// All events up to `now` have been delivered.
  void pass(double now, Actions& actions);
  /// A requested update of `steps` local steps has come: the client's first job is over.
  void report(std::uint32_t client, std::uint32_t steps, Actions& actions);
  /// A client's update has reached the server, used or not: the client may go on.
  void sent(std::uint32_t client, double now, Actions& actions);
  /// Returns whether the open server step has all of its updates.
  bool is_complete() const { return missing_ == 0U; }
  /// The server has taken its step.
  void close(double now, Actions& actions);

  /// Saves or restores what a restart in real time must find; all jobs begin again then. The
  /// simulated clock is computed again instead.
  void persist(State& state);

 protected:
  /// A client gets a job of `steps` steps from model `version`, behind the jobs that it has.
  void begin(std::uint32_t client, std::uint32_t version, long steps);
  void begin(const LocalJob& job);
  /// Asks for the update of a client's first job.
  void ask(const Request& request);
  /// The open server step is complete with `updates` updates.
  void expect(std::size_t updates) { missing_ = static_cast<std::uint32_t>(updates) - received_; }
  /// Updates asked for in the open server step.
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
  std::optional<std::uint32_t> missing_;  ///< updates; nullopt = the policy has not said how many
  std::uint32_t received_ = 0, asked_ = 0;
  std::vector<std::deque<LocalJob>> jobs_;
  std::vector<std::uint32_t> numbers_;  ///< by client, jobs so far
  Actions* actions_ = nullptr;          ///< of the event; null before start()
};

/// What policies are made from.
struct PolicySetup {
  std::uint64_t seed = 1;
  std::uint32_t clients = 1;
  Choice<Schedule> schedule;  ///< draws the clients, where the server chooses them
  std::uint32_t steps = 0;    ///< of the server in the whole run; 0 = not known yet
};

using PolicyMaker = std::function<std::unique_ptr<AsyncPolicy>(const PolicySetup&)>;

/// Returns (1 + staleness)^-power, the weight of an update (Xie, Koyejo and Gupta 2019, polynomial
/// form); 1 where power is 0.
double staleness_weight(double power, std::uint32_t staleness);

}  // namespace trilemma
