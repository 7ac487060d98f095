#pragma once
// Shared by all solvers: the trajectory of local steps, and the records that each step uses.

#include <algorithm>
#include <optional>
#include <utility>

#include "local/solver.hpp"

namespace trilemma {

/// The trajectory w_t = w_0 - eta S_t, where S_t is the sum of the directions taken. Only S and the
/// current point are stored.
class Trajectory {
 public:
  /// Position of a trajectory.
  struct Place {
    ConstView from, centre, drift;
    real rate = 0;
    Vector at, sum;
  };

  explicit Trajectory(const LocalSetup& s)
      : s_(s), gradients_(*s.problem, s.record_bound, s.notes) {}

  /// Starts at `from`, with the pull to `centre`. If `drift` is not empty, it is added to each
  /// direction. The viewed memory must stay valid.
  void begin(ConstView from, ConstView centre, double rate, ConstView drift = {}) {
    p_.from = from;
    p_.centre = centre;
    p_.drift = drift;
    p_.rate = static_cast<real>(rate);
    p_.at.assign(from.begin(), from.end());
    p_.sum.assign(from.size(), real{0});
  }

  /// Takes one step along the mean gradient of `rows` (divided by `divisor`), regulariser and pull.
  /// `key` is that of the minibatch.
  void step(const Dataset& shard, Coordinates rows, double divisor, Key key) {
    key.purpose = Purpose::training;
    key.secret = nullptr;  // no privacy rests on how derivatives are rounded
    gradients_.add(shard, rows, p_.at, 1.0 / divisor, p_.sum, key);
    s_.problem->add_regulariser_gradient(p_.at, p_.sum);
    const auto pull = static_cast<real>(s_.steps.pull);
    if (pull != 0)
      for (std::size_t j = 0; j < p_.at.size(); ++j) p_.sum[j] += pull * (p_.at[j] - p_.centre[j]);
    for (std::size_t j = 0; j < p_.drift.size(); ++j) p_.sum[j] += p_.drift[j];
    for (std::size_t j = 0; j < p_.at.size(); ++j) p_.at[j] = p_.from[j] - p_.rate * p_.sum[j];
  }

  /// Exchanges the current position with `place`.
  void swap(Place& place) { std::swap(p_, place); }
  const Vector& at() const { return p_.at; }
  /// Returns S, the sum of the directions taken.
  const Vector& sum() const { return p_.sum; }

  /// Writes the coordinates of the update after `steps` steps for which `out` has room.
  void report(std::size_t steps, View out) const {
    const auto share = static_cast<real>(1.0 / static_cast<double>(steps));
    auto fill = [out](auto&& value) {
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = value(j);
    };
    switch (s_.steps.update) {
      case Update::sum:
        return fill([this](std::size_t j) { return p_.sum[j]; });
      case Update::mean:
        return fill([this, share](std::size_t j) { return share * p_.sum[j]; });
      case Update::difference:
        return fill([this](std::size_t j) { return p_.centre[j] - p_.at[j]; });
      case Update::own:
        return fill([this](std::size_t j) { return p_.from[j] - p_.at[j]; });
    }
  }

 private:
  const LocalSetup& s_;
  RecordGradients gradients_;
  Place p_;
};

/// Takes E steps on all records of the shard ([NORM] section 2.1, [NEC] local GD). `along` takes a
/// step, as Trajectory does.
class GdSteps {
 public:
  explicit GdSteps(const LocalSetup& s) : s_(s) {}
  /// Returns the number of minibatches of a step, here and in the classes below.
  static constexpr std::size_t epoch(const Dataset&) { return 1; }
  /// Returns the number of steps of a task.
  std::size_t number(const Dataset&, const Task& task) const {
    return static_cast<std::size_t>(task.steps.value_or(s_.steps.count));
  }
  template <class Along>
  std::size_t step(const Dataset& shard, const Key& key, long number, Along& along) {
    while (rows_.size() < shard.size()) rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    along.step(shard, Coordinates(rows_).first(shard.size()), static_cast<double>(shard.size()),
               step_key(key, s_.steps, number));
    return shard.size();
  }

