#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/libsvm.hpp"
#include "data/scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LibsvmSettings {
  std::string train = "a9a/a9a", test = "a9a/a9a.t";
  Scaling scaling = Scaling::spectral;
  std::optional<std::size_t> features;
  std::optional<int> index_from;
  int classes = 2;
  bool dense = false;
  std::size_t rows = 0;
  bool bias = true;
  std::vector<std::string> labels;  ///< labels of the classes; empty: those in the files

  void read(Reader& r) {
    r.data_file("train", train, "training file, relative to the data directory");
    // The default test file must not be used with other training data.
    if (r.has("train") && !r.has("test")) test = "";
    r.data_file("test", test, "test file; empty = none");
    r("features", features, Word{left_to_files}, at_least(1),
      "largest feature index, without the bias");
    r("index_from", index_from, Word{"auto"}, {.low = 0, .high = 1},
      "index of the first feature; auto = 0 if the training file has an index 0, else 1");
    read_kind(r);
    r("rows", rows, at_least(0), "use the first rows of the training file only; 0 = all");
    r("bias", bias, "append a constant feature 1");
    read_scaling(r, scaling, "feature scaling of training and test data, which uses all records");
  }

 private:
  void read_kind(Reader& r) {
    r("classes", classes, {.low = 0, .high = 1e6}, "different labels; 0 = real targets");
    if (classes == 1) r.refuse("classes", "expected 0 for real targets, or at least 2");
    std::optional<int> stated;
    if (r.has("classes")) stated = classes;
    labels = read_class_labels(r, stated);
    classes = stated.value_or(classes);
    if (!labels.empty()) r.settings().resolve("classes", long{classes});
    dense = classes != 2;
    r("layout", dense,
      {{"sparse", false, "for two classes and problem.kind = \"logistic\""},
       {"dense", true, "for other problems"}},
      "storage of rows");
  }
};

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

}  // namespace

Row<SourceMaker> libsvm_source() {
  return part_with_settings("libsvm", "LIBSVM text files (a9a, w8a, phishing, mushrooms, ...)",
                            make_source<LibsvmSource, LibsvmSettings>);
}

}  // namespace trilemma
