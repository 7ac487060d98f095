#include <cmath>

#include "data/source.hpp"
#include "numeric/lanes.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

enum class Law { signs, sphere, groups };

struct VectorSettings {
  std::size_t vectors = 500, features = 1000;
  Law law = Law::signs;
  double norm = 1;

  void read(Reader& r) {
    constexpr Range some{.low = 1, .high = 1e7};
    r("vectors", vectors, some, "vectors, one per client");
    r("features", features, some, "d: coordinates");
    r("law", law, {{"signs", Law::signs}, {"sphere", Law::sphere}, {"groups", Law::groups}},
      "signs: coordinates of equal magnitude, four fifths of them positive; sphere: uniform "
      "directions; groups: coordinates of law N(10, 1) in one half of the vectors, N(1, 1) in the "
      "other");
    r("norm", norm, positive(), "Euclidean norm of every vector");
  }
};

// Vectors of one norm, whose mean is to be estimated: `signs` are those of Chen et al. 2023
// (2304.01541), `sphere` those of Kairouz, Liu and Steinke 2021 (2102.06387), and `groups` those of
// Asi, Feldman and Talwar 2022 (2205.02466). Vector i is the only record of user i.
class VectorsSource final : public Source {
 public:
  explicit VectorsSource(const VectorSettings& s) : s_(s) {}
  std::size_t features() const override { return s_.features; }
  int classes() const override { return 0; }
  bool sparse() const override { return false; }
  bool has_users() const override { return true; }
  std::size_t rows() const override { return s_.vectors; }
  std::string description() const override {
    return fmt::format("{} vectors of norm {:g} in {} coordinates", s_.vectors, s_.norm,
                       s_.features);
  }

  TrainTest load(const std::string&, std::uint64_t seed) const override {
    TrainTest data;
    Dataset& train = data.train;
    DenseRows rows;
    rows.columns = s_.features;
    std::vector<double> drawn(s_.features);
    for (std::uint32_t i = 0; i < s_.vectors; ++i) {
      draw({seed, Purpose::data, i, stream}, i, drawn);
      const double scale = s_.norm / std::sqrt(norm_squared<double>(drawn));
      for (const double value : drawn) rows.value.push_back(static_cast<real>(scale * value));
      train.user.push_back(i);
    }
    train.rows = std::move(rows);
    train.target.assign(s_.vectors, real{0});
    train.label.assign(s_.vectors, 0);
    train.classes = 0;
    return data;
  }

 private:
  // Round in the address of the numbers.
  static constexpr std::uint32_t stream = 30;

  void draw(const Key& key, std::uint32_t i, std::vector<double>& out) const {
    if (s_.law == Law::signs) {
      Stream coins(key);
      for (double& value : out) value = coins.uniform() < 0.8 ? 1 : -1;
      return;
    }
    normals(key, 0, out);
    if (s_.law == Law::sphere) return;
    const double centre = i < s_.vectors / 2 ? 10 : 1;
    for (double& value : out) value += centre;
  }

  VectorSettings s_;
};

}  // namespace

Row<SourceMaker> vectors_source() {
  return part_with_settings("vectors",
                            "vectors of one norm, one per client, to estimate their mean",
                            make_source<VectorsSource, VectorSettings>);
}

}  // namespace trilemma
