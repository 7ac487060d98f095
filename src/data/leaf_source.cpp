#include <algorithm>

#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/leaf.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LeafSettings {
  std::vector<std::string> train, test;
  SettledShape shape;
  UserRule users;
};

UserRule read_user_rule(Settings& s) {
  const std::string rule = s.choice(
      "users", "listed", {"strict", "listed", "common", "all"},
      "listed = those in the lists, test users may be new; strict = these, and all with training "
      "records; common = only users with training records; all = users in no list too");
  s.omit_at_default("users");
  if (rule == "strict") return UserRule::strict;
  if (rule == "common") return UserRule::common;
  return rule == "all" ? UserRule::all : UserRule::listed;
}

LeafSettings read_leaf_settings(Settings& s) {
  LeafSettings v;
  v.train =
      s.data_files("train", {"femnist-test/mytest.json.zip"},
                   "training files (JSON, or JSON inside a ZIP archive), relative to the data "
                   "directory");
  v.test = s.data_files("test", {}, "test files; empty = none");
  v.shape.features = s.integer_or("features", left_to_files, at_least(1), "values of a record");
  v.shape.classes =
      s.integer_or("classes", left_to_files, {.low = 2, .high = 1e6}, "different labels");
  v.shape.labels = read_class_labels(s, v.shape.classes);
  v.users = read_user_rule(s);
  if (v.train.empty()) s.refuse("train", "expected at least one file");
  return v;
}

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
