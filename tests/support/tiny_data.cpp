#include "tests/support/tiny_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/examples.hpp"
#include "tests/support/test_model.hpp"

namespace trilemma::testing {
namespace {

// Every kind of layer, for images of 6 x 6 pixels with two colours.
constexpr const char* layers_of_all_kinds = R"(
colours = 2
l2 = 0.1
layers = ["conv 4 3 1 1", "groupnorm 2", "relu", "skip", "conv 6 3 2 1", "layernorm", "gelu",
          "conv 6 3 1 1", "add", "skip", "conv 5 1", "shortcut", "tanh", "conv 5 1", "add",
          "tanh", "maxpool 2 1", "avgpool 2", "dense 5", "sigmoid", "dense"]
)";

// The kinds of layers for sequences.
constexpr const char* layers_of_sequences = R"(
l2 = 0.1
layers = ["embedding 5 4", "positions", "skip", "layernorm", "attention 2", "add", "skip",
          "layernorm", "conv 8 1", "tanh", "conv 4 1", "add", "attention 1", "tanh", "last", "dense"]
)";

Stream stream_of(std::uint64_t seed) { return Stream({seed, Purpose::data, 7, 7}); }

}  // namespace

Dataset sparse_records(std::size_t rows, std::size_t features, std::uint64_t seed) {
  Stream stream = stream_of(seed);
  std::vector<double> value(rows * features);
  normals({seed, Purpose::data, 8, 8}, 0, value);
  SparseRows sparse;
  sparse.columns = features;
  Dataset data;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::uint32_t j = 0; j < features; ++j) {
      if (stream.below(2) == 0 && j != r % features) continue;
      sparse.column.push_back(j);
      sparse.value.push_back(static_cast<real>(value[r * features + j]));
    }
    sparse.start.push_back(sparse.column.size());
    data.label.push_back(stream.below(2) == 0 ? -1 : 1);
  }
  data.rows = std::move(sparse);
  data.prepare();
  return data;
}

Dataset dense_records(std::size_t rows, std::size_t features, int classes, std::uint64_t seed) {
  Dataset data = byte_records(rows, features, classes, seed);
  DenseRows dense;
  dense.columns = features;
  dense.value = random_vector(rows * features, seed + 1000);
  data.rows = std::move(dense);
  data.prepare();
  return data;
}

Dataset byte_records(std::size_t rows, std::size_t features, int classes, std::uint64_t seed,
                     double filled) {
  Stream stream = stream_of(seed);
  DenseRows dense;
  dense.columns = features;
  dense.byte.resize(rows * features);
  for (auto& byte : dense.byte) {
    byte = static_cast<std::uint8_t>(stream.below(256));
    if (stream.uniform() > filled) byte = 0;
  }
  Dataset data;
  data.classes = classes;
  for (std::size_t r = 0; r < rows; ++r)
    data.label.push_back(
        static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(classes))));
  data.rows = std::move(dense);
  data.prepare();
  return data;
}

Dataset token_records(std::size_t rows, std::size_t length, int classes, std::uint32_t vocabulary,
                      std::uint64_t seed) {
  Dataset data = dense_records(rows, length, classes, seed);
  Stream stream = stream_of(seed + 1);
  for (real& value : std::get<DenseRows>(data.rows).value)
    value = static_cast<real>(stream.below(vocabulary));
  data.prepare();
  return data;
}

Vector random_vector(std::size_t size, std::uint64_t seed, double scale) {
  std::vector<double> z(size);
  normals({seed, Purpose::init, 9, 9}, 0, z);
  Vector x(size);
  for (std::size_t j = 0; j < size; ++j) x[j] = static_cast<real>(scale * z[j]);
  return x;
}

