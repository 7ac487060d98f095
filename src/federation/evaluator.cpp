#include "federation/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "federation/sum_over_clients.hpp"
#include "numeric/lanes.hpp"
#include "numeric/quantile.hpp"

namespace trilemma {
namespace {

constexpr auto objective = Provenance::objective;
constexpr auto test_scores = Provenance::test_scores;
constexpr auto of_clients = Provenance::client_scores;

constexpr double unbounded = std::numeric_limits<double>::infinity();

using enum Metric::Better;

constexpr Metric number(const char* name, Provenance provenance, Metric::Better better,
                        const char* description, double least = 0, double most = unbounded) {
  return {.name = name,
          .units = "1",
          .description = description,
          .provenance = provenance,
          .better = better,
          .least = least,
          .most = most,
          .is_evaluated = true};
}

constexpr Metric metrics_made[] = {
    number("objective", objective, lower,
           "f(x): mean over clients (by server.weights) of the mean over records, with "
           "regulariser",
           -unbounded),
    number("gradient_norm_squared", objective, lower, "squared norm of the exact gradient of f"),
    number("utility", objective, lower,
           "mean of gradient_norm_squared over the evaluated states so far"),
    number("suboptimality", objective, lower, "f(x) - min f; NaN where the minimum is not known",
           -unbounded),
    number("distance", objective, lower,
           "norm of x - x*, x* the minimiser; NaN where it is not known"),
    number("accuracy", test_scores, higher, "share of test records classified correctly", 0, 1),
    number("test_error", test_scores, lower,
           "root mean squared error on test records, where targets are real"),
    number("test_loss", test_scores, lower,
           "mean over test records of the problem's loss (cross-entropy, or half the squared error "
           "of scaled targets), without regulariser"),
};

// Scores are accuracies where records have classes, else errors.
constexpr Metric below(const char* greater, Metric metric) {
  metric.never_above = greater;
  return metric;
}

constexpr Metric scores_made[] = {
    number(
        "client_score_mean", of_clients, neither,
        "mean over clients of the score (accuracy, or root mean squared error) of their own models on "
        "the records they hold out"),
    number("client_score_weighted", of_clients, neither,
           "the same mean, weighted by these records"),
    below("client_score_q50",
          number("client_score_q10", of_clients, neither, "a tenth of the clients score no more")),
    below("client_score_q90",
          number("client_score_q50", of_clients, neither, "half of the clients score no more")),
    number("client_score_q90", of_clients, neither, "nine tenths of the clients score no more"),
    number("finetuned_score_mean", of_clients, neither,
           "client_score_mean of the models after finetuning; NaN = there is none"),
    number("finetuned_score_weighted", of_clients, neither,
           "the same mean, weighted by the records held out"),
    below("finetuned_score_q50", number("finetuned_score_q10", of_clients, neither,
                                        "a tenth of the clients score no more after finetuning")),
    below("finetuned_score_q90", number("finetuned_score_q50", of_clients, neither,
                                        "half of the clients score no more after finetuning")),
    number("finetuned_score_q90", of_clients, neither,
           "nine tenths of the clients score no more after finetuning"),
};

// Declared only where clients have models of their own.
constexpr Metric training_loss = {
    .name = "client_training_loss",
    .units = "1",
    .description =
        "mean over the clients of client_score_mean of the mean loss of their own models "
        "over the records they train on, without regulariser",
    .provenance = {Provenance::objective, Provenance::own_models},
    .better = lower,
    .is_evaluated = true,
    .runs = Metric::Runs::own_models,
    .is_recent = true};

constexpr std::size_t test_block = 500;

// Returns the number of records of a block that are scored at once: all, unless their factors would
// take more than 2^25 numbers, as those of deep networks do. Scores with batch normalisation have
// fixed statistics.
std::size_t scored_at_once(const Problem& problem) {
  constexpr std::size_t most = std::size_t{1} << 25U;
  constexpr std::size_t least = 16;
  if (problem.mixes_records() && problem.as_batch_normalised() == nullptr) return test_block;
  return std::clamp(most / std::max<std::size_t>(1, problem.factors()), least, test_block);
}

ClientScores client_scores(std::vector<double> scores, const std::vector<double>& sizes) {
  ClientScores out{};
  const auto count = static_cast<double>(scores.size());
  out.mean = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
  out.weighted = std::inner_product(scores.begin(), scores.end(), sizes.begin(), 0.0) /
                 std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::sort(scores.begin(), scores.end());
  out.tenth = quantile(scores, 0.1);
  out.median = quantile(scores, 0.5);
  out.ninetieth = quantile(scores, 0.9);
  return out;
}

double distance_between(ConstView x, const std::vector<double>& point) {
  std::vector<double> way(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) way[j] = static_cast<double>(x[j]) - point[j];
  return std::sqrt(norm_squared<double>(way));
}

}  // namespace

void declare_evaluation(MetricLog& metric_log, std::size_t classes, bool has_model_of_each) {
  for (const Metric& metric : metrics_made) metric_log.declare(metric);
  for (Metric metric : scores_made) {
    metric.better = classes > 0 ? higher : lower;
    if (classes > 0) metric.most = 1;
    metric_log.declare(metric);
  }
  if (has_model_of_each) metric_log.declare(training_loss);
}

Evaluator::Evaluator(EvaluatorParts parts)
    : parts_(std::move(parts)),
      tally_(*parts_.problem, parts_.test.classes),
      statistics_(*parts_.problem, parts_.shards, parts_.place) {
  declare_evaluation(*parts_.metric_log, parts_.test.classes, parts_.has_model_of_each);
}

Metrics Evaluator::evaluate(ConstView state, Ranks& ranks, bool with_objective) {
  const ConstView x = parts_.shape.common(state, common_room_);
  Metrics metrics;
  if (with_objective) evaluate_objective(x, ranks, metrics);
  evaluate_tests(state, x, ranks, with_objective, metrics);
  if (parts_.place.rank == 0) observe(x, metrics);
  return metrics;
}

Metrics Evaluator::scores_of(ConstView x, Ranks& ranks, bool with_objective) {
  Metrics metrics;
  evaluate_tests(x, x, ranks, false, metrics);
  if (!with_objective) return metrics;
  TreeSum own(1);
  for (std::size_t slot = 0; slot < parts_.shards.size(); ++slot) {
    const double share[] = {mean_loss(slot, x)};
    own.add({static_cast<std::uint64_t>(parts_.place.first(parts_.place.rank)) + slot, 1}, share);
  }
  double sum[1] = {};
  sum_over_clients(own, ranks, sum);
  metrics.objective =
      sum[0] / static_cast<double>(parts_.place.clients) + parts_.problem->regulariser(x);
  return metrics;
}

void Evaluator::evaluate_tests(ConstView state, ConstView x, Ranks& ranks, bool with_objective,
                               Metrics& metrics) {
  if (parts_.test.common_total == 0 && !parts_.test.are_held_out) return;
  statistics_.measure_all(x, ranks);
  if (parts_.test.are_held_out)
    evaluate_held_out(state, x, ranks, with_objective, metrics);
  else
    evaluate_common(x, ranks, metrics);
}

// Returns the mean loss over the records of a client, times its weight in the objective.
double Evaluator::mean_loss(std::size_t slot, ConstView x) const {
  const Dataset& shard = *parts_.shards[slot];
  const double weight = parts_.weight.empty() ? 1 : parts_.weight[slot];
  return weight * full_sum(*parts_.problem, shard, x, {}) / static_cast<double>(shard.size());
}

void Evaluator::observe(ConstView x, const Metrics& metrics) {
  MetricLog& metric_log = *parts_.metric_log;
  metric_log.set("objective", metrics.objective);
  metric_log.set("gradient_norm_squared", metrics.gradient_norm_squared);
  if (!std::isnan(metrics.objective)) {
    utility_sum_ += metrics.gradient_norm_squared;
    metric_log.set("utility", utility_sum_ / static_cast<double>(++evaluations_));
    if (parts_.optimum != nullptr) {
      metric_log.set("suboptimality", metrics.objective - parts_.optimum->value);
      metric_log.set("distance", distance_between(x, parts_.optimum->x));
    }
  }
  metric_log.set("accuracy", metrics.accuracy);
  metric_log.set("test_error", metrics.test_error);
  metric_log.set("test_loss", metrics.test_loss);
  observe_scores("client_score_", metrics.clients);
  observe_scores("finetuned_score_", metrics.finetuned);
  if (parts_.has_model_of_each) metric_log.set(training_loss.name, metrics.client_training_loss);
}

void Evaluator::observe_scores(const std::string& prefix, const ClientScores& scores) {
  MetricLog& metric_log = *parts_.metric_log;
  metric_log.set(prefix + "mean", scores.mean);
  metric_log.set(prefix + "weighted", scores.weighted);
  metric_log.set(prefix + "q10", scores.tenth);
  metric_log.set(prefix + "q50", scores.median);
  metric_log.set(prefix + "q90", scores.ninetieth);
}

void Evaluator::evaluate_objective(ConstView x, Ranks& ranks, Metrics& metrics) {
  // Each client contributes its mean loss, followed by its mean gradient.
  mean_.resize(1 + x.size());
  TreeSum own(mean_.size());
  std::vector<double> share(mean_.size());
  for (std::size_t slot = 0; slot < parts_.shards.size(); ++slot) {
    std::fill(share.begin(), share.end(), 0.0);
    share[0] = full_sum(*parts_.problem, *parts_.shards[slot], x, std::span(share).subspan(1));
    auto records = static_cast<double>(parts_.shards[slot]->size());
    if (!parts_.weight.empty()) records /= parts_.weight[slot];
    for (auto& value : share) value /= records;
    own.add({static_cast<std::uint64_t>(parts_.place.first(parts_.place.rank)) + slot, 1}, share);
  }
  sum_over_clients(own, ranks, mean_);
  for (auto& value : mean_) value /= static_cast<double>(parts_.place.clients);
  Vector slope(x.size(), real{0});
  parts_.problem->add_regulariser_gradient(x, slope);
  for (std::size_t j = 0; j < x.size(); ++j) mean_[1 + j] += static_cast<double>(slope[j]);
  metrics.objective = mean_[0] + parts_.problem->regulariser(x);
  metrics.gradient_norm_squared = norm_squared<double>(std::span(mean_).subspan(1));
}

// Blocks are summed in the order of the test set, whichever rank hosts them. A host contributes the
// scores of its blocks, their losses, and the counts of the tally.
void Evaluator::evaluate_common(ConstView x, Ranks& ranks, Metrics& metrics) {
  const std::size_t hosts = parts_.test.hosts;
  const std::size_t blocks = (parts_.test.common_total + test_block - 1) / test_block;
  const std::size_t most = (blocks + hosts - 1) / hosts;
  const std::size_t each = 2 * most + tally_.width();
  tally_.clear();
  const auto scope = statistics_.of_all();
  const auto scores = block_scores(parts_.test.common, x);
  std::vector<double> own(each);
  for (std::size_t b = 0; b < scores.size(); ++b) {
    own[b] = scores[b].score;
    own[most + b] = scores[b].loss;
  }
  std::copy(tally_.counts().begin(), tally_.counts().end(),
            own.end() - static_cast<std::ptrdiff_t>(tally_.width()));
  const auto all = ranks.gather_by_rank(own, Use::evaluation);
  if (all.empty()) return;
  const auto host = std::span(all).last(hosts * each);
  BatchScore sum;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t at = b % hosts * each + b / hosts;
    sum.score += host[at];
    sum.loss += host[at + most];
  }
  std::vector<double> counts(tally_.width());
  for (std::size_t h = 0; h < hosts; ++h)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += host[h * each + 2 * most + i];
  set_test_scores(sum, static_cast<double>(parts_.test.common_total), counts, metrics);
}

