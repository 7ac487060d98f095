#include "method/state_shape.hpp"

#include <algorithm>

namespace trilemma {

Vector StateShape::begin(Vector start) const {
  start.resize(state, real{0});
  if (stride == 0) return start;
  for (std::size_t first = stride; first < state; first += stride)
    std::copy_n(start.begin(), stride, start.begin() + static_cast<std::ptrdiff_t>(first));
  return start;
}

ConstView StateShape::common(ConstView of, Vector& room) const {
  if (stride == 0) return of.first(model);
  std::vector<double> sum(model, 0.0);
  for (std::size_t first = 0; first < state; first += stride)
    for (std::size_t j = 0; j < model; ++j) sum[j] += static_cast<double>(of[first + j]);
  const double share = static_cast<double>(stride) / static_cast<double>(state);
  room.resize(model);
  for (std::size_t j = 0; j < model; ++j) room[j] = static_cast<real>(share * sum[j]);
  return room;
}

StateShape plain_shape(std::size_t d, std::size_t) { return {d, d, d, d, 0}; }
StateShape node_shape(std::size_t d, std::size_t) { return {d, d, 0, d, 0}; }
StateShape silent_shape(std::size_t d, std::size_t) { return {d, d, 0, 0, 0}; }
StateShape paired_shape(std::size_t d, std::size_t) { return {d, 2 * d, 2 * d, 2 * d, 0}; }
ShapeMaker scalars_shape(std::size_t scalars) {
  return [scalars](std::size_t d, std::size_t) { return StateShape{d, d, d, scalars, 0}; };
}
StateShape blocks_shape(std::size_t d, std::size_t clients) {
  return {d, clients * d, clients * d, d, d};
}

}  // namespace trilemma
