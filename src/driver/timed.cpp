// The simulated clock decides who meets the server when, with which models and after how many local
// steps. A client's work is done when the server meets it, so that nothing is computed that nobody
// asks for, and all clients of a server step work side by side on the ranks that host them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "driver/driver.hpp"

namespace trilemma {
namespace {

struct TimedMetrics {
  explicit TimedMetrics(Journal& journal)
      : time(
            journal.declare({.name = "simulated_time",
                             .units = "1",
                             .description = "time on the simulated clock when the server step ends",
                             .made = Made::released})),
        contacts(journal.declare({.name = "contacts",
                                  .units = "contact",
                                  .description = "clients that the server has met",
                                  .made = Made::released,
                                  .kind = Metric::Kind::count})),
        steps(journal.declare({.name = "local_steps",
                               .units = "step",
                               .description = "local steps of the clients that it has met",
                               .made = Made::released,
                               .kind = Metric::Kind::count})),
        fewest(journal.declare({.name = "contacts_least",
                                .units = "contact",
                                .description = "of the client that it has met least often",
                                .made = Made::released})),
        most(journal.declare({.name = "contacts_most",
                              .units = "contact",
                              .description = "of the client that it has met most often",
                              .made = Made::released})),
        staleness(
            journal.declare({.name = "staleness",
                             .units = "round",
                             .description = "server steps since the start of a client's local "
                                            "steps, mean over the server step's contacts",
                             .made = Made::released})),
        oldest(journal.declare({.name = "staleness_most",
                                .units = "round",
                                .description = "the same, the largest",
                                .made = Made::released})),
        spread(journal.declare(
            {.name = "spread",
             .units = "1",
             .description = "mean over the models that clients work at, as of their last contact, "
                            "of the squared distance to the server's",
             .kind = Metric::Kind::mean})) {}

  Journal::Id time, contacts, steps, fewest, most, staleness, oldest, spread;
};

class Timed final : public Driver, Starts {
 public:
  explicit Timed(const DriverSetup& setup)
      : plan_(setup.plan),
        parts_(setup.parts),
        round_(setup.plan, setup.parts, setup.ranks, setup.tap),
        metrics_(*setup.parts.journal),
        timeline_(setup.plan.timeline.make()),
        first_client_(setup.placement.first(setup.placement.rank)),
        down_reach_(setup.plan.down_compressor ? setup.plan.down_compressor->traits().reach
                                               : std::numeric_limits<double>::infinity()),
        contacts_(static_cast<std::size_t>(setup.plan.clients), 0) {
    for (const auto& [model, clients] : timeline_->at_work()) handed_out_ += clients;
    parts_.journal->set(metrics_.time, 0);
  }

  std::uint32_t step() const override { return step_; }
  View model() override { return parts_.x; }

  void run_until(std::uint32_t step, PhaseTimer& timer) override {
    for (; step_ < step; ++step_) {
      timer.start();
      meet();
      round_.run(step_, participants_, timer, this);
      forget();
      note_meeting();
    }
  }

  void note_state() override {
    Journal& journal = *parts_.journal;
    const auto [fewest, most] = std::minmax_element(contacts_.begin(), contacts_.end());
    journal.set(metrics_.fewest, *fewest);
    journal.set(metrics_.most, *most);
    if (plan_.method.steps.family == SolverFamily::averaged) {
      Vector room;
      for (std::size_t slot = 0; slot < parts_.shards.size(); ++slot) {
        const ConstView own = parts_.work->personal_model(slot, parts_.x, room);
        journal.see(metrics_.spread, distance_squared(own, parts_.x));
      }
      return;
    }
    if (parts_.server == nullptr) return;
    for (const auto& [model, clients] : timeline_->at_work()) {
      const auto held = models_.find(model);
      const double distance = held == models_.end() ? 0 : distance_squared(held->second, parts_.x);
      for (std::uint32_t client = 0; client < clients; ++client)
        journal.see(metrics_.spread, distance);
    }
  }

  void persist(State& common) override {
    common.value(step_);
    common.values(parts_.x);
    parts_.clients->persist_common(common);
    round_.persist(common);
    persist_models(common);
    if (timeline_->step() != step_) replay();
  }
  void persist_server(State& server) override { parts_.server->persist(server); }
  void persist(std::size_t slot, State& client) override { parts_.clients->persist(slot, client); }

 private:
  void persist_models(State& common) {
    std::vector<std::uint32_t> held;
    for (const auto& [model, values] : models_) held.push_back(model);
    std::uint64_t count = held.size();
    common.value(count);
    held.resize(count);
    std::map<std::uint32_t, Vector> kept;
    for (std::uint32_t& model : held) {
      common.value(model);
      const auto found = models_.find(model);
      Vector& values = kept[model];
      if (found != models_.end()) values = std::move(found->second);
      common.values(values);
    }
    models_ = std::move(kept);
  }

  // The clock is a function of the seed.
  void replay() {
    timeline_ = plan_.timeline.make();
    std::fill(contacts_.begin(), contacts_.end(), 0);
    while (timeline_->step() < step_) meet();
  }

