#pragma once
// Asynchronous methods in real time: who works at what, and whom the server asks when. What the
// server hears comes in, what it says goes out; nothing here knows messages or models.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/state.hpp"
#include "schedule/timeline.hpp"

namespace trilemma {

/// A client's piece of local work.
struct Job {
  std::uint32_t client = 0;
  std::uint32_t number = 0;  ///< of the client's; addresses its minibatches
  std::uint32_t start = 0;   ///< server steps behind the model that it begins at
};

/// The server asks a client for what its first job has led to so far.
struct Request {
  std::uint32_t client = 0;
  double alpha = 0;           ///< what progress is divided by; 0 = the next one
  double alpha_per_step = 0;  ///< the same for each of its steps; 0 = by nothing
  double weight = 1;          ///< of the client in the server step, for its staleness

  /// 1 / alpha, of so many steps; of none nothing is left whatever it is.
  double factor(std::uint32_t steps) const {
    if (steps == 0) return 1;
    if (alpha > 0) return 1 / alpha;
    return alpha_per_step > 0 ? 1 / (alpha_per_step * steps) : 1;
  }
};

/// What the server says.
struct Dispatch {
  std::vector<Job> begin;
  std::vector<Request> ask;
  void clear() {
    begin.clear();
    ask.clear();
  }
};

/// The server's side of a method in real time, on rank 0.
class Dispatcher {
 public:
  explicit Dispatcher(std::uint32_t clients) : jobs_(clients), numbers_(clients, 0) {}
  virtual ~Dispatcher() = default;

  /// Server steps so far.
  std::uint32_t step() const { return step_; }
  /// Expected contacts of a server step.
  virtual double expected() const = 0;
  /// Pieces of work that clients have, by client, in the order in which they do them.
  const std::vector<std::deque<Job>>& jobs() const { return jobs_; }
  /// Models, by the server steps behind them, that clients work at, and how many do.
  const std::map<std::uint32_t, std::uint32_t>& at_work() const { return at_work_; }

  /// The next server step begins, at a time in seconds.
  void open(double now, Dispatch& orders);
  /// Nothing has happened for a while.
  virtual void look(double, Dispatch&) {}
  /// A client has taken all steps of its first job.
  virtual void done(std::uint32_t, Dispatch&) {}
  /// A client that was asked has sent what its first job has led to.
  void report(std::uint32_t client, std::uint32_t steps, Dispatch& orders);
  /// All reports of the server step are in.
  bool is_complete() const { return open_ == 0; }
  /// The server has taken its step.
  void close(Dispatch& orders);

  /// What a restart must find again. All jobs begin anew then.
  void persist(State& state);

 protected:
  /// Gives a client a job at a model.
  void begin(std::uint32_t client, std::uint32_t model, Dispatch& orders);
  /// Asks a client.
  void ask(const Request& request, Dispatch& orders);
  /// So many reports make this server step.
  void expect(std::uint32_t clients) { open_ = clients; }
  std::uint32_t asked() const { return asked_; }

 private:
  virtual void on_open(double now, Dispatch& orders) = 0;
  virtual void on_report(std::uint32_t, std::uint32_t, Dispatch&) {}
  virtual void on_close(Dispatch&) {}
  virtual void persist_more(State&) {}

  std::uint32_t step_ = 0;
  std::uint32_t open_ = 0;   ///< reports that the server step still needs
  std::uint32_t asked_ = 0;  ///< clients in it
  std::vector<std::deque<Job>> jobs_;
  std::map<std::uint32_t, std::uint32_t> at_work_;
  std::vector<std::uint32_t> numbers_;  ///< by client, jobs so far
};

/// The real counterparts of the timelines; `waiting` in seconds from a server step to the next
/// contacts.
std::unique_ptr<Dispatcher> live_interrupts(const InterruptOptions& options, double waiting,
                                            const TimelineSetup& setup);
std::unique_ptr<Dispatcher> live_waits(const TimelineSetup& setup);
std::unique_ptr<Dispatcher> live_arrivals(const ArrivalOptions& options,
                                          const TimelineSetup& setup);

}  // namespace trilemma
