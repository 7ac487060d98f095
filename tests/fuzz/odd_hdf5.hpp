#pragma once
// What a run file or a checkpoint does not hold, or not there.

#include <string>
#include <vector>

#include "h5/library.hpp"
#include "numeric/random.hpp"

namespace trilemma::fuzz {

template <class T>
const T& one_of(const std::vector<T>& list, Stream& stream) {
  return list[stream.below(static_cast<std::uint32_t>(list.size()))];
}

/// Types that are expected somewhere, and others.
h5::Handle odd_type(Stream& stream);
std::vector<hsize_t> odd_extents(Stream& stream);
h5::Handle space_of(const std::vector<hsize_t>& extents);
double odd_number(Stream& stream);
/// A text that is none, or a change of `now`.
std::string odd_text(const std::string& now, Stream& stream);

}  // namespace trilemma::fuzz
