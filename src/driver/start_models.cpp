#include "driver/start_models.hpp"

#include <vector>

namespace trilemma {

void StartModels::relate(const Meeting& meeting, double contacts, ConstView x,
                         std::span<double> mean) const {
  for (const Contact& contact : meeting.contacts) {
    const Vector& start = models_.at(contact.start);
    const double share = contact.weight / contacts;
    for (std::size_t j = 0; j < mean.size(); ++j)
      mean[j] += share * (static_cast<double>(x[j]) - static_cast<double>(start[j]));
  }
}

void StartModels::persist(State& state) {
  std::vector<std::uint32_t> held;
  for (const auto& [step, values] : models_) held.push_back(step);
  std::uint64_t count = held.size();
  state.value(count);
  held.resize(static_cast<std::size_t>(count));
  std::map<std::uint32_t, Vector> kept;
  for (std::uint32_t& step : held) {
    state.value(step);
    const auto found = models_.find(step);
    Vector& values = kept[step];
    if (found != models_.end()) values = std::move(found->second);
    state.values(values);
  }
  models_ = std::move(kept);
}

}  // namespace trilemma
