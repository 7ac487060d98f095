#pragma once
// A part that has been chosen and checked, and that is constructed on demand.

#include <functional>
#include <memory>
#include <utility>

namespace trilemma {

/// A part chosen by an experiment. Its properties can be queried, and each end and each worker
/// constructs its own instance, so that state and scratch memory are never shared. Copies are
/// cheap.
template <class Part>
class Choice {
 public:
  using Maker = std::function<std::unique_ptr<Part>()>;

  /// Creates an empty choice, which converts to false.
  Choice() = default;
  /// Calls `make` once, for a part that answers queries. Every call must return an equal part.
  explicit Choice(Maker make) : make_(std::move(make)), asked_(make_()) {}

  std::unique_ptr<Part> make() const { return make_(); }
  const Part& operator*() const { return *asked_; }
  const Part* operator->() const { return asked_.get(); }
  explicit operator bool() const { return asked_ != nullptr; }

 private:
  Maker make_;
  std::shared_ptr<const Part> asked_;
};

}  // namespace trilemma
