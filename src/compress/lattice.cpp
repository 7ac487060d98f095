#include <cmath>

#include "compress/compressor.hpp"

namespace trilemma {
namespace {

struct LatticeOptions {
  double step = 0.001;
  unsigned bits = 16;
  void read(Reader& r) {
    r("step", step, positive(), "h, distance of neighbouring points of the lattice");
    r("bits", bits, {.low = 2, .high = 24, .unit = "bits"},
      "b: bits of a coordinate, which distinguish 2^b - 1 neighbouring points");
  }
  std::uint32_t most() const { return (1U << (bits - 1)) - 1; }
};

// Cubic lattice of Davies, Gurunathan, Moshrefi, Ashkboos and Alistarh 2021, as used by QuAFL
// (Zakerinia et al. 2022, section 3): each coordinate is rounded at random and without bias to one
// of the two adjacent multiples of h, and only the residue of that multiple modulo 2^b - 1 is sent.
// The receiver takes the multiple with this residue that is nearest to its reference, which is the
// right one if the reference is closer than (2^(b-1) - 1) h. Unbiased; the variance is at most h^2
// / 4 per coordinate, whatever the norm of the vector.
class Lattice final : public Compressor {
 public:
  Lattice(std::size_t dimension, double step, std::uint32_t most, ValueFormat format)
      : layout_{.dimension = dimension, .count = dimension, .levels = most, .value = format},
        step_(static_cast<float>(step)),
        most_(most) {}

  std::string label() const override { return "lattice"; }
  std::string description() const override {
    return fmt::format("lattice, multiples of {:g} modulo {}", step_, modulus());
  }
  CompressorTraits traits() const override {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {.unbiased = true,
            .omega = none,
            .gain = none,
            .reach = static_cast<double>(most_) * static_cast<double>(step_)};
  }
  Layout layout() const override { return layout_; }
  void reference_model(ConstView reference) override { reference_ = reference; }

  void compress(ConstView z, const Key& key, Message& out) override {
    rounding_words(key, z.size(), words_);
    out.level.resize(z.size());
    for (std::size_t j = 0; j < z.size(); ++j) {
      const double x = static_cast<double>(z[j]) / static_cast<double>(step_);
      const double below = std::floor(x);
      const double point =
          below + (static_cast<double>(words_[j]) * 0x1p-32 < x - below ? 1.0 : 0.0);
      if (!(std::abs(point) <= most_points))
        throw RunFailure(
            fmt::format("compressor lattice: a value of {:g} is more than {} steps of {:g}; raise "
                        "compressor.step, or lower the step sizes if the run diverges",
                        z[j], most_points, step_));
      if (!(std::abs(point - centre(j)) <= most_))
        throw RunFailure(fmt::format(
            "compressor lattice: a value is {:g} away from what the receiver knows, and {} points "
            "at a distance of {:g} reach only {:g}; raise compressor.bits or compressor.step, or "
            "lower the step sizes if the run diverges",
            std::abs(static_cast<double>(z[j]) - centre(j) * static_cast<double>(step_)), modulus(),
            step_, traits().reach));
      out.level[j] = static_cast<std::int32_t>(residue(point));
    }
  }
  SparseView expand(const Message& message) override {
    values_.resize(message.level.size());
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const double middle = centre(j);
      const double point = middle + residue(message.level[j] - residue(middle));
      values_[j] = static_cast<real>(step_ * static_cast<float>(point));
    }
    return {Support::all(), values_};
  }

 private:
  // Number of multiples that a float can distinguish.
  static constexpr double most_points = 1 << 24;

  std::uint32_t modulus() const { return 2 * most_ + 1; }
  // Returns the multiple nearest to the reference.
  double centre(std::size_t j) const {
    return reference_.empty()
               ? 0
               : std::nearbyint(static_cast<double>(reference_[j]) / static_cast<double>(step_));
  }
  // Returns the residue of smallest magnitude.
  double residue(double point) const { return std::remainder(point, modulus()); }

  Layout layout_;
  float step_;
  std::uint32_t most_;
  ConstView reference_;
  std::vector<std::uint32_t> words_;
  Vector values_;
};

std::unique_ptr<Compressor> make_lattice(const LatticeOptions& options, std::size_t dimension,
                                         ValueFormat format) {
  return std::make_unique<Lattice>(dimension, options.step, options.most(), format);
}

}  // namespace

Row<CompressorMaker> lattice_compressor() {
  return part_with_settings(
      "lattice", "the same modulo 2^b - 1: decoded near what the receiver knows; an absolute bound",
      make_lattice);
}

}  // namespace trilemma
