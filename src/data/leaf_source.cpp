#include <algorithm>

#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/leaf.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LeafSettings {
  std::vector<std::string> train = {"femnist-test/mytest.json.zip"};
  std::vector<std::string> test;
  SettledShape shape;
  UserRule users = UserRule::listed;

  void read(Reader& r) {
    r.data_files("train", train,
                 "training files (JSON, or JSON inside a ZIP archive), relative to the data "
                 "directory");
    r.data_files("test", test, "test files; empty = none");
    r("features", shape.features, Word{left_to_files}, at_least(1), "values of a record");
    r("classes", shape.classes, Word{left_to_files}, {.low = 2, .high = 1e6}, "different labels");
    shape.labels = read_class_labels(r, shape.classes);
    r("users", users,
      {{"strict", UserRule::strict, "users in the lists, all with training records"},
       {"listed", UserRule::listed, "users in the lists; test users may be new"},
       {"common", UserRule::common, "only users with training records"},
       {"all", UserRule::all, "also users in no list"}},
      "users that are read from the files");
    if (train.empty()) r.refuse("train", "expected at least one file");
  }
};

class LeafSource final : public Source {
 public:
  explicit LeafSource(LeafSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override { return s_.shape.open(); }
  FileShape find(const std::string& folder) const override {
    const LeafFiles found = read(folder, s_.shape.features.value_or(0), {});
    return {found.data.train.features(), label_classes(found.train.labels, found.test.labels)};
  }
  void settle(const FileShape& found) override { s_.shape.settle(found); }
  std::size_t features() const override { return s_.shape.features.value(); }
  int classes() const override { return s_.shape.classes.value(); }
  bool sparse() const override { return false; }
  bool numbers_labels() const override { return s_.shape.labels.empty(); }
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
    LeafFiles found = read_with_classes(folder);
    TrainTest& data = found.data;
    data.remark = overlap_remark(data_paths(folder, s_.train), data_paths(folder, s_.test));
    for (const auto* reading : {&found.train, &found.test})
      data.notes.insert(data.notes.end(), reading->notes.begin(), reading->notes.end());
    describe_lost(data, join(s_.train), found.train.lost);
    describe_lost(data, join(s_.test), found.test.lost);
    describe_labels(found.train.labels, found.test.labels, classes(), data);
    return std::move(data);
  }

 private:
  struct LeafFiles {
    TrainTest data;
    LeafReading train, test;
  };
  // Labels need to be counted beforehand only if some of them are not classes as they are.
  LeafFiles read_with_classes(const std::string& folder) const {
    if (!numbers_labels())
      return read(folder, features(), ClassMap(stated_integers(s_.shape.labels)));
    try {
      return read(folder, features(), ClassMap(classes()));
    } catch (const LabelOutside&) {
      const LeafFiles counted = read(folder, features(), {});
      const ClassMap map(classes(), counted.train.labels, counted.test.labels);
      LeafFiles found = read(folder, features(), map);
      if (!map.renumbered().empty())
        found.data.renumbered = renumbering(join(s_.train), map.renumbered(), classes());
      return found;
    }
  }
  LeafFiles read(const std::string& folder, std::size_t features,
                 const std::optional<ClassMap>& classes) const {
    LeafFiles found{
        {}, {s_.users, LabelCount(join(s_.train))}, {s_.users, LabelCount(join(s_.test))}};
    UserNumbers users;
    found.data.train =
        read_leaf(data_paths(folder, s_.train), features, classes, users, found.train);
    found.data.test.rows = DenseRows{};
    if (!s_.test.empty())
      found.data.test = read_leaf(data_paths(folder, s_.test), found.data.train.features(), classes,
                                  users, found.test);
    return found;
  }

  LeafSettings s_;
};

std::unique_ptr<Source> make_leaf(const LeafSettings& settings) {
  return std::make_unique<LeafSource>(settings);
}

}  // namespace

Row<SourceMaker> leaf_source() {
  return part_with_settings(
      "leaf", "JSON files of the LEAF benchmark, plain or zipped; users are its writers (FEMNIST)",
      make_leaf);
}

}  // namespace trilemma