std::unique_ptr<Problem> make_problem(const std::string& name, const DataShape& shape,
                                      const std::string& toml) {
  Settings settings = Settings::from_text(toml, "problem");
  for (const auto& row : problems())
    if (name == row.name) return row.make(settings, shape);
  if (const auto row = median_problem(); name == row.name) return row.make(settings, shape);
  throw std::logic_error("no problem " + name);
}

std::vector<const Dataset*> Case::view() const {
  std::vector<const Dataset*> pointers;
  for (const auto& shard : shards) pointers.push_back(&shard);
  return pointers;
}

Dataset target_records(std::size_t rows, std::size_t features, std::uint64_t seed) {
  Dataset data = dense_records(rows, features, 3, seed);
  data.classes = 0;
  data.label.assign(rows, 0);
  data.target = random_vector(rows, seed + 1000);
  return data;
}

Case make_case(const std::string& problem, std::size_t clients, std::size_t records,
               std::size_t features, std::uint64_t seed) {
  Case made;
  if (problem == "logistic") {
    made.problem = make_problem("logistic", {features, 2}, "lambda = 0.2");
    for (std::size_t c = 0; c < clients; ++c)
      made.shards.push_back(sparse_records(records, features, seed + c));
    return made;
  }
  if (problem == "dense-logistic") {
    made.problem = make_problem("logistic", {features, 2, false}, "lambda = 0.2");
    for (std::size_t c = 0; c < clients; ++c)
      made.shards.push_back(dense_records(records, features, 2, seed + c));
    return made;
  }
  if (problem == "linear") {
    made.problem = make_problem("linear", {features, 0}, "l2 = 0.3");
    for (std::size_t c = 0; c < clients; ++c)
      made.shards.push_back(target_records(records, features, seed + c));
    return made;
  }
  if (problem == "mean") {
    made.problem = make_problem("mean", {features, 3}, "");
  } else if (problem == "median") {
    made.problem = make_problem("median", {features, 3}, "smoothing = 0.5");
  } else if (problem == "cnn") {
    features = 6 * 6 * 2;  // of images with two colours
    made.problem = make_problem(
        "cnn", {features, 3}, "channels = [3, 4]\nkernel = 3\npadding = 1\ncolours = 2\nl2 = 0.1");
  } else if (problem == "layers") {
    features = 6 * 6 * 2;
    made.problem = make_problem("layers", {features, 3}, layers_of_all_kinds);
  } else if (problem == "sequences") {
    made.problem = make_problem("layers", {features, 3}, layers_of_sequences);
    for (std::size_t c = 0; c < clients; ++c)
      made.shards.push_back(token_records(records, features, 3, 5, seed + c));
    return made;
  } else if (problem == "plugin") {
    made.problem = make_problem("plugin", {features, 3}, plugin_settings());
  } else if (problem == "softmax")
    made.problem = make_problem("softmax", {features, 3}, "l2 = 0.1");
  else
    made.problem = make_problem(
        "network", {features, 3},
        problem == "deep" ? "hidden = [5, 4]\nactivation = \"tanh\"\nl2 = 0.1" : "hidden = 4");
  for (std::size_t c = 0; c < clients; ++c)
    made.shards.push_back(problem == "images" ? byte_records(records, features, 3, seed + c, 0.2)
                                              : dense_records(records, features, 3, seed + c));
  return made;
}

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<double> record_gradient(Problem& problem, const Dataset& shard, std::uint32_t row,
                                    ConstView x, double threshold) {
  Batch batch;
  Vector factors(problem.factors());
  Vector sum(x.size(), real{0});
  problem.load(shard, {&row, 1}, batch);
  problem.linearise(batch, x, factors, false);
  problem.accumulate(batch, factors, 1.0, sum);
  std::vector<double> gradient(sum.begin(), sum.end());
  double norm = 0;
  for (const double g : gradient) norm += g * g;
  norm = std::sqrt(norm);
  if (norm > threshold)
    for (auto& g : gradient) g *= threshold / norm;
  return gradient;
}

}  // namespace trilemma::testing
