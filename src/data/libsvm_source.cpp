#include <algorithm>
#include <optional>

#include "base/process_memory.hpp"
#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/libsvm.hpp"
#include "data/scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LibsvmSettings {
  std::string train, test;
  Scaling scaling;
  std::optional<std::size_t> features;
  std::optional<int> index_from;
  int classes;
  bool dense;
  std::size_t rows;
  bool bias;
  std::vector<std::string> labels;  ///< labels of the classes; empty: those in the files
};

// Reads what the labels mean and how records are stored.
void read_kind(Settings& s, LibsvmSettings& v) {
  v.classes = static_cast<int>(
      s.integer("classes", 2, {.low = 0, .high = 1e6}, "different labels; 0 = real targets"));
  if (v.classes == 1) s.refuse("classes", "expected 0 for real targets, or at least 2");
  std::optional<int> stated;
  if (s.has("classes")) stated = v.classes;
  v.labels = read_class_labels(s, stated);
  v.classes = stated.value_or(v.classes);
  s.omit_at_default("classes");
  v.dense =
      s.choice("layout", v.classes == 2 ? "sparse" : "dense", {"sparse", "dense"},
               "how rows are kept: sparse, for two classes and problem.kind = \"logistic\", or "
               "dense, for other problems") == "dense";
  s.omit_at_default("layout");
}

LibsvmSettings read_libsvm_settings(Settings& s) {
  LibsvmSettings v;
  v.train = s.data_file("train", "a9a/a9a", "training file, relative to the data directory");
  // The default test file must not be used with other training data.
  const bool is_own = s.has("train") && !s.has("test");
  v.test = s.data_file("test", is_own ? "" : "a9a/a9a.t", "test file; empty = none");
  v.features = s.integer_or("features", left_to_files, at_least(1),
                            "largest feature index, without the bias");
  v.index_from = s.integer_or("index_from", "auto", {.low = 0, .high = 1},
                              "index of the first feature; auto = 0 if the training file has an "
                              "index 0, else 1");
  s.omit_at_default("index_from");
  read_kind(s, v);
  v.rows = s.count("rows", 0, at_least(0), "use the first rows of the training file only; 0 = all");
  v.bias = s.flag("bias", true, "append a constant feature 1");
  v.scaling = read_scaling(s, Scaling::spectral,
                           "feature scaling, training and test alike; looks at all records");
  return v;
}

// Converts to dense rows unless they would take too much memory.
void make_dense(Dataset& data, const std::string& file) {
  constexpr double most_bytes = 8e9;
  const double bytes = static_cast<double>(data.size()) * static_cast<double>(data.features()) *
                       static_cast<double>(sizeof(real));
  require(
      bytes <= most_bytes,
      "{}: data.layout = \"dense\": {} records of {} features would need {:.1f} GB, and at most "
      "{:g} GB are taken; take fewer records or features",
      file, data.size(), data.features(), bytes / 1e9, most_bytes / 1e9);
  require_memory(
      fmt::format("{}: {} dense records of {} features", file, data.size(), data.features()), bytes,
      "take fewer records or features");
  data.make_dense();
}

