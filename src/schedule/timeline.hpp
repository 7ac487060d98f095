#pragma once
// When servers and clients meet on the simulated clock. What happens there depends on the settings
// and the seed alone, never on records or models, so every rank works it out for itself.

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "schedule/schedule.hpp"
#include "schedule/step_time.hpp"
#include "settings/choice.hpp"

namespace trilemma {

/// A client's part in a server step.
struct Contact {
  std::uint32_t client = 0;
  std::uint32_t start = 0;   ///< server steps behind the model that its local steps began at
  std::uint32_t steps = 0;   ///< local steps that it has done
  double factor = 1;         ///< on what these have led to: 1 / alpha of [FAV] section 3
  double weight = 1;         ///< of the client among those of the server step
  std::uint32_t number = 0;  ///< of the client's pieces of work; addresses its minibatches
};

/// A server step.
struct Meeting {
  double time = 0;                ///< simulated, when it ends
  std::vector<Contact> contacts;  ///< ascending clients, each once
};

/// Consecutive server steps, and what the clients do in between. No client begins a job at a model
/// that does not exist yet: every contact is checked for this, in every build.
class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Computes the next server step. Throws std::logic_error if the job of a contact began before
  /// its model existed.
  void next(Meeting& meeting);
  /// Server steps so far.
  std::uint32_t step() const { return step_; }
  /// Returns the models, by the number of server steps behind them, on which clients work after
  /// their last contacts, and the number of these clients.
  const std::map<std::uint32_t, std::uint32_t>& at_work() const { return at_work_; }
  /// Returns whether a future contact starts from a model that exists: a client works on it, or has
  /// begun a job at it while the client's previous update waits for the server.
  bool needs(std::uint32_t model) const;
  /// Returns all such models: at most one per job, and so one for each client that has one job at a
  /// time; two where a client continues while its update waits for the server.
  std::set<std::uint32_t> needed() const;
  /// Expected contacts of a server step.
  virtual double expected() const = 0;
  /// False where expected() does not hold for every server step: it then says only how contacts are
  /// weighted.
  virtual bool meets_alike() const { return true; }
  /// False where clients may have begun at models that at_work() does not know of.
  virtual bool knows_all_work() const { return true; }
  /// Of Meeting::time: of the clock, or s where it was measured.
  virtual const char* units() const { return "1"; }
  /// Models handed out before the first server step; to be asked before it.
  virtual std::uint64_t handed_out() const;

 protected:
  /// A client, or a job of one, begins at a model.
  void begins(std::uint32_t model) { ++at_work_[model]; }
  /// Called when a client begins its next job at `model` while its update waits for the server.
  void begins_ahead(std::uint32_t model) { ++ahead_[model]; }
  /// Called when the server has taken that update: the next job becomes the client's work.
  void catches_up(std::uint32_t model);
  /// Adds `contact`, which ends a job that began at `begin`.
  void report(Meeting& meeting, const Contact& contact, double begin);
  /// Returns the simulated time from which `model` exists, the end of the server step that made it;
  /// known for the newest model and those back to the oldest that a future contact starts from.
  double made(std::uint32_t model) const;

 private:
  virtual void fill(Meeting& meeting) = 0;
  void forget_old_times();

  std::uint32_t step_ = 0;
  std::uint32_t reported_ = 0;  ///< contacts of this server step
  std::map<std::uint32_t, std::uint32_t> at_work_, ahead_;
  std::uint32_t oldest_ = 0;  ///< oldest model with a time in made_
  std::deque<double> made_{0.0};
};

/// What timelines are made from.
struct TimelineSetup {
  std::uint64_t seed = 1;
  std::uint32_t clients = 1;
  const Choice<Schedule>& schedule;  ///< who is contacted, where the server says so
  std::uint32_t steps = 0;           ///< of the server in the whole run; 0: not known yet
};

using TimelineMaker = std::function<std::unique_ptr<Timeline>(const TimelineSetup&)>;

class Dispatcher;
using DispatcherMaker = std::function<std::unique_ptr<Dispatcher>(const TimelineSetup&)>;

/// The simulated clock, or real time; the other one is empty.
struct Pace {
  TimelineMaker simulated;
  DispatcherMaker real;
};

/// How a server that comes by every so often meets clients that work all the time ([FAV] sections
/// 2 and 5: FAVANO, QuAFL).
struct InterruptOptions {
  long most_steps = 20;   ///< K: a client waits after so many
  bool gives_new = true;  ///< a client goes on from the model after the server step, else before
  bool keeps = false;     ///< usually, the step that is under way at a contact
  /// In the last server step all clients are contacted, their progress counts as it is, and the
  /// server's model becomes the mean of all n + 1 models, mu_T of [FAV].
  bool ends_with_all = false;
  enum class Factor { none, stochastic, deterministic } factor = Factor::none;  ///< 1 / alpha
};
Pace interrupts(const Settings& experiment, const InterruptOptions& options);

/// The server waits for clients that it has chosen to do so many steps each (FedAvg).
Pace waits(const Settings& experiment, long steps);

/// Clients work all the time, and the server steps when so many have come (FedBuff, FedAsync), or
/// hands a model out for every gradient that comes (AsyncSGD).
struct ArrivalOptions {
  long steps = 20;     ///< K: local steps of a client before it comes
  long wanted = 1;     ///< Z: of different clients in a server step; 0 = 10, or all of fewer
  long in_flight = 0;  ///< models handed out to random clients; 0 = one to every client
  double staleness_power = 0;  ///< weight (1 + server steps since its start)^-power
  /// When a client continues, and from which model, unless clock.restart says otherwise: at once,
  /// from the newest; or at the end of the server step that uses its update, from the model before
  /// that step (consumed) or after it (renewed).
  enum class Restart { at_once, consumed, renewed } restart = Restart::at_once;
};
Pace arrivals(const Settings& experiment, const ArrivalOptions& options);

/// Clients get as many steps as fit before the arrival of others, so that they come in groups
/// (FedCompass).
struct CompassOptions {
  long least_steps = 4, most_steps = 20;
  double patience = 1.2;         ///< a group is waited for so many times as long as it should take
  double staleness_power = 0.5;  ///< as above
};
Pace compass(const Settings& experiment, const CompassOptions& options);

}  // namespace trilemma