  void meet() {
    timeline_->next(meeting_);
    participants_.clear();
    for (const Contact& contact : meeting_.contacts) {
      participants_.push_back(contact.client);
      ++contacts_[contact.client];
    }
  }

  // The contacts are in the order of their clients.
  const Contact& contact_of(std::uint32_t client) const {
    const auto found = std::lower_bound(participants_.begin(), participants_.end(), client);
    return meeting_.contacts[static_cast<std::size_t>(found - participants_.begin())];
  }

  void received(ConstView model) override {
    models_[step_].assign(model.begin(), model.end());
    if (std::isfinite(down_reach_)) check_reach(model);
  }
  // A client knows its own model when the server's comes.
  void check_reach(ConstView model) {
    Vector room;
    for (const std::uint32_t client : participants_) {
      if (client < first_client_ || client - first_client_ >= parts_.shards.size()) continue;
      const ConstView own = parts_.work->personal_model(client - first_client_, model, room);
      for (std::size_t j = 0; j < own.size(); ++j)
        if (!(std::abs(static_cast<double>(own[j]) - static_cast<double>(model[j])) <= down_reach_))
          throw RunFailure(fmt::format(
              "round {}: the model of client {} is {:g} away from the server's in a coordinate, "
              "and what the server sends is decoded within {:g}; raise downlink.bits or "
              "downlink.step, or lower the step sizes if the run diverges",
              step_ + 1, client,
              std::abs(static_cast<double>(own[j]) - static_cast<double>(model[j])), down_reach_));
    }
  }
  Task task(std::uint32_t client) const override {
    const Contact& contact = contact_of(client);
    return {.model = models_.at(contact.start),
            .steps = contact.steps,
            .scale = contact.factor * contact.weight,
            .now = models_.at(step_)};
  }
  std::uint64_t receivers() const override {
    return participants_.size() + (step_ == 0 ? handed_out_ : 0);
  }
  // A client's own model is close to the server's, which it is sent relative to another one.
  ConstView near(std::uint32_t client) const override {
    if (plan_.method.steps.family != SolverFamily::averaged) return {};
    const Vector& start = models_.at(contact_of(client).start);
    const Vector& now = models_.at(step_);
    near_.resize(start.size());
    for (std::size_t j = 0; j < near_.size(); ++j) near_[j] = start[j] - now[j];
    return near_;
  }
  void relate(ConstView x, std::span<double> mean) const override {
    if (!plan_.method.averages_models) return;
    for (const Contact& contact : meeting_.contacts) {
      const Vector& start = models_.at(contact.start);
      const double share = contact.weight / plan_.participants();
      for (std::size_t j = 0; j < mean.size(); ++j)
        mean[j] += share * (static_cast<double>(x[j]) - static_cast<double>(start[j]));
    }
  }

  // Models that nobody works at any more. Who has come while the server was at this step is at work
  // since then, but that shows with the next one.
  void forget() {
    const auto& at_work = timeline_->at_work();
    for (const Contact& contact : meeting_.contacts)
      if (contact.start < step_ && !at_work.contains(contact.start)) models_.erase(contact.start);
    if (step_ > 0 && !at_work.contains(step_ - 1)) models_.erase(step_ - 1);
  }

  void note_meeting() {
    Journal& journal = *parts_.journal;
    double staleness = 0;
    std::uint32_t oldest = 0;
    std::uint64_t steps = 0;
    for (const Contact& contact : meeting_.contacts) {
      staleness += step_ - contact.start;
      oldest = std::max(oldest, step_ - contact.start);
      steps += contact.steps;
    }
    journal.set(metrics_.time, meeting_.time);
    if (!meeting_.contacts.empty()) {
      journal.set(metrics_.staleness, staleness / static_cast<double>(meeting_.contacts.size()));
      journal.set(metrics_.oldest, oldest);
    }
    if (parts_.server == nullptr) return;
    journal.add(metrics_.contacts, meeting_.contacts.size());
    journal.add(metrics_.steps, steps);
  }

  static double distance_squared(ConstView a, ConstView b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double d = static_cast<double>(a[j]) - static_cast<double>(b[j]);
      sum += d * d;
    }
    return sum;
  }

  const Plan& plan_;
  Assembly& parts_;
  Round round_;
  TimedMetrics metrics_;
  std::unique_ptr<Timeline> timeline_;
  std::uint32_t first_client_;    ///< of this rank
  double down_reach_;             ///< distance within which clients decode the server's model
  std::uint64_t handed_out_ = 0;  ///< models, before the first server step
  Meeting meeting_;
  std::vector<std::uint32_t> participants_;  ///< of the meeting
  std::vector<std::uint32_t> contacts_;      ///< so far, by client
  std::map<std::uint32_t, Vector> models_;   ///< that clients work at, by server steps behind them
  mutable Vector near_;                      ///< scratch
  std::uint32_t step_ = 0;
};

}  // namespace

Row<DriverMaker> timed_driver() {
  return {"timed", "a simulated clock, on which clients work at their own speed", [](Settings&) {},
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Timed>(setup);
          }};
}

}  // namespace trilemma
