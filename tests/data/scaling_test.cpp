// Feature scaling (src/data/scaling.hpp; spec algorithms.md A36): spectral norms that are known in
// closed form, the divisor, the standardisation of images.

#include "data/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::scaling_test {

SparseRows matrix(const std::vector<std::vector<double>>& rows) {
  SparseRows out;
  out.columns = rows.front().size();
  for (const auto& row : rows) {
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      out.column.push_back(j);
      out.value.push_back(static_cast<real>(row[j]));
    }
    out.start.push_back(out.column.size());
  }
  return out;
}

TEST(SpectralNorm, KnownSingularValues) {
  EXPECT_NEAR(spectral_norm(matrix({{3, 0, 0}, {0, -7, 0}, {0, 0, 2}})), 7.0, 1e-9);
  EXPECT_NEAR(spectral_norm(matrix({{3, 4}})), 5.0, 1e-9);
  // All ones: sqrt(rows * columns).
  EXPECT_NEAR(spectral_norm(matrix({{1, 1, 1}, {1, 1, 1}})), std::sqrt(6.0), 1e-9);
  // [[1, 2], [3, 4]]: sigma^2 = 15 + sqrt(221).
  EXPECT_NEAR(spectral_norm(matrix({{1, 2}, {3, 4}})), std::sqrt(15.0 + std::sqrt(221.0)), 1e-9);
  EXPECT_EQ(spectral_norm(matrix({{0, 0}})), 0.0);
}

// Leading right singular vector (1, -1)/sqrt(2): orthogonal to a start vector of ones.
TEST(SpectralNorm, LeadingVectorOrthogonalToTheOnes) {
  EXPECT_NEAR(spectral_norm(matrix({{1, -1}})), std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(spectral_norm(matrix({{2, -2}, {1, 1}})), std::sqrt(8.0), 1e-9);
}

TEST(Scaling, SpectralDividesTrainingAndTestAlike) {
  TrainTest data;
  data.train.rows = matrix({{3, 0}, {0, 4}});
  data.train.label = {1, -1};
  data.test.rows = matrix({{8, 1}});
  data.test.label = {1};
  scale_features(data, Scaling::spectral);
  // Spectral norm 4, divisor 4 / (2 sqrt 2) = sqrt 2.
  const double divisor = std::sqrt(2.0);
  const auto& train = std::get<SparseRows>(data.train.rows);
  EXPECT_NEAR(train.value[0], 3 / divisor, 4 * testing::rounding + 1e-11);
  EXPECT_NEAR(train.value[1], 4 / divisor, 4 * testing::rounding + 1e-11);
  EXPECT_NEAR(std::get<SparseRows>(data.test.rows).value[0], 8 / divisor,
              8 * testing::rounding + 1e-11);
  // What it is for: X^T X / (4 rows) has norm 1, so the logistic loss has L <= 1.
  EXPECT_NEAR(std::pow(spectral_norm(train), 2) / (4.0 * 2.0), 1.0, 1e-6);
}

TEST(Scaling, SpectralIsTheSameForRowsThatAreMadeDense) {
  TrainTest data;
  data.train.rows = matrix({{1, 0, 2}, {0, -3, 0}, {0.5, 0, 0}});
  data.train.label = {1, -1, 1};
  TrainTest dense = data;
  dense.train.make_dense();
  EXPECT_EQ(scale_features(data, Scaling::spectral), scale_features(dense, Scaling::spectral));
  data.train.make_dense();
  EXPECT_EQ(std::get<DenseRows>(data.train.rows).value,
            std::get<DenseRows>(dense.train.rows).value);
}

TEST(Scaling, StandardGivesMeanZeroAndDeviationOne) {
  TrainTest data;
  data.train = testing::byte_records(40, 30, 3, 5, 0.3);
  data.test = testing::byte_records(10, 30, 3, 6, 0.3);
  scale_features(data, Scaling::standard);
  const auto& train = std::get<DenseRows>(data.train.rows);
  Vector value(40 * 30);
  train.gather(testing::all_rows(40), value);
  double sum = 0;
  double squares = 0;
  for (const double v : value) {
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 1200, 0.0, 1e-6);
  EXPECT_NEAR(squares / 1200, 1.0, 1e-6);
  EXPECT_EQ(std::get<DenseRows>(data.test.rows).scale, train.scale);
  EXPECT_EQ(std::get<DenseRows>(data.test.rows).shift, train.shift);
}

TEST(Scaling, NoneLeavesTheDataAlone) {
  TrainTest data;
  data.train.rows = matrix({{3, 4}});
  data.train.label = {1};
  EXPECT_EQ(scale_features(data, Scaling::none), "");
  EXPECT_EQ(std::get<SparseRows>(data.train.rows).value, (Vector{3, 4}));
}

TEST(Scaling, RefusesDataOfAnotherKindOrWithoutSpread) {
  TrainTest sparse;
  sparse.train.rows = matrix({{0, 0}});
  sparse.train.label = {1};
  testing::expect_parts(testing::refusal([&] { scale_features(sparse, Scaling::spectral); }),
                        {"zero"});
  testing::expect_parts(testing::refusal([&] { scale_features(sparse, Scaling::standard); }),
                        {"images"});
  TrainTest images;
  DenseRows flat;
  flat.columns = 2;
  flat.byte = {9, 9};
  images.train.rows = flat;
  images.train.label = {0};
  testing::expect_parts(testing::refusal([&] { scale_features(images, Scaling::standard); }),
                        {"equal"});
  testing::expect_parts(testing::refusal([&] { scale_features(images, Scaling::spectral); }),
                        {"images"});
  testing::expect_parts(testing::refusal([&] { append_bias(images.train); }), {"bias"});
}

}  // namespace trilemma::scaling_test