// Sets the scores of the common model from the sums over its test records.
void Evaluator::set_test_scores(const BatchScore& sum, double records,
                                std::span<const double> counts, Metrics& metrics) const {
  const double mean = sum.score / records;
  if (have_classes())
    metrics.accuracy = mean;
  else
    metrics.test_error = std::sqrt(mean);
  metrics.test_loss = sum.loss / records;
  metrics.class_accuracy = class_accuracy(counts);
}

BatchScore Evaluator::score_of_common(const Dataset& records, ConstView x) {
  const auto scope = statistics_.of_all();
  return score(records, x);
}

// Returns the score of a client's own model on the records that it holds out.
double Evaluator::score_of_own(std::size_t slot, ConstView model) {
  const auto scope = statistics_.of_client(slot, model);
  return score(parts_.test.held_out[slot], model).score;
}

// Appends the report of a client: its number of records, the scores of x, of its own model and of
// that model after finetuning, the loss of x, the counts of the tally and, where clients have
// models of their own, the mean training loss of its model (NaN unless `with_loss`).
void Evaluator::score_client(std::size_t slot, ConstView state, ConstView x, bool with_loss) {
  const Dataset& records = parts_.test.held_out[slot];
  tally_.clear();
  const BatchScore common = score_of_common(records, x);
  const std::vector<double> counts = tally_.counts();
  ConstView own = parts_.work->personal_model(slot, state, own_room_);
  const double own_score = own.empty() ? common.score : score_of_own(slot, own);
  if (own.empty()) own = x;
  const ConstView tuned =
      parts_.finetuning->tune(*parts_.problem, *parts_.shards[slot],
                              static_cast<std::uint32_t>(parts_.place.first(parts_.place.rank)) +
                                  static_cast<std::uint32_t>(slot),
                              own, x);
  const double tuned_score = tuned.empty() ? Metrics::none : score_of_own(slot, tuned);
  part_.insert(part_.end(), {static_cast<double>(records.size()), common.score, own_score,
                             tuned_score, common.loss});
  part_.insert(part_.end(), counts.begin(), counts.end());
  if (!parts_.has_model_of_each) return;
  const Dataset& trained = *parts_.shards[slot];
  part_.push_back(with_loss ? full_sum(*parts_.problem, trained, own, {}) /
                                  static_cast<double>(trained.size())
                            : Metrics::none);
}

