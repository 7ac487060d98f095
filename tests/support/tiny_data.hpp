#pragma once
// Small deterministic data sets and the parts that read them.

#include <memory>

#include "data/dataset.hpp"
#include "numeric/random.hpp"
#include "problem/problem.hpp"

namespace trilemma::testing {

/// Sparse rows with about half of the features set, values N(0, 1), labels -1 and +1, norms
/// measured.
Dataset sparse_records(std::size_t rows, std::size_t features, std::uint64_t seed);
/// Dense rows of reals N(0, 1), labels 0 .. classes - 1, norms measured.
Dataset dense_records(std::size_t rows, std::size_t features, int classes, std::uint64_t seed);
/// Dense rows of tokens 0 .. vocabulary - 1, stored as reals, with such labels.
Dataset token_records(std::size_t rows, std::size_t length, int classes, std::uint32_t vocabulary,
                      std::uint64_t seed);
/// Dense rows of bytes of which about the share `filled` is not 0 (images have some 20 %, and most
/// of them take another way through the code than random bytes).
Dataset byte_records(std::size_t rows, std::size_t features, int classes, std::uint64_t seed,
                     double filled = 1.0);

/// The dense records with real targets N(0, 1).
Dataset target_records(std::size_t rows, std::size_t features, std::uint64_t seed);

/// N(0, 1) * scale in every coordinate.
Vector random_vector(std::size_t size, std::uint64_t seed, double scale = 1.0);

/// A row of problems() by name with settings as TOML.
std::unique_ptr<Problem> make_problem(const std::string& name, const DataShape& shape,
                                      const std::string& toml = "");

/// A problem with records that fit it.
struct Case {
  std::unique_ptr<Problem> problem;
  std::vector<Dataset> shards;
  /// Pointers to the shards, as LocalSetup wants them.
  std::vector<const Dataset*> view() const;
};
/// logistic: sparse records with `features` features; network: dense, 3 classes, 4 hidden units;
/// images: the same network on bytes of which 80 % are 0; deep: dense, 3 classes, 5 and 4 hidden
/// tanh units, l2 = 0.1; softmax: dense, 3 classes, l2 = 0.1; linear: dense, real targets,
/// l2 = 0.3.
Case make_case(const std::string& problem, std::size_t clients, std::size_t records,
               std::size_t features, std::uint64_t seed);

/// 0, 1, ..., count - 1
std::vector<std::uint32_t> all_rows(std::size_t count);

/// Gradient of one record at x in double, without regulariser, clipped to `threshold`: by the
/// factors of this record alone.
std::vector<double> record_gradient(Problem& problem, const Dataset& shard, std::uint32_t row,
                                    ConstView x, double threshold);

}  // namespace trilemma::testing
