#pragma once

#include "base/types.hpp"

namespace trilemma {

/// The selected coordinates of a vector: all, or an ascending list, which may be empty. A view;
/// does not own the list.
class Support {
 public:
  /// Returns the support of all coordinates; of() returns that of an ascending list.
  static Support all() { return Support(true, {}); }
  static Support of(Coordinates list) { return Support(false, list); }

  bool is_all() const { return is_all_; }
  /// Returns the number of selected coordinates of a vector of length `dimension`.
  std::size_t size(std::size_t dimension) const { return is_all_ ? dimension : list_.size(); }
  /// Returns selected coordinate number i.
  std::size_t operator[](std::size_t i) const { return is_all_ ? i : list_[i]; }
  /// Returns the list. Requires that not all are selected.
  Coordinates list() const { return list_; }
  /// Calls visit(i, j) for selected coordinate number i, which is coordinate j, of a vector of
  /// length `dimension`.
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

/// A vector with entries `value` at the coordinates `at` and 0 elsewhere, as represented by a
/// message.
struct SparseView {
  Support at;
  ConstView value;
};

}  // namespace trilemma
