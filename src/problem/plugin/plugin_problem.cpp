// A model of the user's own: a shared library, or a file of Python (trilemma_model.h).

#include <algorithm>
#include <filesystem>

#include "base/check.hpp"
#include "numeric/lanes.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/plugin/model_check.hpp"
#include "problem/plugin/model_library.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {
namespace {

// Numbers as the interface has them: as they are in a program of floats, otherwise copies.
template <class Values>
std::span<const float> as_floats(const Values& values, std::vector<float>& room) {
  if constexpr (std::is_same_v<real, float>) {
    return values;
  } else {
    room.assign(values.begin(), values.end());
    return room;
  }
}

// Calls fill(floats) for an array that receives floats.
template <class Fill>
void fill_floats(View to, std::vector<float>& room, Fill&& fill) {
  if constexpr (std::is_same_v<real, float>) {
    fill(to);
  } else {
    room.resize(to.size());
    fill(std::span<float>(room));
    std::ranges::copy(room, to.begin());
  }
}

// Factors of a record: its gradient.
class Plugin final : public OwnModel {
 public:
  Plugin(const ModelTask& task, NamedFile file, WeightDecay decay)
      : file_(checked(std::move(file))), library_(task), decay_(decay), features_(task.features) {
    file_.require_same();  // nor has it changed while it was opened
  }

  const std::string& name() const override { return library_.name(); }
  const NamedFile& file() const override { return file_; }

  ModelOrigins origins() override { return library_.origins(); }
  void watch_inputs(bool watch) override { library_.watch_inputs(watch); }

  std::string description() const override {
    return fmt::format("plugin {}: {}, d = {}{}", own_code(), library_.name(), dimension(),
                       decay_.text());
  }
  std::string own_code() const override {
    return std::filesystem::path(file_.path()).filename().string();
  }
  const OwnModel* as_own_model() const override { return this; }
  OwnModel* as_own_model() override { return this; }
  std::size_t dimension() const override { return library_.parameters(); }
  std::size_t factors() const override { return library_.parameters(); }
  StartLaw usual_start() const override { return StartLaw::own; }
  std::vector<double> own_start(std::uint64_t seed) const override {
    try {
      const std::vector<float> x = library_.start(seed);
      return {x.begin(), x.end()};
    } catch (const RunFailure& failure) {  // no run has begun
      throw UserError(failure.what());
    }
  }
  bool has_bias() const override { return true; }
  void check(const Dataset& data) const override { check_dense(data, features_, "plugin"); }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.gather(shard, rows);
  }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    double loss = 0;
    fill_floats(factors, results_, [&](std::span<float> gradients) {
      loss = library_.record_gradients(as_floats(x, x_), records(batch), gradients);
    });
    return with_loss ? loss : 0;
  }

  std::optional<double> add_sum(const Batch& batch, ConstView x, double weight, View sum) override {
    gradient_.resize(sum.size());
    double loss = 0;
    fill_floats(gradient_, results_, [&](std::span<float> gradient) {
      loss = library_.gradient(as_floats(x, x_), records(batch), gradient);
    });
    const real w = static_cast<real>(weight);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += w * gradient_[j];
    return loss;
  }

  std::optional<Score> score(const Batch& batch, ConstView x) override {
    Score found{library_.gradient(as_floats(x, x_), records(batch), {}), 0, 0};
    predict(batch, x);
    const auto& targets = batch.shard->target;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const double answer = static_cast<double>(answers_[i]);
      if (targets.empty()) {
        if (answer == batch.shard->label[batch.rows[i]]) ++found.correct;
      } else {
        const double error = answer - static_cast<double>(targets[batch.rows[i]]);
        found.squared_error += error * error;
      }
    }
    return found;
  }

  void norms(const Batch&, ConstView factors, std::span<double> norm) override {
    for (std::size_t r = 0; r < norm.size(); ++r)
      norm[r] = euclidean_norm(factors.subspan(r * dimension(), dimension()));
  }
  void scale(View record, double weight) const override { multiply(record, weight); }
  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const real w = static_cast<real>(weight);
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += w * factors[r * sum.size() + j];
  }

  double regulariser(ConstView x) const override { return decay_.value(x); }
  void add_regulariser_at(ConstView x, Support at, View g) const override {
    decay_.add_gradient(x, at, g);
  }
  std::size_t correct(const Batch& batch, ConstView x) override {
    return batch.shard->target.empty() ? score(batch, x)->correct : 0;
  }

 private:
  ModelBatch records(const Batch& batch) {
    const std::size_t count = batch.rows.size();
    ModelBatch out;
    out.records = count;
    out.features = as_floats(ConstView(batch.dense).first(count * features_), features_room_);
    const auto& shard = *batch.shard;
    if (shard.target.empty()) {
      labels_.resize(count);
      for (std::size_t i = 0; i < count; ++i) labels_[i] = shard.label[batch.rows[i]];
      out.labels = labels_;
    } else {
      targets_.resize(count);
      for (std::size_t i = 0; i < count; ++i)
        targets_[i] = static_cast<float>(shard.target[batch.rows[i]]);
      out.targets = targets_;
    }
    return out;
  }

  void predict(const Batch& batch, ConstView x) {
    answers_.resize(batch.rows.size());
    ModelBatch unknown = records(batch);
    unknown.labels = {};
    unknown.targets = {};
    library_.predict(as_floats(x, x_), unknown, answers_);
  }

  // Refuses a file that is not the recorded one before any of its code runs.
  static NamedFile checked(NamedFile file) {
    file.sum();
    file.require_same();
    return file;
  }

  NamedFile file_;
  mutable ModelLibrary library_;  // asked for a start, too
  WeightDecay decay_;
  std::size_t features_;
  // Scratch.
  Vector gradient_;
  std::vector<float> x_, features_room_, results_, targets_, answers_;
  std::vector<std::int32_t> labels_;
};

struct PluginOptions {
  NamedFile library;
  std::string options;
  WeightDecay decay;

  void read(Reader& r) {
    library = r.settings().file(
        "library",
        "a model of your own: a shared library (.so) with the interface of trilemma_model.h, or a "
        "file of Python (.py) with a class Model; it runs as a part of the program");
    r("options", options, "text that is passed to the model");
    decay.read(r);
  }
};

std::unique_ptr<Problem> make_plugin(const PluginOptions& s, const Settings& settings,
                                     const DataShape& shape) {
  require_dense(settings, shape);
  if (!s.library.is_set())
    settings.refuse("library", "plugin needs it; name a shared library or a file of Python");
  return std::make_unique<Plugin>(ModelTask{s.library.path(), s.options, shape.features,
                                            static_cast<std::size_t>(shape.classes)},
                                  s.library, s.decay);
}

}  // namespace

Row<ProblemMaker> plugin_problem() {
  return part_with_settings("plugin", "a model of your own, in C, C++ or Python, on dense rows",
                            make_plugin);
}

}  // namespace trilemma
