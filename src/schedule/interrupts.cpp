#include <algorithm>
#include <numeric>

#include "schedule/clock_settings.hpp"
#include "schedule/dispatcher.hpp"
#include "schedule/step_count.hpp"

namespace trilemma {
namespace {

struct InterruptSettings {
  ClockSettings clock;
  InterruptOptions options;
  bool keeps = false;        ///< the step under way at a contact
  bool draws_steps = false;  ///< the number of steps is drawn by itself
};

class Interrupts final : public Timeline {
 public:
  Interrupts(InterruptSettings settings, const TimelineSetup& setup)
      : settings_(std::move(settings)),
        options_(settings_.options),
        seed_(setup.seed),
        last_(options_.ends_with_all ? setup.steps : 0),
        duration_(settings_.clock.waiting + settings_.clock.interaction),
        law_(settings_.clock.make_law(setup)),
        schedule_(setup.schedule.make()),
        counter_(*law_, setup.clients, options_.most_steps, settings_.keeps),
        model_(setup.clients, 0),
        contacts_(setup.clients, 0),
        began_(setup.clients, 0.0) {
    if (options_.factor != InterruptOptions::Factor::none) find_alphas(setup.clients);
    for (std::uint32_t client = 0; client < setup.clients; ++client) begins(0);
  }

  double expected() const override { return schedule_->expected(); }

 private:
  void fill(Meeting& meeting) override {
    meeting.time = duration_ * (step() + 1.0);
    const bool is_last = step() + 1 == last_;
    if (is_last) {
      participants_.resize(model_.size());
      std::iota(participants_.begin(), participants_.end(), 0U);
    } else {
      schedule_->participants(step(), participants_);
    }
    for (const std::uint32_t client : participants_) {
      Contact contact{.client = client, .start = model_[client], .number = contacts_[client]++};
      Stream stream(step_times_of(seed_, client, contact.number));
      contact.steps = settings_.draws_steps ? drawn_steps(client, stream)
                                            : counter_.take(client, meeting.time, stream);
      if (is_last)
        contact.weight = weight_in_mean();
      else
        contact.factor = factor(contact);
      report(meeting, contact, began_[client]);
      model_[client] = options_.gives_new ? step() + 1 : step();
      began_[client] = meeting.time;
      begins(model_[client]);
    }
  }

  // [FAV] section 5 literally: geometric with the law's chance, whatever the time.
  std::uint32_t drawn_steps(std::uint32_t client, Stream& stream) const {
    std::uint32_t steps = 1;
    while (steps < options_.most_steps && stream.uniform() >= law_->chance(client)) ++steps;
    return steps;
  }

  // 1 / alpha; of no steps nothing is left whatever it is.
  double factor(const Contact& contact) const {
    using Factor = InterruptOptions::Factor;
    if (options_.factor == Factor::none || contact.steps == 0) return 1;
    const std::uint32_t speed = law_->speed_class(contact.client);
    return options_.factor == Factor::deterministic ? 1 / mean_[speed]
                                                    : 1 / (some_[speed] * contact.steps);
  }

  // A server step adds s/(s+1) of the mean over s clients, which must become 1/(n+1) of every
  // client.
  double weight_in_mean() const {
    return (schedule_->expected() + 1) / (static_cast<double>(model_.size()) + 1);
  }

  void find_alphas(std::uint32_t clients) {
    const StepCounting how{.most_steps = options_.most_steps,
                           .duration = duration_,
                           .contacted = schedule_->expected() / clients,
                           .keeps = settings_.keeps};
    for (std::uint32_t client = 0; client < clients; ++client) {
      const std::uint32_t speed = law_->speed_class(client);
      if (speed < mean_.size() && mean_[speed] > 0) continue;
      const StepCount count = settings_.draws_steps
                                  ? count_drawn_steps(law_->chance(client), options_.most_steps)
                                  : count_steps(*law_, client, how);
      mean_.resize(std::max<std::size_t>(mean_.size(), speed + 1));
      some_.resize(mean_.size());
      mean_[speed] = count.mean();
      some_[speed] = count.some();
    }
  }

  InterruptSettings settings_;
  const InterruptOptions& options_;
  std::uint64_t seed_;
  std::uint32_t last_;  ///< server step that contacts all, from 1; 0: none
  double duration_;
  std::unique_ptr<StepTime> law_;
  std::unique_ptr<Schedule> schedule_;
  StepCounter counter_;
  std::vector<std::uint32_t> model_, contacts_;  ///< by client: its start model, contacts so far
  std::vector<double> began_;                    ///< by client: when it received that model
  std::vector<double> mean_, some_;              ///< E[E ^ K] and P(E > 0), by class of speed
  std::vector<std::uint32_t> participants_;
};

}  // namespace

Pace interrupts(const Settings& experiment, const InterruptOptions& options) {
  if (is_real(experiment) && options.ends_with_all)
    experiment.section("server").refuse(
        "output",
        "in real time the server does not wait for all clients at the end; choose model, or "
        "clock.time = simulated");
  if (is_real(experiment))
    return {nullptr, [options, waiting = read_waiting_seconds(experiment)](const auto& setup) {
              return live_interrupts(options, waiting, setup);
            }};
  InterruptSettings settings{read_clock(experiment), options};
  Settings& clock = settings.clock.section;
  settings.clock.waiting = clock.number("waiting", 4.0, at_least(0),
                                        "time between two server steps, for FAVANO and QuAFL");
  if (settings.clock.waiting + settings.clock.interaction == 0)
    clock.refuse("waiting", "server steps would take no time; set it or clock.interaction above 0");
  settings.keeps =
      clock.choice("under_way", options.keeps ? "kept" : "discarded", {"discarded", "kept"},
                   "what becomes of a local step that is under way at a contact: it "
                   "is lost, or ends when it would have") == "kept";
  settings.draws_steps =
      clock.choice("speed", "time", {"time", "analysis"},
                   "what the speed of a client means: the time of a step, or, as the paper's "
                   "analysis has it, the chance of each step to be the last one before a contact, "
                   "so that slow clients do more") == "analysis";
  if (settings.draws_steps && clock.commanded("under_way"))
    clock.refuse("under_way",
                 "clock.speed = \"analysis\" draws the number of steps by itself, whatever becomes "
                 "of the one under way; leave it out");
  return {[settings](const TimelineSetup& setup) -> std::unique_ptr<Timeline> {
            return std::make_unique<Interrupts>(settings, setup);
          },
          nullptr};
}

}  // namespace trilemma
