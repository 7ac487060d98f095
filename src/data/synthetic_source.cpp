#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "data/scaling.hpp"
#include "data/source.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

struct SyntheticSettings {
  std::size_t rows = 32561, test_rows = 16281, features = 123, nonzeros = 14;
  double positive = 0.24, noise = 1;
  bool bias = true;
  Scaling scaling = Scaling::spectral;

  void read(Reader& r) {
    constexpr Range some{.low = 1, .high = 1e8};
    r("rows", rows, some, "training records");
    r("test_rows", test_rows, some, "test records");
    r("features", features, some, "binary features, without the bias");
    r("nonzeros", nonzeros, some, "number of features of value 1 in a record");
    r("positive", positive, {.low = 0, .high = 1, .low_open = true, .high_open = true},
      "share of positive labels");
    r("label_noise", noise, at_least(0),
      "standard deviation of the noise on the planted score, relative to that of the score");
    r("bias", bias, "append a constant feature 1");
    read_scaling(r, scaling, "feature scaling, which uses all records");
    if (nonzeros > features)
      r.refuse("nonzeros", fmt::format("more than data.features = {}; lower it", features));
  }
};

// Generates records with `nonzeros` distinct features each; feature j is drawn with weight ~
// 1/(1+j/8), so that some are common and most are rare, as in encoded census data.
class SyntheticSource final : public Source {
 public:
  explicit SyntheticSource(SyntheticSettings s) : s_(std::move(s)) {}
  std::size_t features() const override { return s_.features + (s_.bias ? 1 : 0); }
  int classes() const override { return 2; }
  bool sparse() const override { return true; }
  bool has_tests() const override { return true; }
  std::size_t rows() const override { return s_.rows; }
  Preprocessing preprocessing() const override {
    return {.scaling = s_.scaling, .has_bias = s_.bias};
  }
  std::string description() const override {
    return fmt::format("synthetic, {} x {}, {} non-zeros a row, scaling {}", s_.rows, s_.features,
                       s_.nonzeros, name(s_.scaling));
  }

