#include "schedule/timeline.hpp"

namespace trilemma {

void Timeline::next(Meeting& meeting) {
  meeting.contacts.clear();
  fill(meeting);
  ++step_;
}

std::uint64_t Timeline::handed_out() const {
  std::uint64_t models = 0;
  for (const auto& [model, clients] : at_work_) models += clients;
  return models;
}

void Timeline::ends(std::uint32_t model) {
  const auto found = at_work_.find(model);
  if (--found->second == 0) at_work_.erase(found);
}

}  // namespace trilemma
