#include "problem/plugin/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.hpp"
#include "base/sha256.hpp"
#include "numeric/lanes.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

constexpr double same = 1e-4;  // relative difference that rounding explains

// Gradients of the first records of a shard.
class Trial {
 public:
  Trial(OwnModel& model, const Dataset& shard, std::size_t most)
      : model_(model), shard_(shard), rows_(std::min(most, shard.size())) {
    std::iota(rows_.begin(), rows_.end(), 0U);
  }

  std::size_t records() const { return rows_.size(); }

  /// Returns the sum of the gradients, and the loss.
  Vector sum(ConstView x, double& loss) {
    model_.load(shard_, rows_, batch_);
    Vector out(x.size(), real{0});
    loss = *model_.add_sum(batch_, x, 1, out);
    return out;
  }
  /// Returns the number of right answers, or their squared error.
  double score(ConstView x) {
    model_.load(shard_, rows_, batch_);
    const Score found = *model_.score(batch_, x);
    return static_cast<double>(found.correct) + found.squared_error;
  }
  double loss(ConstView x) {
    model_.load(shard_, rows_, batch_);
    return *model_.add_sum(batch_, x, 1, {});
  }
  /// Returns the gradients of `count` records from number `first` on.
  Vector each(ConstView x, std::size_t first, std::size_t count) {
    Vector out(count * x.size());
    model_.load(shard_, Coordinates(rows_).subspan(first, count), batch_);
    model_.linearise(batch_, x, out, false);
    return out;
  }

 private:
  OwnModel& model_;
  const Dataset& shard_;
  std::vector<std::uint32_t> rows_;
  Batch batch_;
};

// Has the inputs of calls compared before and after, while it lives.
class Watch {
 public:
  explicit Watch(OwnModel& model) : model_(model) { model_.watch_inputs(true); }
  ~Watch() { model_.watch_inputs(false); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  OwnModel& model_;
};

// Returns a point at a distance of about 1 from x.
Vector moved(ConstView x) {
  std::vector<double> z(x.size());
  normals({1, Purpose::init, 0, 0}, 0, z);
  const double scale = 1 / std::sqrt(static_cast<double>(x.size()));
  Vector out(x.begin(), x.end());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += static_cast<real>(scale * z[j]);
  return out;
}

bool are_close(ConstView a, ConstView b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double distance = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    square += distance * distance;
  }
  return std::sqrt(square) <= same * std::max(euclidean_norm(a), euclidean_norm(b));
}

// Records have gradients in opposite directions, so sums are compared with the sum of the norms.
bool adds_up(const Vector& each, const Vector& sum) {
  const std::size_t d = sum.size();
  std::vector<double> rest(sum.begin(), sum.end());
  double size = 0;
  for (std::size_t first = 0; first < each.size(); first += d) {
    const ConstView one = ConstView(each).subspan(first, d);
    for (std::size_t j = 0; j < d; ++j) rest[j] -= static_cast<double>(one[j]);
    size += euclidean_norm(one);
  }
  return std::sqrt(norm_squared<double>(rest)) <= same * size;
}

// The slope along `direction` against the gradient, as slope_error() measures it.
double error_along(Trial& trial, ConstView x, const Vector& gradient, double norm,
                   std::span<const double> direction, std::size_t first) {
  double along = 0;
  for (std::size_t j = 0; j < direction.size(); ++j)
    along += direction[j] * static_cast<double>(gradient[first + j]);
  double best = std::numeric_limits<double>::infinity();
  const double scale = std::max(1.0, euclidean_norm(x));
  for (const double share : {1e-2, 1e-3, 1e-4, 1e-5}) {
    double value[2] = {};
    double length[2] = {};
    for (const int side : {0, 1}) {
      Vector moved(x.begin(), x.end());
      for (std::size_t j = 0; j < direction.size(); ++j) {
        const double step = (side == 0 ? 1 : -1) * share * scale * direction[j];
        moved[first + j] = static_cast<real>(static_cast<double>(x[first + j]) + step);
        // The step that was taken, after rounding.
        length[side] += direction[j] *
                        (static_cast<double>(moved[first + j]) - static_cast<double>(x[first + j]));
      }
      value[side] = trial.loss(moved);
    }
    const double slope = (value[0] - value[1]) / (length[0] - length[1]);
    best = std::min(best, std::abs(slope - along));
  }
  return norm == 0 ? best : best / std::max(std::abs(along), 0.01 * norm);
}

}  // namespace

ModelPromises promises_of(OwnModel& model, const Dataset& shard, ConstView x) {
  ModelPromises found;
  Trial trial(model, shard, 8);
  if (trial.records() == 0) return found;
  const Watch watch(model);
  const Vector near = moved(x);
  double loss = 0;
  double again = 0;
  const Vector sum = trial.sum(near, loss);
  trial.score(near);
  Vector each;
  try {
    each = trial.each(near, 0, trial.records());
    for (std::size_t r = 0; r < trial.records(); ++r)
      found.separates &=
          are_close(trial.each(near, r, 1), ConstView(each).subspan(r * x.size(), x.size()));
    found.adds_up = adds_up(each, sum);
  } catch (const RunFailure& failure) {  // as from batch normalisation of a single record
    found.failure = failure.what();
    found.separates = false;
  }
  found.repeats = trial.sum(near, again) == sum && again == loss;
  if (found.failure.empty()) found.repeats &= trial.each(near, 0, trial.records()) == each;
  return found;
}

double seconds_of_loss(OwnModel& model, const Dataset& shard, ConstView x) {
  Trial trial(model, shard, 8);
  const double begin = now_seconds();
  trial.loss(x);
  return now_seconds() - begin;
}

SlopeError slope_error(OwnModel& model, const Dataset& shard, ConstView x,
                       const std::function<bool()>& is_over) {
  Trial trial(model, shard, 8);
  double loss = 0;
  const Vector gradient = trial.sum(x, loss);
  const double norm = euclidean_norm(ConstView(gradient));
  constexpr std::size_t blocks = 32;
  SlopeError found;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * x.size() / blocks;
    const std::size_t size = (b + 1) * x.size() / blocks - first;
    if (size == 0) continue;
    std::vector<double> direction(size);
    const ConstView part = ConstView(gradient).subspan(first, size);
    for (const bool is_random : {false, true}) {
      if (is_random)
        normals({b, Purpose::init, 0, 0}, 0, direction);
      else
        std::ranges::copy(part, direction.begin());
      const double length = std::sqrt(norm_squared<double>(direction));
      if (length == 0) continue;
      if (is_over()) {
        found.is_complete = false;
        return found;
      }
      for (double& value : direction) value /= length;
      found.largest =
          std::max(found.largest, error_along(trial, x, gradient, norm, direction, first));
      ++found.directions;
    }
  }
  return found;
}

std::string digest_of(OwnModel& model, const Dataset& shard, ConstView x) {
  Sha256 sum;
  Trial trial(model, shard, 8);
  double loss = 0;
  const auto add = [&](const auto& values) { sum.add(std::as_bytes(std::span(values))); };
  add(model.own_start(1));
  add(trial.sum(x, loss));
  add(trial.each(x, 0, trial.records()));
  add(std::vector<double>{loss, trial.loss(x), trial.score(x)});
  return sum.finish();
}

}  // namespace trilemma
