#include <algorithm>

#include "problem/kernels/convolution.hpp"

namespace trilemma {
namespace {

// Calls visit(start in the patches, start in the image, number of values, whether they are inside)
// for every row of the kernel at every position, in pieces that are inside or outside of the image.
template <class Visit>
void each_run(const StridedConvolution& c, Visit&& visit) {
  const auto signed_of = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const std::ptrdiff_t width = signed_of(c.width);
  std::size_t at = 0;
  for (std::size_t i = 0; i < c.out_height(); ++i)
    for (std::size_t j = 0; j < c.out_width(); ++j) {
      const std::ptrdiff_t left = signed_of(j * c.stride) - signed_of(c.padding);
      const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(left, 0, width);
      const std::ptrdiff_t last = std::clamp<std::ptrdiff_t>(left + signed_of(c.kernel), 0, width);
      const auto before = static_cast<std::size_t>(first - left) * c.inputs;
      const auto inside = static_cast<std::size_t>(last - first) * c.inputs;
      const std::size_t run = c.kernel * c.inputs;
      for (std::size_t k = 0; k < c.kernel; ++k, at += run) {
        const std::ptrdiff_t row = signed_of(i * c.stride + k) - signed_of(c.padding);
        if (row < 0 || row >= signed_of(c.height) || inside == 0) {
          visit(at, 0, run, false);
          continue;
        }
        const auto from = static_cast<std::size_t>(row * width + first) * c.inputs;
        if (before > 0) visit(at, 0, before, false);
        visit(at + before, from, inside, true);
        if (before + inside < run) visit(at + before + inside, 0, run - before - inside, false);
      }
    }
}

}  // namespace

void gather_patches(const StridedConvolution& c, ConstView image, View patches) {
  each_run(c, [&](std::size_t to, std::size_t from, std::size_t count, bool is_inside) {
    if (is_inside)
      std::copy_n(image.data() + from, count, patches.data() + to);
    else
      std::fill_n(patches.data() + to, count, real{0});
  });
}

void scatter_patches(const StridedConvolution& c, ConstView patches, View image) {
  std::fill(image.begin(), image.end(), real{0});
  each_run(c, [&](std::size_t from, std::size_t to, std::size_t count, bool is_inside) {
    if (!is_inside) return;
    for (std::size_t v = 0; v < count; ++v) image[to + v] += patches[from + v];
  });
}

}  // namespace trilemma
