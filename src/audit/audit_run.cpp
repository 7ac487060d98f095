#include "audit/audit_run.hpp"

#include "driver/driver.hpp"

namespace trilemma {
namespace {

// A schedule without one of its clients, as if that client had not been drawn.
class LeaveOut final : public Schedule {
 public:
  LeaveOut(std::unique_ptr<Schedule> all, std::uint32_t client)
      : all_(std::move(all)), client_(client) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) override {
    all_->participants(round, clients, secret);
    std::erase(clients, client_);
  }
  double expected() const override { return all_->expected(); }
  Draw draw() const override { return all_->draw(); }

 private:
  std::unique_ptr<Schedule> all_;
  std::uint32_t client_;
};

}  // namespace

// Returns the plan of a new run. If the server adds the noise, the client under test is absent in
// the world without it.
Plan AuditRunner::plan_of(CanaryData data, std::uint64_t seed, std::uint32_t tested) const {
  const auto canaries = Choice<Problem>([dimension = data.dimension, turning = data.turning] {
    return make_canary_problem(dimension, turning);
  });
  Plan plan = audit_.plan.with({.seed = seed, .problem = canaries});
  if (audit_.plan.protects_clients() && audit_.tap == Tap::mean && data.canaries.empty())
    plan = plan.with(
        {.schedule = [all = plan.make_schedule, tested](std::uint64_t key, std::uint32_t clients) {
          return std::make_unique<LeaveOut>(all(key, clients), tested);
        }});
  plan.source = make_canary_source(std::move(data));
  return plan;
}

std::vector<double> AuditRunner::run(CanaryData data, std::uint64_t seed,
                                     std::span<const Canary> places, Sight sight) {
  const Plan plan = plan_of(std::move(data), seed, places.front().client);
  Assembly parts = assemble(plan, place_, "");
  const auto all = audit_.plan.with({.seed = seed}).schedule.make();
  AdversaryView adversary_view(audit_, plan,
                               {*all, plan.draws_secretly() ? parts.server_secret.get() : nullptr},
                               places, sight);
  const auto driver = make_driver({plan, parts, ranks_, place_, &adversary_view});
  driver->run_until(static_cast<std::uint32_t>(plan.rounds), timer_);
  if (audit_.tap != Tap::output) return adversary_view.seen();
  // The server steps against the gradient, from 0.
  if (place_.rank != 0) return {};
  return {-static_cast<double>(driver->model()[places.front().coordinate])};
}

std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run) {
  Stream stream({seed, Purpose::audit, static_cast<std::uint32_t>(what), run});
  const std::uint64_t high = stream.word();
  return high << 32U | stream.word();
}

}  // namespace trilemma
