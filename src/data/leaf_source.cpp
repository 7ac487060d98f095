#include <algorithm>

#include "core/text.hpp"
#include "data/data_file.hpp"
#include "data/leaf.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LeafSettings {
  std::vector<std::string> train, test;
  SettledShape shape;
};

LeafSettings read_leaf_settings(Settings& s) {
  LeafSettings v;
  v.train =
      s.data_files("train", {"femnist-test/mytest.json.zip"},
                   "training files (JSON, or JSON inside a ZIP archive), relative to the data "
                   "directory");
  v.test = s.data_files("test", {}, "test files of the same users; empty = none");
  v.shape.features = s.integer_or("features", left_to_files, at_least(1), "values of a record");
  v.shape.classes =
      s.integer_or("classes", left_to_files, {.low = 2, .high = 1e6}, "number of classes");
  if (v.train.empty()) s.refuse("train", "expected at least one file");
  return v;
}

class LeafSource final : public Source {
 public:
  explicit LeafSource(LeafSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override { return s_.shape.open(); }
  FileShape find(const std::string& folder) const override {
    UserNumbers users;
    const auto test = data_paths(folder, s_.test);
    const Dataset data = read_leaf(data_paths(folder, s_.train), s_.shape.features.value_or(0),
                                   s_.shape.classes.value_or(0), users);
    FileShape found{data.features(), data.classes};
    if (!test.empty())
      found.classes =
          std::max(found.classes,
                   read_leaf(test, found.features, s_.shape.classes.value_or(0), users).classes);
    return found;
  }
  void settle(const FileShape& found) override { s_.shape.settle(found); }
  std::size_t features() const override { return s_.shape.features.value(); }
  int classes() const override { return s_.shape.classes.value(); }
  bool sparse() const override { return false; }
  bool has_users() const override { return true; }
  bool has_tests() const override { return !s_.test.empty(); }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    auto all = s_.train;
    all.insert(all.end(), s_.test.begin(), s_.test.end());
    return all;
  }
  std::string description() const override {
    return fmt::format("leaf {}, {} values, {} classes", join(s_.train), features(), classes());
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    UserNumbers users;
    TrainTest data;
    const auto train = data_paths(folder, s_.train);
    const auto test = data_paths(folder, s_.test);
    data.remark = overlap_remark(train, test);
    data.train = read_leaf(train, features(), classes(), users);
    data.test.rows = DenseRows{};
    if (!test.empty()) data.test = read_leaf(test, features(), classes(), users);
    return data;
  }

 private:
  LeafSettings s_;
};

void declare_leaf(Settings& settings) { read_leaf_settings(settings); }
std::unique_ptr<Source> make_leaf(Settings& settings) {
  return std::make_unique<LeafSource>(read_leaf_settings(settings));
}

}  // namespace

Row<SourceMaker> leaf_source() {
  return {"leaf",
          "JSON files of the LEAF benchmark, plain or zipped; users are its writers (FEMNIST)",
          declare_leaf, make_leaf};
}

}  // namespace trilemma
