#include "schedule/recorded_steps.hpp"

#include <utility>

namespace trilemma {
namespace {

class RecordedSteps final : public StepSequence {
 public:
  RecordedSteps(std::shared_ptr<const std::vector<Meeting>> meetings, double expected,
                std::uint64_t handed_out)
      : meetings_(std::move(meetings)), expected_(expected), handed_out_(handed_out) {
    for (const Meeting& meeting : *meetings_)
      for (const Contact& contact : meeting.contacts) ++starts_[contact.start];
    begin_at(0);
  }

  double expected() const override { return expected_; }
  // Work that has not led to a contact is not recorded.
  bool knows_all_work() const override { return false; }
  const char* units() const override { return "s"; }
  std::uint64_t handed_out() const override { return handed_out_; }

 private:
  void fill(Meeting& meeting) override {
    const Meeting& recorded = meetings_->at(step());
    meeting.time = recorded.time;
    // A record does not contain when a client began, only from which model.
    for (const Contact& contact : recorded.contacts)
      report(meeting, contact, contact.start <= step() ? made(contact.start) : 0);
    begin_at(step() + 1);
  }
  void begin_at(std::uint32_t model) {
    const auto found = starts_.find(model);
    for (std::uint32_t i = 0; found != starts_.end() && i < found->second; ++i) begins(model);
  }

  std::shared_ptr<const std::vector<Meeting>> meetings_;
  double expected_;
  std::uint64_t handed_out_;
  std::map<std::uint32_t, std::uint32_t> starts_;  ///< contacts by the model that they begin at
};

}  // namespace

Choice<StepSequence> recorded_steps(std::vector<Meeting> meetings, double expected,
                                    std::uint64_t handed_out) {
  auto shared = std::make_shared<const std::vector<Meeting>>(std::move(meetings));
  return Choice<StepSequence>(
      [=] { return std::make_unique<RecordedSteps>(shared, expected, handed_out); });
}

}  // namespace trilemma
