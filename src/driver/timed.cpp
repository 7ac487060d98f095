// The simulated clock decides which clients contact the server when, from which base versions and
// after how many local steps. The ranks compute a client's local steps only when its contact is
// due: every computed step is used, and all clients of a server step run in parallel on their
// ranks.

#include <algorithm>
#include <cmath>
#include <limits>

#include "driver/contact_metrics.hpp"
#include "driver/driver.hpp"
#include "driver/start_models.hpp"

namespace trilemma {
namespace {

class Timed final : public Driver {
 public:
  explicit Timed(const DriverSetup& setup)
      : plan_(setup.plan),
        parts_(setup.parts),
        round_(setup.plan, setup.parts, setup.ranks, setup.tap),
        clock_(setup.plan.clock.make()),
        notes_(*setup.parts.metric_log, metric_of_simulated_time(clock_->units()),
               static_cast<std::uint32_t>(setup.plan.clients)),
        first_client_(setup.placement.first(setup.placement.rank)),
        down_reach_(setup.plan.down_compressor ? setup.plan.down_compressor->traits().reach
                                               : std::numeric_limits<double>::infinity()) {
    handed_out_ = clock_->handed_out();
    notes_.set_time(0);
  }

  std::uint32_t step() const override { return step_; }
  View model() override { return parts_.x; }

  void run_until(std::uint32_t step, PhaseTimer& timer) override {
    for (; step_ < step; ++step_) {
      timer.start();
      meet();
      const std::uint64_t receivers = participants_.size() + (step_ == 0 ? handed_out_ : 0);
      const ConstView model = round_.broadcast(step_, receivers, timer);
      models_.keep(step_, model);
      if (std::isfinite(down_reach_)) check_reach(model);
      const bool own_models = plan_.method.steps.family == SolverFamily::averaged;
      const auto inputs =
          models_.inputs(server_step_, own_models ? models_.at(step_) : ConstView{});
      timer.lap(Phase::broadcast);
      round_.work(step_, participants_, model, inputs, timer);
      round_.step(step_, participants_, inputs, timer);
      forget();
      notes_.observe(server_step_, step_, parts_.server != nullptr);
    }
  }

  void observe_state() override {
    notes_.observe_contacts();
    if (plan_.method.steps.family == SolverFamily::averaged) {
      Vector room;
      for (std::size_t slot = 0; slot < parts_.shards.size(); ++slot) {
        const ConstView own = parts_.work->personal_model(slot, parts_.x, room);
        notes_.observe_distance(distance_squared(own, parts_.x));
      }
      return;
    }
    if (parts_.server == nullptr || !clock_->knows_all_work()) return;
    for (const auto& [model, clients] : clock_->at_work()) {
      const double distance =
          models_.has(model) ? distance_squared(models_.at(model), parts_.x) : 0;
      for (std::uint32_t client = 0; client < clients; ++client) notes_.observe_distance(distance);
    }
  }

  void persist(State& common) override {
    common.value(step_);
    common.values(parts_.x);
    parts_.clients->persist_common(common);
    round_.persist(common);
    models_.persist(common);
    if (clock_->step() != step_) replay();
    check_models();
  }
  void persist_server(State& server) override { parts_.server->persist(server); }
  void persist(std::size_t slot, State& client) override { parts_.clients->persist(slot, client); }

 private:
  // Computes the clock's state after a restart from the seed, and counts the contacts again.
  void replay() {
    clock_ = plan_.clock.make();
    notes_.restart();
    while (clock_->step() < step_) meet();
  }

  void meet() {
    clock_->next(server_step_);
    participants_.clear();
    for (const Contact& contact : server_step_.contacts) {
      participants_.push_back(contact.client);
      notes_.count(contact.client);
    }
  }

  // Throws RunFailure if a participant's own model is too far from the server's: the participant
  // decodes the server's model near its own.
  void check_reach(ConstView model) {
    Vector room;
    for (const std::uint32_t client : participants_) {
      if (client < first_client_ || client - first_client_ >= parts_.shards.size()) continue;
      const ConstView own = parts_.work->personal_model(client - first_client_, model, room);
      for (std::size_t j = 0; j < own.size(); ++j)
        if (!(std::abs(static_cast<double>(own[j]) - static_cast<double>(model[j])) <= down_reach_))
          throw RunFailure(fmt::format(
              "round {}: a coordinate of client {}'s model differs by {:g} from the server's model, "
              "which can be decoded only within {:g}; raise downlink.bits or downlink.step, or "
              "lower the step sizes if the run diverges",
              step_ + 1, client,
              std::abs(static_cast<double>(own[j]) - static_cast<double>(model[j])), down_reach_));
    }
  }

  // Drops models that no future contact starts from. Jobs end only at contacts, so only the base
  // versions of this step's contacts, and the model of this step, can have become unused.
  void forget() {
    for (const Contact& contact : server_step_.contacts)
      if (!clock_->needs(contact.base)) models_.drop(contact.base);
    if (!clock_->needs(step_)) models_.drop(step_);
  }

  // Throws UserError if a restored checkpoint lacks a model from which a client has started:
  // another version of the program, which wrote it, may have kept other models.
  void check_models() const {
    for (const std::uint32_t model : clock_->needed())
      require(
          model >= step_ || models_.has(model),
          "the checkpoint after {} server steps lacks model version {}, from which a client has "
          "started; another version of the program wrote it: start the run without --resume",
          step_, model);
  }

  const Plan& plan_;
  Assembly& parts_;
  Round round_;
  std::unique_ptr<StepSequence> clock_;
  ContactMetrics notes_;
  std::uint32_t first_client_;    ///< first client of this rank
  double down_reach_;             ///< distance within which clients decode the server's model
  std::uint64_t handed_out_ = 0;  ///< number of models sent before the first server step
  TimedStep server_step_;
  std::vector<std::uint32_t> participants_;  ///< clients of the server step
  StartModels models_;
  std::uint32_t step_ = 0;
};

}  // namespace

Row<DriverMaker> timed_driver() {
  return {"timed", "a simulated clock, on which clients work at their own speed",
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Timed>(setup);
          }};
}

}  // namespace trilemma
