#include "schedule/timeline.hpp"

namespace trilemma {

void Timeline::next(Meeting& meeting) {
  meeting.contacts.clear();
  fill(meeting);
  ++step_;
}

void Timeline::ends(std::uint32_t model) {
  const auto found = at_work_.find(model);
  if (--found->second == 0) at_work_.erase(found);
}

}  // namespace trilemma
