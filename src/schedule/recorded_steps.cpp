#include <utility>

#include "schedule/step_sequence.hpp"

namespace trilemma {
namespace {

class RecordedSteps final : public StepSequence {
 public:
  RecordedSteps(std::shared_ptr<const std::vector<TimedStep>> server_steps, double expected,
                std::uint64_t handed_out)
      : server_steps_(std::move(server_steps)), expected_(expected), handed_out_(handed_out) {
    for (const TimedStep& server_step : *server_steps_)
      for (const Contact& contact : server_step.contacts) ++starts_[contact.base];
    begin_at(0);
  }

  double expected() const override { return expected_; }
  // The record does not contain local work that led to no contact.
  bool knows_all_work() const override { return false; }
  const char* units() const override { return measured_units; }
  std::uint64_t handed_out() const override { return handed_out_; }

 private:
  void fill(TimedStep& server_step) override {
    const TimedStep& recorded = server_steps_->at(step());
    server_step.time = recorded.time;
    // The record contains the base version of a client's job, but not the time at which it began.
    for (const Contact& contact : recorded.contacts)
      report(server_step, contact, contact.base <= step() ? made(contact.base) : 0);
    begin_at(step() + 1);
  }
  void begin_at(std::uint32_t model) {
    const auto found = starts_.find(model);
    for (std::uint32_t i = 0; found != starts_.end() && i < found->second; ++i) begins(model);
  }

  std::shared_ptr<const std::vector<TimedStep>> server_steps_;
  double expected_;
  std::uint64_t handed_out_;
  std::map<std::uint32_t, std::uint32_t> starts_;  ///< number of contacts by base version
};

}  // namespace

Choice<StepSequence> recorded_steps(std::vector<TimedStep> server_steps, double expected,
                                    std::uint64_t handed_out) {
  auto shared = std::make_shared<const std::vector<TimedStep>>(std::move(server_steps));
  return Choice<StepSequence>(
      [=] { return std::make_unique<RecordedSteps>(shared, expected, handed_out); });
}

}  // namespace trilemma
