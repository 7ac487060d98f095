#include <algorithm>
#include <cmath>

#include "data/source.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

struct QuadraticSettings {
  std::size_t functions = 100, features = 200, rank = 20;
  double spread = 1, scale = 1;

  void read(Reader& r) {
    constexpr Range some{.low = 1, .high = 1e7};
    r("functions", functions, some, "quadratic functions, one per client");
    r("features", features, some, "d: coordinates");
    r("rank", rank, some, "columns of A_i");
    r("spread", spread, at_least(0), "standard deviation of the centres c_i");
    std::optional<double> given;
    r("scale", given, Word{"1/rank"}, positive(), "standard deviation of the entries of A_i");
    scale = given.value_or(1.0 / static_cast<double>(rank));
  }
};

// Quadratic objectives f_i(w) = 1/2 (w - c_i)^T A_i A_i^T (w - c_i) with random A_i (d x rank) and
// c_i ([NORM] section 5.3), written as least squares: the `rank` records of user i are sqrt(rank)
// times the columns of A_i, with targets such that the mean of half the squared residuals is f_i.
class QuadraticsSource final : public Source {
 public:
  explicit QuadraticsSource(const QuadraticSettings& s) : s_(s) {}
  std::size_t features() const override { return s_.features; }
  int classes() const override { return 0; }
  bool sparse() const override { return false; }
  bool has_users() const override { return true; }
  std::size_t rows() const override { return s_.functions * s_.rank; }
  std::string description() const override {
    return fmt::format("{} quadratics of rank {} in {} coordinates", s_.functions, s_.rank,
                       s_.features);
  }

  TrainTest load(const std::string&, std::uint64_t seed) const override {
    const std::size_t d = s_.features;
    DenseRows rows;
    rows.columns = d;
    TrainTest data;
    Dataset& train = data.train;
    std::vector<double> centre(d);
    std::vector<double> entries(d);
    const double factor = s_.scale * std::sqrt(static_cast<double>(s_.rank));
    for (std::uint32_t i = 0; i < s_.functions; ++i) {
      normals({seed, Purpose::data, i, 10}, 0, centre);
      for (std::uint32_t k = 0; k < s_.rank; ++k) {
        normals({seed, Purpose::data, i, 11 + k}, 0, entries);
        double target = 0;
        for (std::size_t j = 0; j < d; ++j) {
          rows.value.push_back(static_cast<real>(factor * entries[j]));
          target += static_cast<double>(rows.value.back()) * s_.spread * centre[j];
        }
        train.target.push_back(static_cast<real>(target));
        train.user.push_back(i);
      }
    }
    train.rows = std::move(rows);
    train.label.assign(train.target.size(), 0);
    train.classes = 0;
    return data;
  }

 private:
  QuadraticSettings s_;
};

}  // namespace

Row<SourceMaker> quadratics_source() {
  return part_with_settings("quadratics",
                            "heterogeneous random quadratics as least squares, one user each",
                            make_source<QuadraticsSource, QuadraticSettings>);
}

}  // namespace trilemma
