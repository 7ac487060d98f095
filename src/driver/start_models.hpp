#pragma once

#include <map>
#include <vector>

#include "base/state.hpp"
#include "federation/client_inputs.hpp"
#include "schedule/contact.hpp"

namespace trilemma {

/// The models of the server that clients work at, by the server steps behind them.
class StartModels {
 public:
  void keep(std::uint32_t step, ConstView model) {
    models_[step].assign(model.begin(), model.end());
  }
  void drop(std::uint32_t step) { models_.erase(step); }
  bool has(std::uint32_t step) const { return models_.contains(step); }
  const Vector& at(std::uint32_t step) const { return models_.at(step); }
  /// Drops those that `is_wanted` does not want.
  template <class Wanted>
  void retain(Wanted is_wanted) {
    for (auto held = models_.begin(); held != models_.end();)
      if (is_wanted(held->first))
        ++held;
      else
        held = models_.erase(held);
  }

  /// Returns the inputs of a server step's contacts; `now` is the server's model of the step for
  /// clients with models of their own, else empty. Valid until a model is dropped.
  std::vector<ClientInputs> inputs(const TimedStep& server_step, ConstView now) const;

  void persist(State& state);

 private:
  std::map<std::uint32_t, Vector> models_;
};

}  // namespace trilemma
