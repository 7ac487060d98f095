#include "compress/layered.hpp"

#include <cmath>

#include "wire/bits.hpp"

namespace trilemma {
namespace {

// The quantiser of one coordinate.
struct Cell {
  double step, mid, shift;
  std::int64_t least = 0;  ///< M at -c
  std::uint32_t last = 0;  ///< M at c, minus `least`
  unsigned bits = 0;

  std::int64_t level(double x) const {
    return static_cast<std::int64_t>(std::floor(x / step - shift + 0.5));
  }
};

Cell cell_of(const LayeredTask& task, const double* normal, std::uint32_t word) {
  const double square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
  const double near = task.sigma * std::sqrt(square);
  const double far = task.sigma * std::sqrt(-2 * std::log(-std::expm1(-square / 2)));
  const double side = normal[0] > 0 ? 0.5 : -0.5;
  Cell cell{.step = near + far,
            .mid = side * (near - far),
            .shift = (static_cast<double>(word) + 0.5) * 0x1p-32};
  cell.least = cell.level(-task.limit);
  cell.last = static_cast<std::uint32_t>(cell.level(task.limit) - cell.least);
  cell.bits = bits_for(std::uint64_t{cell.last} + 1);
  return cell;
}

// Entries are the bits of all coordinates, -1 for 1 and 1 for 0.
class Layered final : public Compressor {
 public:
  explicit Layered(const LayeredTask& task)
      : task_(task),
        layout_{.dimension = task.dimension,
                .count = most_bits * task.dimension,
                .levels = 1,
                .level = LevelCode::sign,
                .varies = true,
                .is_keyed = true} {}

  std::string label() const override { return "layered quantiser"; }
  std::string description() const override {
    return fmt::format("layered quantiser of coordinates up to {:.4g}, messages of any size",
                       task_.limit);
  }
  CompressorTraits traits() const override { return {.unbiased = true, .omega = 0, .gain = 1}; }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    draw(key);
    out.level.clear();
    for (std::size_t j = 0; j < z.size(); ++j) {
      const Cell& cell = cell_[j];
      const double x = std::clamp(static_cast<double>(z[j]), -task_.limit, task_.limit);
      const auto sent = static_cast<std::uint32_t>(cell.level(x) - cell.least);
      for (unsigned bit = 0; bit < cell.bits; ++bit)
        out.level.push_back((sent >> bit & 1U) != 0 ? -1 : 1);
    }
  }

  std::size_t entries(const Key& key) override {
    draw(key);
    std::size_t bits = 0;
    for (const Cell& cell : cell_) bits += cell.bits;
    return bits;
  }

  SparseView expand(const Message& message) override {
    value_.resize(cell_.size());
    auto next = message.level.begin();
    for (std::size_t j = 0; j < cell_.size(); ++j) {
      const Cell& cell = cell_[j];
      std::uint32_t sent = 0;
      for (unsigned bit = 0; bit < cell.bits; ++bit) sent |= (*next++ < 0 ? 1U : 0U) << bit;
      if (sent > cell.last)
        throw RunFailure(
            fmt::format("a message holds {} where the largest value is {}", sent, cell.last));
      const auto level = static_cast<double>(cell.least + sent);
      value_[j] = static_cast<real>((level + cell.shift) * cell.step + cell.mid);
    }
    return {Support::all(), value_};
  }

 private:
  static constexpr std::size_t most_bits = 31;

  // Draws the quantisers of a client and round, which compress() or entries() then has to itself.
  void draw(const Key& key) {
    Key noise = key;
    noise.purpose = Purpose::noise;
    normal_.resize(3 * task_.dimension);
    normals(noise, 0, normal_);
    rounding_words(key, task_.dimension, word_);
    cell_.resize(task_.dimension);
    for (std::size_t j = 0; j < cell_.size(); ++j)
      cell_[j] = cell_of(task_, &normal_[3 * j], word_[j]);
  }

  LayeredTask task_;
  Layout layout_;
  std::vector<double> normal_;       ///< scratch memory
  std::vector<std::uint32_t> word_;  ///< scratch memory
  std::vector<Cell> cell_;           ///< by coordinate
  Vector value_;
};

}  // namespace

std::unique_ptr<Compressor> make_layered(const LayeredTask& task) {
  require(task.limit < 0x1p29 * task.sigma,
          "joint.kind = \"layered\": noise of standard deviation {:g} is too small for coordinates "
          "up to {:g}; lower joint.range, or add more noise",
          task.sigma, task.limit);
  return std::make_unique<Layered>(task);
}

}  // namespace trilemma
