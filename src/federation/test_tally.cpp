#include "federation/test_tally.hpp"

#include <algorithm>
#include <limits>

#include "problem/cross_entropy.hpp"
#include "problem/interfaces.hpp"

namespace trilemma {

TestTally::TestTally(Problem& problem, std::size_t classes)
    : problem_(problem), have_classes_(classes > 0) {
  if (problem.as_classifier() != nullptr && classes <= most_classes) counts_.resize(2 * classes);
}

void TestTally::clear() { std::fill(counts_.begin(), counts_.end(), 0.0); }

BatchScore TestTally::add(const Batch& batch, ConstView x) {
  return problem_.as_classifier() != nullptr ? add_classes(batch, x) : add_others(batch, x);
}

BatchScore TestTally::add_classes(const Batch& batch, ConstView x) {
  Classifier& classifier = *problem_.as_classifier();
  const std::size_t classes = classifier.classes();
  const std::size_t counted = counts_.size() / 2;
  room_.resize(batch.rows.size() * classes);
  classifier.logits(batch, x, room_);
  BatchScore sum;
  for (std::size_t r = 0; r < batch.rows.size(); ++r) {
    // The two labels of sparse records are -1 and +1.
    const auto label =
        static_cast<std::size_t>(std::max(batch.shard->label[batch.rows[r]], std::int32_t{0}));
    const ConstView logits = ConstView(room_).subspan(r * classes, classes);
    const bool is_hit = likeliest(logits) == label;
    sum.loss += cross_entropy(logits, label);
    if (is_hit) sum.score += 1;
    if (label >= counted) continue;
    if (is_hit) counts_[label] += 1;
    counts_[counted + label] += 1;
  }
  return sum;
}

// Handles problems without class probabilities by their own loss, and squared errors for real
// targets.
BatchScore TestTally::add_others(const Batch& batch, ConstView x) {
  const double unit = batch.shard->target_scale * batch.shard->target_scale;
  if (const auto found = problem_.score(batch, x))
    return {
        .score = have_classes_ ? static_cast<double>(found->correct) : unit * found->squared_error,
        .loss = found->loss};
  room_.resize(batch.rows.size() * problem_.factors());
  BatchScore sum;
  sum.loss = problem_.linearise(batch, x, room_, true);
  sum.score = have_classes_ ? static_cast<double>(problem_.correct(batch, x))
                            : unit * problem_.squared_error(sum.loss);
  return sum;
}

std::vector<double> class_accuracy(std::span<const double> counts) {
  const std::size_t classes = counts.size() / 2;
  std::vector<double> share(classes, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t c = 0; c < classes; ++c)
    if (counts[classes + c] > 0) share[c] = counts[c] / counts[classes + c];
  return share;
}

}  // namespace trilemma
