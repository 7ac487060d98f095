#include "problem/problem.hpp"

#include <algorithm>

namespace trilemma {
// One declaration and one row for each problem.
Row<ProblemMaker> logistic_problem();
Row<ProblemMaker> network_problem();
Row<ProblemMaker> linear_problem();
Row<ProblemMaker> softmax_problem();
Row<ProblemMaker> cnn_problem();
Row<ProblemMaker> layers_problem();
Row<ProblemMaker> mean_problem();
Row<ProblemMaker> plugin_problem();

std::span<const Row<ProblemMaker>> problems() {
  static const Row<ProblemMaker> table[] = {
      logistic_problem(),
      also_called("dense fcnn", network_problem()),
      also_called("regression ridge least-squares", linear_problem()),
      also_called("multinomial", softmax_problem()),
      cnn_problem(),
      also_called("resnet transformer", layers_problem()),
      mean_problem(),
      also_called("pytorch torch python jax own", plugin_problem()),
  };
  return table;
}

std::size_t block_rows(const Problem& problem) {
  constexpr std::size_t most = 512;
  constexpr std::size_t least = 16;
  constexpr std::size_t values = std::size_t{1} << 17U;
  if (problem.mixes_records()) return most;
  return std::clamp(values / std::max<std::size_t>(1, problem.factors()), least, most);
}

void require_dense(const Settings& settings, const DataShape& shape) {
  if (shape.sparse.value_or(false))
    settings.refuse(
        "kind",
        "needs dense records; for generated ones choose data.source = \"prototypes\", for a LIBSVM "
        "file set data.classes (3 or more labels, or 0 for "
        "real targets) or data.layout = \"dense\" (2 labels), or choose data.source = "
        "\"idx\" or \"csv\"");
}

void require_dense_classes(const Settings& settings, const DataShape& shape) {
  require_dense(settings, shape);
  if (shape.classes == 0)
    settings.refuse(
        "kind",
        "needs classes, but the records have real targets; set data.classes to the number "
        "of different labels, or choose linear");
}

void check_dense(const Dataset& data, std::size_t features, std::string_view problem) {
  require(
      std::holds_alternative<DenseRows>(data.rows),
      "problem.kind = \"{}\": needs dense records, and these are sparse; set data.layout = \"dense\" "
      "for LIBSVM rows, or choose another data.source",
      problem);
  require(data.features() == features, "problem {}: {} features found, {} expected", problem,
          data.features(), features);
}

bool Batch::gather(const Dataset& from, Coordinates which) {
  const bool there = source_ == &from &&
                     std::equal(which.begin(), which.end(), gathered_.begin(), gathered_.end());
  shard = &from;
  rows = which;
  if (there) return false;
  const auto& images = std::get<DenseRows>(from.rows);
  const std::size_t size = which.size() * images.columns;
  if (dense.size() < size) dense.resize(size);
  images.gather(which, View(dense).first(size));
  source_ = &from;
  gathered_.assign(which.begin(), which.end());
  return true;
}

std::size_t summed_rows(const Problem& problem) {
  constexpr std::size_t values = std::size_t{1} << 25U;
  if (problem.as_batch_normalised() == nullptr) return block_rows(problem);
  return std::clamp<std::size_t>(values / std::max<std::size_t>(1, problem.factors()), 32, 512);
}

namespace {

// Returns the rows of the blocks in which a shard of `size` records is summed.
std::vector<std::vector<std::uint32_t>> summed_blocks(const Problem& problem, std::size_t size) {
  const std::size_t most = summed_rows(problem);
  const bool is_spaced = problem.as_batch_normalised() != nullptr;
  std::vector<std::vector<std::uint32_t>> blocks((size + most - 1) / most);
  for (std::size_t r = 0; r < size; ++r) {
    const std::size_t block = is_spaced ? r % blocks.size() : r / most;
    blocks[block].push_back(static_cast<std::uint32_t>(r));
  }
  return blocks;
}

}  // namespace

double full_sum(Problem& problem, const Dataset& shard, ConstView x, std::span<double> gradient) {
  Vector factors(std::min(summed_rows(problem), shard.size()) * problem.factors());
  Vector part(gradient.size());
  Batch batch;
  double loss = 0;
  for (const auto& rows : summed_blocks(problem, shard.size())) {
    problem.load(shard, rows, batch);
    const View used = View(factors).first(rows.size() * problem.factors());
    if (gradient.empty()) {
      loss += problem.loss(batch, x, used);
      continue;
    }
    std::fill(part.begin(), part.end(), real{0});
    if (const auto sum = problem.add_sum(batch, x, 1.0, part)) {
      loss += *sum;
    } else {
      loss += problem.linearise(batch, x, used, true);
      problem.accumulate(batch, used, 1.0, part);
    }
    for (std::size_t j = 0; j < part.size(); ++j) gradient[j] += static_cast<double>(part[j]);
  }
  return loss;
}

}  // namespace trilemma