void Evaluator::evaluate_held_out(ConstView state, ConstView x, Ranks& ranks, bool with_objective,
                                  Metrics& metrics) {
  const std::size_t each = 5 + tally_.width() + (parts_.has_model_of_each ? 1 : 0);
  part_.clear();
  for (std::size_t slot = 0; slot < parts_.test.held_out.size(); ++slot)
    score_client(slot, state, x, with_objective);
  const auto all = ranks.gather_by_client(part_, each);
  double records = 0;
  BatchScore of_x;
  std::vector<double> counts(tally_.width());
  std::vector<double> scores;
  std::vector<double> tuned;
  std::vector<double> sizes;
  double training_losses = 0;
  auto mean = [this](double sum, double count) {
    return have_classes() ? sum / count : std::sqrt(sum / count);
  };
  for (std::size_t i = 0; i < all.size(); i += each) {
    records += all[i];
    of_x.score += all[i + 1];
    of_x.loss += all[i + 4];
    for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += all[i + 5 + c];
    if (all[i] == 0) continue;
    scores.push_back(mean(all[i + 2], all[i]));
    tuned.push_back(mean(all[i + 3], all[i]));
    sizes.push_back(all[i]);
    if (parts_.has_model_of_each) training_losses += all[i + each - 1];
  }
  if (scores.empty()) return;
  if (parts_.has_model_of_each)
    metrics.client_training_loss = training_losses / static_cast<double>(scores.size());
  set_test_scores(of_x, records, counts, metrics);
  metrics.clients = client_scores(std::move(scores), sizes);
  if (!std::isnan(tuned.front())) metrics.finetuned = client_scores(std::move(tuned), sizes);
}