  TrainTest load(const std::string&, std::uint64_t seed) const override {
    TrainTest data = without_records();
    reserve(s_.rows, data.train);
    reserve(s_.test_rows, data.test);
    const auto score = scores(seed, [&](std::size_t r, std::span<const std::uint32_t> columns) {
      append(columns, r < s_.rows ? data.train : data.test);
    });
    set_labels(seed, score, data);
    return data;
  }
  bool loads_parts() const override { return s_.scaling == Scaling::none; }
  // Labels need the scores of all records. The rows are drawn a second time, so that they need not
  // be stored.
  TrainTest load_part(const std::string&, std::uint64_t seed,
                      const ChooseRecords& choose) const override {
    TrainTest data = without_records();
    set_labels(seed, scores(seed, [](std::size_t, std::span<const std::uint32_t>) {}), data);
    const KeptRecords kept = choose(data);
    data.train.keep(kept.train);
    data.test.keep(kept.test);
    reserve(data.train.kept(), data.train);
    reserve(data.test.kept(), data.test);
    draw_rows(seed, [&](std::size_t r, std::span<const std::uint32_t> columns) {
      Dataset& set = r < s_.rows ? data.train : data.test;
      if (set.has_row(r < s_.rows ? r : r - s_.rows)) append(columns, set);
    });
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override {
    data.scaling = scale_features(data, s_.scaling);
  }

 private:
  // Calls `take` with the columns of every record, training records first.
  template <class Take>
  void draw_rows(std::uint64_t seed, Take&& take) const {
    std::vector<double> cumulative(s_.features);
    double sum = 0;
    for (std::size_t j = 0; j < s_.features; ++j)
      cumulative[j] = sum += 1.0 / (1.0 + static_cast<double>(j) / 8.0);
    Stream stream({seed, Purpose::data, 1, 0});
    std::vector<std::uint32_t> chosen;
    for (std::size_t r = 0; r < s_.rows + s_.test_rows; ++r) {
      chosen.clear();
      while (chosen.size() < s_.nonzeros) {
        const double u = stream.uniform() * sum;
        const auto j = static_cast<std::uint32_t>(
            std::lower_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin());
        if (std::find(chosen.begin(), chosen.end(), j) == chosen.end()) chosen.push_back(j);
      }
      std::sort(chosen.begin(), chosen.end());
      take(r, std::span<const std::uint32_t>(chosen));
    }
  }

  // Returns the scores of all records, and passes their columns to `take`.
  template <class Take>
  std::vector<double> scores(std::uint64_t seed, Take&& take) const {
    std::vector<double> planted(s_.features);
    normals({seed, Purpose::data, 0, 0}, 0, planted);
    std::vector<double> score(s_.rows + s_.test_rows);
    draw_rows(seed, [&](std::size_t r, std::span<const std::uint32_t> columns) {
      for (const auto j : columns) score[r] += planted[j];
      take(r, columns);
    });
    return score;
  }

  TrainTest without_records() const {
    SparseRows none;
    none.columns = features();
    TrainTest data;
    for (auto* set : {&data.train, &data.test}) set->rows = none;
    return data;
  }

  void set_labels(std::uint64_t seed, const std::vector<double>& score, TrainTest& data) const {
    const auto label = threshold(seed, score);
    const auto end_of_training = label.begin() + static_cast<std::ptrdiff_t>(s_.rows);
    data.train.label.assign(label.begin(), end_of_training);
    data.test.label.assign(end_of_training, label.end());
  }

  // Reserves memory for `count` rows, so that growing does not need twice as much.
  void reserve(std::size_t count, Dataset& data) const {
    auto& rows = std::get<SparseRows>(data.rows);
    rows.start.reserve(count + 1);
    rows.column.reserve(count * (s_.nonzeros + 1));
    rows.value.reserve(count * (s_.nonzeros + 1));
  }

  void append(std::span<const std::uint32_t> columns, Dataset& data) const {
    auto& rows = std::get<SparseRows>(data.rows);
    rows.column.insert(rows.column.end(), columns.begin(), columns.end());
    if (s_.bias) rows.column.push_back(static_cast<std::uint32_t>(s_.features));
    rows.value.resize(rows.column.size(), 1);
    rows.start.push_back(rows.column.size());
  }

  // Makes the share `positive` of the records with the largest noisy scores positive.
  std::vector<std::int32_t> threshold(std::uint64_t seed, std::vector<double> score) const {
    const auto count = static_cast<double>(score.size());
    const double mean = std::accumulate(score.begin(), score.end(), 0.0) / count;
    double variance = 0;
    for (const double value : score) variance += (value - mean) * (value - mean) / count;
    std::vector<double> noise(score.size());
    normals({seed, Purpose::data, 2, 0}, 0, noise);
    for (std::size_t i = 0; i < score.size(); ++i)
      score[i] += s_.noise * std::sqrt(variance) * noise[i];
    std::vector<double> sorted = score;
    const auto cut = static_cast<std::ptrdiff_t>(std::min((1.0 - s_.positive) * count, count - 1));
    std::nth_element(sorted.begin(), sorted.begin() + cut, sorted.end());
    const double limit = sorted[static_cast<std::size_t>(cut)];
    std::vector<std::int32_t> label(score.size());
    for (std::size_t i = 0; i < score.size(); ++i) label[i] = score[i] >= limit ? 1 : -1;
    return label;
  }

  SyntheticSettings s_;
};

}  // namespace

Row<SourceMaker> synthetic_source() {
  return part_with_settings("synthetic",
                            "sparse binary records of a9a's shape with labels from a planted model",
                            make_source<SyntheticSource, SyntheticSettings>);
}

}  // namespace trilemma
