#include "driver/start_models.hpp"

namespace trilemma {

std::vector<ClientInputs> StartModels::inputs(const TimedStep& server_step, ConstView now) const {
  std::vector<ClientInputs> all;
  for (const Contact& contact : server_step.contacts)
    all.push_back({.client = contact.client,
                   .task = {.model = models_.at(contact.base),
                            .steps = contact.steps,
                            .scale = contact.factor * contact.weight,
                            .number = contact.number,
                            .age = contact.base,
                            .now = now},
                   .weight = contact.weight});
  return all;
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