 private:
  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

/// Takes E steps, each on a minibatch drawn for it.
class SgdSteps {
 public:
  explicit SgdSteps(const LocalSetup& s) : s_(s) {}
  std::size_t number(const Dataset& shard, const Task& task) const {
    return static_cast<std::size_t>(task.steps.value_or(s_.steps.count)) * epoch(shard);
  }
  template <class Along>
  std::size_t step(const Dataset& shard, const Key& key, long number, Along& along) {
    const std::size_t batch = s_.batch_of(shard);
    const Key own = step_key(key, s_.steps, number, epoch(shard));
    s_.sampler->draw(own, shard.size(), batch, rows_);
    along.step(shard, rows_, static_cast<double>(s_.sampler->divisor(batch, rows_.size())), own);
    return rows_.size();
  }
  /// Returns the number of minibatches of a step.
  std::size_t epoch(const Dataset& shard) const {
    return s_.steps.counts_epochs ? (shard.size() + s_.batch - 1) / s_.batch : 1;
  }

 private:
  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

/// Takes one pass over the records in the order of the shard, one record per step ([NEC] local IG).
class CyclicSteps {
 public:
  explicit CyclicSteps(const LocalSetup& s) : s_(s) {}
  static std::size_t epoch(const Dataset& shard) { return shard.size(); }
  std::size_t number(const Dataset& shard, const Task&) const { return shard.size(); }
  std::size_t step(const Dataset& shard, const Key& key, long number, Trajectory& trajectory) {
    const auto row = static_cast<std::uint32_t>(number);
    trajectory.step(shard, Coordinates(&row, 1), 1, step_key(key, s_.steps, number, epoch(shard)));
    return 1;
  }

 private:
  const LocalSetup& s_;
};

/// Facts about the finished trajectory of a task.
struct StepsTaken {
  std::size_t records;  ///< number of records drawn
  std::size_t steps;
  double rate;  ///< step size
};

/// Base of solvers, which differ in where the steps of a task start.
template <class Steps>
class SolverWork : public LocalWork {
 public:
  explicit SolverWork(const LocalSetup& s) : s_(s), trajectory_(s_), steps_(s_) {}
  std::size_t last_steps() const final { return last_steps_; }

 protected:
  /// Takes all steps of the task, except those taken in advance, with `factor` times the step size
  /// of the round.
  StepsTaken take_steps(std::size_t slot, const Task& task, ConstView from, ConstView centre,
                        ConstView drift = {}, double factor = 1) {
    const Dataset& shard = *s_.shards[slot];
    StepsTaken w{0, steps_.number(shard, task), 0};
    w.rate = s_.steps.step_rate(task.round_of_rate(), w.steps);
    std::size_t taken = 0;
    if (slot < under_way_.size() && under_way_[slot]) {
      taken = under_way_[slot]->taken;
      w.records = under_way_[slot]->records;
      trajectory_.swap(under_way_[slot]->place);
      under_way_[slot].reset();
    } else {
      trajectory_.begin(from, centre, factor * w.rate, drift);
    }
    for (std::size_t t = taken; t < w.steps; ++t)
      w.records += steps_.step(shard, task.key, static_cast<long>(t), trajectory_);
    last_steps_ = w.steps;
    return w;
  }
  /// Takes one of these steps in advance, for a solver whose step size does not depend on their
  /// number.
  void continue_steps(std::size_t slot, const Task& task, ConstView from, ConstView centre) {
    const Dataset& shard = *s_.shards[slot];
    under_way_.resize(s_.shards.size());
    auto& here = under_way_[slot];
    if (here) {
      trajectory_.swap(here->place);
    } else {
      here.emplace();
      trajectory_.begin(from, centre, s_.steps.step_rate(task.round_of_rate(), 1));
    }
    const std::size_t end = here->taken + steps_.epoch(shard);
    for (; here->taken < end; ++here->taken)
      here->records += steps_.step(shard, task.key, static_cast<long>(here->taken), trajectory_);
    trajectory_.swap(here->place);
  }

  LocalSetup s_;
  Trajectory trajectory_;

 private:
  struct UnderWay {
    Trajectory::Place place;
    std::size_t taken = 0;    ///< number of steps
    std::size_t records = 0;  ///< number of records drawn
  };

  Steps steps_;
  std::vector<std::optional<UnderWay>> under_way_;  ///< by slot; tasks with steps taken in advance
  std::size_t last_steps_ = 0;                      ///< of the last task
};

/// Creates a solver.
template <class Work>
std::unique_ptr<LocalWork> make_work(const LocalSetup& s) {
  return std::make_unique<Work>(s);
}

}  // namespace trilemma
