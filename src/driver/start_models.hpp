#pragma once

#include <map>
#include <vector>

#include "base/state.hpp"
#include "federation/client_inputs.hpp"
#include "schedule/step_sequence.hpp"

namespace trilemma {

/// Models that client jobs started from, by version: the number of server steps taken when the
/// model was made.
class StartModels {
 public:
  /// Stores a copy of `model` as version `step`, in place of an earlier one.
  void keep(std::uint32_t step, ConstView model) {
    models_[step].assign(model.begin(), model.end());
  }
  void drop(std::uint32_t step) { models_.erase(step); }
  bool has(std::uint32_t step) const { return models_.contains(step); }
  const Vector& at(std::uint32_t step) const { return models_.at(step); }
  /// Erases all versions that do not satisfy `is_wanted`.
  template <class Wanted>
  void retain(Wanted is_wanted) {
    for (auto held = models_.begin(); held != models_.end();)
      if (is_wanted(held->first))
        ++held;
      else
        held = models_.erase(held);
  }

  /// Returns the inputs of the contacts of `server_step`. `now` is the server's model of the step
  /// if clients have models of their own, otherwise empty. Valid until a model is dropped.
  std::vector<ClientInputs> inputs(const TimedStep& server_step, ConstView now) const;

  /// Saves or restores all models.
  void persist(State& state);

 private:
  std::map<std::uint32_t, Vector> models_;
};

}  // namespace trilemma