// Returns the scores of x for each block of the records.
std::vector<BatchScore> Evaluator::block_scores(const Dataset& records, ConstView x) {
  std::vector<std::uint32_t> rows(records.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const std::size_t at_once = scored_at_once(*parts_.problem);
  Batch batch;
  std::vector<BatchScore> scores;
  for (std::size_t first = 0; first < rows.size(); first += test_block) {
    const std::size_t end = std::min(first + test_block, rows.size());
    BatchScore sum;
    for (std::size_t at = first; at < end; at += at_once) {
      const std::size_t count = std::min(at_once, end - at);
      parts_.problem->load(records, Coordinates(rows).subspan(at, count), batch);
      const BatchScore part = tally_.add(batch, x);
      sum.score += part.score;
      sum.loss += part.loss;
    }
    scores.push_back(sum);
  }
  return scores;
}

BatchScore Evaluator::score(const Dataset& records, ConstView x) {
  BatchScore sum;
  for (const BatchScore& block : block_scores(records, x)) {
    sum.score += block.score;
    sum.loss += block.loss;
  }
  return sum;
}

std::vector<std::uint32_t> test_rows(std::size_t total, std::size_t host, std::size_t hosts) {
  std::vector<std::uint32_t> rows;
  for (std::size_t first = host * test_block; first < total; first += hosts * test_block)
    for (std::size_t r = first; r < std::min(first + test_block, total); ++r)
      rows.push_back(static_cast<std::uint32_t>(r));
  return rows;
}

}  // namespace trilemma