class LibsvmSource final : public Source {
 public:
  explicit LibsvmSource(LibsvmSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override {
    return s_.features ? std::vector<std::string>{} : std::vector<std::string>{"features"};
  }
  std::vector<std::string> decided_by_records() const override {
    return s_.index_from ? std::vector<std::string>{} : std::vector<std::string>{"index_from"};
  }
  bool numbers_labels() const override { return s_.classes > 0 && s_.labels.empty(); }
  FileShape find(const std::string& folder) const override {
    FileShape found;
    LibsvmReading reading{s_.index_from};
    for (const auto& file : files())
      found.features = std::max(found.features, indexed_features(data_path(folder, file), reading));
    require(found.features > 0, "{}: no feature in any record; is it another file?",
            data_path(folder, s_.train));
    return found;
  }
  void settle(const FileShape& found) override { s_.features = found.features; }
  std::size_t features() const override { return s_.features.value() + (s_.bias ? 1 : 0); }
  int classes() const override { return s_.classes; }
  bool sparse() const override { return !s_.dense; }
  bool has_tests() const override { return !s_.test.empty(); }
  std::vector<std::string> files() const override {
    return s_.test.empty() ? std::vector{s_.train} : std::vector{s_.train, s_.test};
  }
  std::size_t rows() const override { return s_.rows; }
  Preprocessing preprocessing() const override {
    return {.scaling = s_.scaling, .has_bias = s_.bias};
  }
  std::string description() const override {
    return fmt::format("libsvm {}, {}{}{}{}, scaling {}", s_.train, labels_in_words(),
                       counted(s_.features.value(), "feature"), s_.bias ? " and a bias" : "",
                       s_.dense ? " in dense rows" : "", name(s_.scaling));
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    TrainTest data;
    LibsvmLabels labels{s_.classes, stated_numbers(s_.labels)};
    LibsvmReading reading{s_.index_from};
    const std::string train = data_path(folder, s_.train);
    data.train = read_libsvm(train, s_.features.value(), labels, reading);
    require(s_.rows <= data.train.size(), "data.rows = {}: {} has {} records only; lower data.rows",
            s_.rows, train, data.train.size());
    if (s_.rows > 0) data.train.truncate(s_.rows);
    if (!s_.test.empty()) {
      const std::string test = data_path(folder, s_.test);
      data.remark = overlap_remark({train}, {test});
      data.test = read_libsvm(test, s_.features.value(), labels, reading);
    }
    describe_reading(reading, data);
    describe_renumbering(labels, data);
    for (auto* set : {&data.train, &data.test}) {
      if (set->size() == 0) continue;
      if (s_.bias) append_bias(*set);
      if (s_.dense) make_dense(*set, set == &data.train ? s_.train : s_.test);
    }
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override {
    data.scaling = scale_features(data, s_.scaling);
  }

 private:
  void describe_reading(const LibsvmReading& reading, TrainTest& data) const {
    if (!s_.index_from && reading.first_index == 0)
      data.notes.push_back(fmt::format(
          "{}: features are counted from 0, since there is an index 0 (data.index_from)",
          s_.train));
    if (reading.queries > 0)
      data.notes.push_back(fmt::format("{}: {} passed over: queries (qid) have no meaning here",
                                       s_.train, counted(reading.queries, "entry qid:N")));
    describe_lost(data, s_.train, reading.lost);
  }
  // Two classes become -1 and +1, more become 0, 1, ...
  void describe_renumbering(const LibsvmLabels& labels, TrainTest& data) const {
    if (!numbers_labels()) return;
    std::vector<std::string> words;
    bool are_classes = true;
    for (std::size_t i = 0; i < labels.value.size(); ++i) {
      const double number = static_cast<double>(i);
      are_classes = are_classes && labels.value[i] == (s_.classes == 2 ? 2 * number - 1 : number);
      words.push_back(fmt::format("{}", labels.value[i]));
    }
    if (!are_classes) data.renumbered = renumbering(s_.train, shown(join(words)), s_.classes);
  }
  std::string labels_in_words() const {
    if (s_.classes == 2) return "";
    return s_.classes == 0 ? "real values from " : fmt::format("{} classes from ", s_.classes);
  }

  LibsvmSettings s_;
};

void declare_libsvm(Settings& settings) { read_libsvm_settings(settings); }
std::unique_ptr<Source> make_libsvm(Settings& settings) {
  return std::make_unique<LibsvmSource>(read_libsvm_settings(settings));
}

}  // namespace

Row<SourceMaker> libsvm_source() {
  return {"libsvm", "LIBSVM text files (a9a, w8a, phishing, mushrooms, ...)", declare_libsvm,
          make_libsvm};
}

}  // namespace trilemma
