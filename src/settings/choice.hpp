#pragma once
// Parts that have been chosen and checked, but not made.

#include <functional>
#include <memory>
#include <utility>

namespace trilemma {

/// A part as an experiment has chosen it. It can be asked what it is, and made afresh for each end
/// and each worker: what it remembers, or keeps as scratch memory, is never shared. Copies are
/// cheap.
template <class Part>
class Choice {
 public:
  using Maker = std::function<std::unique_ptr<Part>()>;

  /// Nothing is chosen.
  Choice() = default;
  /// `make` gives equal parts, however often it is called.
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
