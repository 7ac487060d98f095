#pragma once

#include <map>

#include "base/state.hpp"
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

  /// The mean of vectors relative to where clients have started, of a method that averages models:
  /// makes it relative to x. `contacts` is how many a server step has in expectation.
  void relate(const Meeting& meeting, double contacts, ConstView x, std::span<double> mean) const;

  void persist(State& state);

 private:
  std::map<std::uint32_t, Vector> models_;
};

}  // namespace trilemma
