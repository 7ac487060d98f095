#pragma once
// What all solvers share: the walk of local steps, and on which records a step looks.

#include <algorithm>

#include "local/solver.hpp"

namespace trilemma {

/// w_t = w_0 - eta S_t, where S_t is the sum of the directions taken. Only S and the current point
/// are kept.
class Walk {
 public:
  explicit Walk(const LocalSetup& s) : s_(s), gradients_(*s.problem, s.record_threshold, s.notes) {}

  /// Starts at `from`, with the pull to `centre`. Each direction gets `drift` added, if that is not
  /// empty. What the views show must stay.
  void begin(ConstView from, ConstView centre, double rate, ConstView drift = {}) {
    from_ = from;
    centre_ = centre;
    drift_ = drift;
    rate_ = static_cast<real>(rate);
    at_.assign(from.begin(), from.end());
    sum_.assign(from.size(), real{0});
  }

  /// One step along the mean gradient of `rows` (divided by `divisor`), regulariser and pull.
  void step(const Dataset& shard, Coordinates rows, double divisor) {
    gradients_.add(shard, rows, at_, 1.0 / divisor, sum_);
    s_.problem->add_regulariser_gradient(at_, sum_);
    const auto pull = static_cast<real>(s_.steps.pull);
    if (pull != 0)
      for (std::size_t j = 0; j < at_.size(); ++j) sum_[j] += pull * (at_[j] - centre_[j]);
    for (std::size_t j = 0; j < drift_.size(); ++j) sum_[j] += drift_[j];
    for (std::size_t j = 0; j < at_.size(); ++j) at_[j] = from_[j] - rate_ * sum_[j];
  }

  const Vector& at() const { return at_; }
  /// S, the sum of the directions taken.
  const Vector& sum() const { return sum_; }

  /// The update after `steps` steps, as far as there is room for it in `out`.
  void report(std::size_t steps, View out) const {
    const auto share = static_cast<real>(1.0 / static_cast<double>(steps));
    auto fill = [out](auto&& value) {
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = value(j);
    };
    switch (s_.steps.update) {
      case Update::sum:
        return fill([this](std::size_t j) { return sum_[j]; });
      case Update::mean:
        return fill([this, share](std::size_t j) { return share * sum_[j]; });
      case Update::difference:
        return fill([this](std::size_t j) { return centre_[j] - at_[j]; });
      case Update::own:
        return fill([this](std::size_t j) { return from_[j] - at_[j]; });
    }
  }

 private:
  const LocalSetup& s_;
  RecordGradients gradients_;
  ConstView from_, centre_, drift_;
  real rate_ = 0;
  Vector at_, sum_;
};

/// E steps on all records of the shard ([NORM] 2.1, [NEC] local GD).
class GdSteps {
 public:
  explicit GdSteps(const LocalSetup& s) : s_(s) {}
  std::size_t number(const Dataset&, const Task& task) const {
    return static_cast<std::size_t>(task.steps.value_or(s_.steps.count));
  }
  std::size_t step(const Dataset& shard, const Key&, long, Walk& walk) {
    while (rows_.size() < shard.size()) rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    walk.step(shard, Coordinates(rows_).first(shard.size()), static_cast<double>(shard.size()));
    return shard.size();
  }

 private:
  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

/// E steps, each on a minibatch of its own.
class SgdSteps {
 public:
  explicit SgdSteps(const LocalSetup& s) : s_(s) {}
  std::size_t number(const Dataset& shard, const Task& task) const {
    return static_cast<std::size_t>(task.steps.value_or(s_.steps.count)) * epoch(shard);
  }
  std::size_t step(const Dataset& shard, const Key& key, long number, Walk& walk) {
    const std::size_t batch = std::min(s_.batch, shard.size());
    s_.sampler->draw(step_key(key, s_.steps, number, epoch(shard)), shard.size(), batch, rows_);
    walk.step(shard, rows_, static_cast<double>(batch));
    return rows_.size();
  }

 private:
  // Minibatches of a step.
  std::size_t epoch(const Dataset& shard) const {
    return s_.steps.counts_epochs ? (shard.size() + s_.batch - 1) / s_.batch : 1;
  }

  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

/// One pass over the records, one after the other in the order of the shard ([NEC] local IG).
class CyclicSteps {
 public:
  explicit CyclicSteps(const LocalSetup&) {}
  std::size_t number(const Dataset& shard, const Task&) const { return shard.size(); }
  std::size_t step(const Dataset& shard, const Key&, long number, Walk& walk) {
    const auto row = static_cast<std::uint32_t>(number);
    walk.step(shard, Coordinates(&row, 1), 1);
    return 1;
  }
};

/// What the walk of a task has taken.
struct Walked {
  std::size_t records;  ///< drawn
  std::size_t steps;
  double rate;  ///< of each of them
};

/// A solver: takes the steps of a task from where its kind says.
template <class Steps>
class SolverWork : public LocalWork {
 public:
  explicit SolverWork(const LocalSetup& s) : s_(s), walk_(s_), steps_(s_) {}

 protected:
  /// All steps of the task, at `factor` times the rate of the round.
  Walked walk(std::size_t slot, const Task& task, ConstView from, ConstView centre,
              ConstView drift = {}, double factor = 1) {
    const Dataset& shard = *s_.shards[slot];
    Walked w{0, steps_.number(shard, task), 0};
    w.rate = s_.steps.step_rate(task.key.round, w.steps);
    walk_.begin(from, centre, factor * w.rate, drift);
    for (std::size_t t = 0; t < w.steps; ++t)
      w.records += steps_.step(shard, task.key, static_cast<long>(t), walk_);
    return w;
  }

  LocalSetup s_;
  Walk walk_;

 private:
  Steps steps_;
};

/// A maker of solvers.
template <class Work>
std::unique_ptr<LocalWork> make_work(const LocalSetup& s) {
  return std::make_unique<Work>(s);
}

/// The row of a solver, whose keys are those of all local steps.
inline Row<SolverKind> solver_row(const char* name, const char* summary, SolverKind kind) {
  return {name, summary, [](Settings&) {}, kind};
}

}  // namespace trilemma
