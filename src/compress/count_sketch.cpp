#include <limits>

#include "compress/count.hpp"

namespace trilemma {
namespace {

struct Shape {
  std::size_t rows, columns;
};

struct SketchOptions {
  CountOptions count;
  std::size_t rows = 3;
  void read(Reader& r) {
    count.read(r);
    r("rows", rows, {.low = 1, .high = 64}, "rows of a sketch, each with k / rows counters");
  }
};

// Count sketch (Charikar, Chen and Farach-Colton 2002): in each of r rows every coordinate is
// added, with a random sign, to a random one of c counters. A coordinate is estimated by the mean
// over the rows of its sign times its counter: unbiased, and E||C(z) - z||^2 = (d - 1) / (r c)
// ||z||^2, since two coordinates share a counter of a row with probability 1/c. Linear, with the
// same hashes for all clients of a round. ||C(z)|| / ||z|| may grow with the number of coordinates
// that share a counter, so there is no bound on it.
class CountSketch final : public Compressor {
 public:
  CountSketch(std::size_t dimension, const Shape& shape, ValueFormat format)
      : shape_(shape),
        layout_{.dimension = dimension,
                .count = shape.rows * shape.columns,
                .index = IndexCode::keyed,
                .value = format} {}

  std::string label() const override { return "count-sketch"; }
  std::string description() const override {
    return fmt::format("count-sketch, {} rows of {} counters for {} coordinates", shape_.rows,
                       shape_.columns, layout_.dimension) +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override {
    const RoundingTraits rounding = rounding_traits(layout_.value, layout_.count);
    // Each coordinate reads its own counter of a row, which holds 1 + (d - 1) / c coordinates in
    // the mean.
    const auto rows = static_cast<double>(shape_.rows);
    const double collisions =
        static_cast<double>(layout_.dimension - 1) / static_cast<double>(shape_.columns);
    return {.unbiased = true,
            .omega = (collisions * (1 + 0x1p-20) + rounding.omega * (1 + collisions)) / rows,
            .gain = std::numeric_limits<double>::quiet_NaN()};
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    draw(key);
    out.index.clear();
    out.value.assign(layout_.count, real{0});
    each_counter([&](std::size_t j, std::size_t counter, bool turned) {
      out.value[counter] += turned ? -z[j] : z[j];
    });
    rounding_(layout_.value, key, out.value);
  }
  void recall(const Key& key, Message&) override { draw(key); }
  SparseView expand(const Message& message) override {
    vector_.assign(layout_.dimension, real{0});
    each_counter([&](std::size_t j, std::size_t counter, bool turned) {
      vector_[j] += turned ? -message.value[counter] : message.value[counter];
    });
    const real share = real{1} / static_cast<real>(shape_.rows);
    for (auto& value : vector_) value *= share;
    return {Support::all(), vector_};
  }

 private:
  // One bit of each word gives the sign, the other bits give the counter.
  void draw(const Key& key) {
    const Key shared = shared_mask(key);
    if (!hash_.empty() && shared.round == drawn_.round && shared.seed == drawn_.seed) return;
    hash_.resize((shape_.rows * layout_.dimension + 3) / 4 * 4);
    random_words(shared, 0, hash_);
    drawn_ = shared;
  }
  template <class Visit>
  void each_counter(Visit&& visit) const {
    for (std::size_t row = 0; row < shape_.rows; ++row)
      for (std::size_t j = 0; j < layout_.dimension; ++j) {
        const std::uint32_t word = hash_[row * layout_.dimension + j];
        const std::size_t column = std::uint64_t{word >> 1U} * shape_.columns >> 31U;
        visit(j, row * shape_.columns + column, (word & 1U) != 0);
      }
  }

  Shape shape_;
  Layout layout_;
  Rounding rounding_;
  Key drawn_;
  std::vector<std::uint32_t> hash_;
  Vector vector_;
};

std::unique_ptr<Compressor> make_count_sketch(const SketchOptions& options,
                                              const Settings& settings, std::size_t dimension,
                                              ValueFormat format) {
  const std::size_t k = options.count.count(dimension, settings);
  const Shape shape{options.rows, std::max<std::size_t>(1, k / options.rows)};
  return std::make_unique<CountSketch>(dimension, shape, format);
}

}  // namespace

Row<CompressorMaker> count_sketch_compressor() {
  return part_with_settings("count-sketch",
                            "sums of coordinates at random places, with random signs; unbiased",
                            make_count_sketch);
}

}  // namespace trilemma
