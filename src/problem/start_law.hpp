#pragma once
// Laws of random start models. Laws of layers scale the parameters of every layer by its shape, so
// that activations and derivatives neither vanish nor explode.

#include <span>
#include <string>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma {

/// Law of the coordinates of a start model. zero: 0; normal: N(0, 1) and uniform: on (0, 1), both
/// times start.scale; own: what the problem draws (Problem::own_start); and by layer he: weights
/// N(0, 2 / fan_in), biases 0 (He, Zhang, Ren and Sun 2015); glorot: weights uniform on +-sqrt(6 /
/// (fan_in + fan_out)), biases 0 (Glorot and Bengio 2010); fan_in: weights and biases uniform on
/// +-1 / sqrt(fan_in), as PyTorch's Linear and Conv2d.
enum class StartLaw { normal, uniform, zero, own, he, glorot, fan_in };

/// Returns the names in settings, in the order of the values.
const std::vector<std::string>& start_laws();
/// Returns the name of one law.
const std::string& start_law_name(StartLaw law);
/// Returns whether the law needs the layers of the problem.
inline bool is_by_layer(StartLaw law) { return law >= StartLaw::he; }
/// Returns whether start.scale has no meaning for the law.
inline bool has_own_size(StartLaw law) { return law >= StartLaw::zero; }

/// Position of a layer in the model: its weights from `first` on, one row of `outputs` values per
/// input, then the biases. A unit of a convolution is a map, and its inputs are the values under
/// the kernel; the values that a pooling or a layer below passes on are ordered so that those of
/// one unit are `outputs` of that layer apart.
struct StartLayer {
  std::size_t first = 0;
  std::size_t fan_in = 0;     ///< number of inputs of a unit
  std::size_t fan_out = 0;    ///< number of derivatives that reach an input
  std::size_t outputs = 0;    ///< number of units
  bool is_rectified = false;  ///< whether a ReLU follows
  bool is_scale = false;      ///< factors of single values: 1 at the start under any law of layers
  bool has_biases = true;
  bool is_lookup = false;  ///< one input is 1 and the others are 0: the laws see a fan-in of 1
  std::size_t bias() const { return first + fan_in * outputs; }
  std::size_t end() const { return bias() + (has_biases ? outputs : 0); }
};

/// Returns the layer of `channels` scales of single values, followed by as many shifts.
inline StartLayer scales_and_shifts(std::size_t first, std::size_t channels) {
  return {.first = first, .fan_in = 1, .fan_out = 1, .outputs = channels, .is_scale = true};
}

/// Returns a model of `dimension` coordinates whose layers are drawn by a law of layers; coordinate
/// j uses number j of the stream. Coordinates outside all layers are 0.
std::vector<double> draw_layers(std::span<const StartLayer> layers, StartLaw law, const Key& key,
                                std::size_t dimension);

/// Returns a part of a sentence that names a hidden layer of the model that cannot learn: one whose
/// units are all equal, so that they stay equal, or, before a ReLU, one without weights and
/// positive biases, so that all its derivatives are 0. Empty if there is none.
std::string stuck_layer(std::span<const StartLayer> layers, ConstView x);

}  // namespace trilemma
