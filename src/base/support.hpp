#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Which coordinates of a vector: all of them, or those of a list, ascending, which may be empty.
/// Refers to the list.
class Support {
 public:
  static Support all() { return Support(true, {}); }
  static Support of(Coordinates list) { return Support(false, list); }

  bool is_all() const { return is_all_; }
  /// Their number in a vector of so many.
  std::size_t size(std::size_t dimension) const { return is_all_ ? dimension : list_.size(); }
  /// Number i of them.
  std::size_t operator[](std::size_t i) const { return is_all_ ? i : list_[i]; }
  /// Unless all.
  Coordinates list() const { return list_; }
  /// Calls visit(i, j) for coordinate j, number i of them, in a vector of `dimension`.
  template <class Visit>
  void each(std::size_t dimension, Visit&& visit) const {
    if (is_all_)
      for (std::size_t j = 0; j < dimension; ++j) visit(j, j);
    else
      for (std::size_t i = 0; i < list_.size(); ++i) visit(i, std::size_t{list_[i]});
  }

 private:
  Support(bool is_all, Coordinates list) : is_all_(is_all), list_(list) {}

  bool is_all_;
  Coordinates list_;
};

/// A vector with entries `value` at these coordinates and 0 elsewhere, as a message stands for it.
struct SparseView {
  Support at;
  ConstView value;
};

}  // namespace trilemma
