#include <algorithm>
#include <numeric>

#include "local/solver.hpp"
#include "local/span_solver.hpp"

namespace trilemma {
namespace {

// What all solvers share: w_t = w_0 - eta S_t, where S_t is the sum of the directions taken. Only S
// and the current point are kept.
class Walk {
 public:
  explicit Walk(const LocalSetup& s)
      : s_(s), gradients_(*s.problem, s.record_threshold, s.largest_norm) {}

  void begin(ConstView from, ConstView centre, double rate) {
    from_ = from;
    centre_ = centre;
    rate_ = static_cast<real>(rate);
    at_.assign(from.begin(), from.end());
    sum_.assign(from.size(), real{0});
  }

  // One step along the mean gradient of `rows` (divided by `divisor`), regulariser and pull.
  void step(const Dataset& shard, Coordinates rows, double divisor) {
    gradients_.add(shard, rows, at_, 1.0 / divisor, sum_);
    s_.problem->add_regulariser_gradient(at_, sum_);
    const auto pull = static_cast<real>(s_.steps.pull);
    if (pull != 0)
      for (std::size_t j = 0; j < at_.size(); ++j) sum_[j] += pull * (at_[j] - centre_[j]);
    for (std::size_t j = 0; j < at_.size(); ++j) at_[j] = from_[j] - rate_ * sum_[j];
  }

  const Vector& at() const { return at_; }

  /// The update after `steps` steps.
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
  ConstView from_, centre_;
  real rate_ = 0;
  Vector at_, sum_;
};

Coordinates all_rows(std::size_t count, std::vector<std::uint32_t>& rows) {
  while (rows.size() < count) rows.push_back(static_cast<std::uint32_t>(rows.size()));
  return Coordinates(rows).first(count);
}

// E steps on all records of the shard ([NORM] 2.1, [NEC] local GD).
class GdSteps {
 public:
  explicit GdSteps(const LocalSetup& s) : s_(s) {}
  std::size_t number(const Dataset&) const { return static_cast<std::size_t>(s_.steps.count); }
  std::size_t step(const Dataset& shard, const Key&, long, Walk& walk) {
    walk.step(shard, all_rows(shard.size(), rows_), static_cast<double>(shard.size()));
    return shard.size();
  }

 private:
  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

// E steps, each on a minibatch of its own.
class SgdSteps {
 public:
  explicit SgdSteps(const LocalSetup& s) : s_(s) {}
  std::size_t number(const Dataset&) const { return static_cast<std::size_t>(s_.steps.count); }
  std::size_t step(const Dataset& shard, const Key& key, long number, Walk& walk) {
    const std::size_t batch = std::min(s_.batch, shard.size());
    s_.sampler->draw(step_key(key, s_.steps, number), shard.size(), batch, rows_);
    walk.step(shard, rows_, static_cast<double>(batch));
    return rows_.size();
  }

 private:
  const LocalSetup& s_;
  std::vector<std::uint32_t> rows_;
};

// One pass over the records, one after the other in the order of the shard ([NEC] local IG).
class CyclicSteps {
 public:
  explicit CyclicSteps(const LocalSetup&) {}
  std::size_t number(const Dataset& shard) const { return shard.size(); }
  std::size_t step(const Dataset& shard, const Key&, long number, Walk& walk) {
    const auto row = static_cast<std::uint32_t>(number);
    walk.step(shard, Coordinates(&row, 1), 1);
    return 1;
  }
};

// Every round begins at the model of the round.
template <class Steps>
class Solver final : public LocalWork {
 public:
  explicit Solver(const LocalSetup& s) : s_(s), walk_(s_), steps_(s_) {}
  void start(ConstView) override {}
  void persist(State&) override {}
  void persist(std::size_t, State&) override {}

  std::size_t estimate(std::size_t slot, ConstView x, const Key& key, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t number = steps_.number(shard);
    walk_.begin(x, x, s_.steps.step_rate(key.round, number));
    std::size_t records = 0;
    for (std::size_t t = 0; t < number; ++t)
      records += steps_.step(shard, key, static_cast<long>(t), walk_);
    walk_.report(number, out);
    return records;
  }

 private:
  LocalSetup s_;
  Walk walk_;
  Steps steps_;
};

// Every client goes on from a model of its own ([PMTL] algorithm 1): w_k moves along
// grad l_k(w_k) + lambda (w_k - x). All begin at the start model, which is public.
template <class Steps>
class PersonalSolver final : public LocalWork {
 public:
  explicit PersonalSolver(const LocalSetup& s)
      : s_(s), walk_(s_), steps_(s_), model_(s.shards.size()) {}
  void start(ConstView x) override {
    for (auto& model : model_) model.assign(x.begin(), x.end());
  }
  void persist(State&) override {}
  void persist(std::size_t slot, State& state) override { state.values(model_[slot]); }
  ConstView personal_model(std::size_t slot) const override { return model_[slot]; }

  std::size_t estimate(std::size_t slot, ConstView x, const Key& key, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t number = steps_.number(shard);
    walk_.begin(model_[slot], x, s_.steps.step_rate(key.round, number));
    std::size_t records = 0;
    for (std::size_t t = 0; t < number; ++t)
      records += steps_.step(shard, key, static_cast<long>(t), walk_);
    walk_.report(number, out);
    model_[slot] = walk_.at();
    return records;
  }

 private:
  LocalSetup s_;
  Walk walk_;
  Steps steps_;
  std::vector<Vector> model_;
};

template <class Work>
std::unique_ptr<LocalWork> make(const LocalSetup& s) {
  return std::make_unique<Work>(s);
}
std::unique_ptr<LocalWork> make_gd(const LocalSetup& s) {
  return in_span(s, std::make_unique<Solver<GdSteps>>(s));
}
void declare(Settings&) {}

constexpr Row<SolverKind> table[] = {
    {"gd", "steps on all records", declare, {make_gd, false}},
    {"sgd", "steps on minibatches", declare, {make<Solver<SgdSteps>>, true}},
    {"cyclic",
     "one pass over the records, a step each",
     declare,
     {make<Solver<CyclicSteps>>, false}},
    {"personal-gd",
     "steps on all records from the client's own model",
     declare,
     {make<PersonalSolver<GdSteps>>, false}},
    {"personal-sgd",
     "steps on minibatches from the client's own model",
     declare,
     {make<PersonalSolver<SgdSteps>>, true}},
};

}  // namespace

std::span<const Row<SolverKind>> solvers() { return table; }

}  // namespace trilemma
