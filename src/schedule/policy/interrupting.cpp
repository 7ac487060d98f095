#include <numeric>

#include "schedule/alpha_source.hpp"
#include "schedule/policies.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {
namespace {

// After a pause the server interrupts the drawn clients, uses their progress, and gives each a new
// job of up to K steps.
class Interrupting final : public AsyncPolicy {
 public:
  Interrupting(const InterruptingOptions& options, double pause, std::unique_ptr<AlphaSource> alpha,
               const PolicySetup& setup)
      : AsyncPolicy(setup.clients),
        options_(options),
        pause_(pause),
        last_(options.ends_with_all ? setup.steps : 0),
        alpha_(std::move(alpha)),
        schedule_(setup.schedule.make()) {
    for (std::uint32_t client = 0; client < setup.clients; ++client)
      begin(client, 0, options_.most_steps);
  }

  double expected() const override { return schedule_->expected(); }
  std::optional<double> pause() const override { return pause_; }

 private:
  void on_open() override {
    if (is_last()) {
      participants_.resize(jobs().size());
      std::iota(participants_.begin(), participants_.end(), 0U);
    } else {
      schedule_->participants(step(), participants_);
    }
    expect(participants_.size());
  }
  void on_time() override {
    if (asked() > 0 || now() < deadline()) return;
    for (const std::uint32_t client : participants_)
      if (is_last())
        ask({.client = client, .weight = weight_in_mean()});
      else
        ask({.client = client, .alpha = alpha_->alpha(client)});
  }
  void on_report(std::uint32_t client, std::uint32_t steps) override {
    alpha_->observe(client, steps);
  }
  void on_close() override {
    for (const std::uint32_t client : participants_)
      begin(client, options_.gives_new ? step() + 1 : step(), options_.most_steps);
  }
  void persist_more(State& state) override { alpha_->persist(state); }

  bool is_last() const { return step() + 1 == last_; }
  // A server step adds s / (s + 1) of the mean over s clients. The weight turns this into 1 / (n +
  // 1) of every client.
  double weight_in_mean() const {
    return (schedule_->expected() + 1) / (static_cast<double>(jobs().size()) + 1);
  }

  InterruptingOptions options_;
  double pause_;
  std::uint32_t last_;  ///< number of the server step that contacts all clients, from 1; 0 = none
  std::unique_ptr<AlphaSource> alpha_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::uint32_t> participants_;
};

}  // namespace

Asynchrony interrupting(const Settings& experiment, const InterruptingOptions& options) {
  if (is_real(experiment) && options.ends_with_all)
    experiment.section("server").refuse(
        "output",
        "in real time the server does not wait for all clients at the end; choose model, or "
        "clock.time = simulated");
  const bool real = is_real(experiment);
  const double seconds = experiment.when(real) ? read_waiting_seconds(experiment) : 0;
  if (real)
    return {[options, seconds](const PolicySetup& setup) {
              return std::make_unique<Interrupting>(options, seconds,
                                                    estimated_alpha(options, setup.clients), setup);
            },
            {}};
  ClockSettings clock = read_clock(experiment);
  const double pause = clock.section.number("waiting", 4.0, {.low = 0, .unit = simulated_time},
                                            "time between two server steps, for FAVANO and QuAFL");
  const double duration = pause + clock.interaction;
  if (duration == 0)
    clock.section.refuse("waiting",
                         "server steps would take no time; set it or clock.interaction above 0");
  clock.keeps =
      clock.section.choice(
          "under_way", options.keeps ? "kept" : "discarded", {"discarded", "kept"},
          "a local step under way at a contact is discarded, or kept and finished at its time") ==
      "kept";
  clock.draws_steps =
      clock.section.choice(
          "speed", "time", {"time", "analysis"},
          "meaning of a client's speed: the time of a step or, as in the paper's analysis, the "
          "probability that a step is the last one before a contact, so that slow clients do more "
          "steps") == "analysis";
  if (clock.draws_steps && clock.section.origin("under_way").is_asked_for())
    clock.section.refuse(
        "under_way",
        "clock.speed = \"analysis\" draws the number of steps whether or not one is under way; "
        "leave it out");
  return {[=](const PolicySetup& setup) {
            return std::make_unique<Interrupting>(
                options, pause,
                known_alpha(clock, options, setup, duration, setup.schedule->expected()), setup);
          },
          clock};
}

}  // namespace trilemma
