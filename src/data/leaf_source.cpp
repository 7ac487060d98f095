#include "core/text.hpp"
#include "data/data_file.hpp"
#include "data/leaf.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LeafSettings {
  std::vector<std::string> train, test;
  std::size_t features;
  int classes;
};

LeafSettings read(Settings& s) {
  LeafSettings v;
  v.train = s.texts("train", {"femnist-test/mytest.json.zip"},
                    "training files (JSON, or JSON inside a ZIP archive), relative to the data "
                    "directory");
  v.test = s.texts("test", {}, "test files of the same users; empty = none");
  v.features =
      static_cast<std::size_t>(s.integer("features", 784, at_least(1), "values of a record"));
  v.classes =
      static_cast<int>(s.integer("classes", 62, {.low = 2, .high = 1e6}, "number of classes"));
  if (v.train.empty()) s.refuse("train", "expected at least one file");
  return v;
}

class LeafSource final : public Source {
 public:
  explicit LeafSource(LeafSettings s) : s_(std::move(s)) {}
  std::size_t features() const override { return s_.features; }
  int classes() const override { return s_.classes; }
  bool sparse() const override { return false; }
  bool has_users() const override { return true; }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    auto all = s_.train;
    all.insert(all.end(), s_.test.begin(), s_.test.end());
    return all;
  }
  std::string description() const override {
    return fmt::format("leaf {}, {} values, {} classes", join(s_.train), s_.features, s_.classes);
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    UserNumbers users;
    TrainTest data;
    data.scaling = "none";
    const auto train = data_paths(folder, s_.train);
    const auto test = data_paths(folder, s_.test);
    data.remark = overlap_remark(train, test);
    data.train = read_leaf(train, s_.features, s_.classes, users);
    data.test.rows = DenseRows{};
    if (!test.empty()) data.test = read_leaf(test, s_.features, s_.classes, users);
    return data;
  }

 private:
  LeafSettings s_;
};

void declare(Settings& settings) { read(settings); }
std::unique_ptr<Source> make(Settings& settings) {
  return std::make_unique<LeafSource>(read(settings));
}

}  // namespace

Row<SourceMaker> leaf_row() {
  return {"leaf",
          "JSON files of the LEAF benchmark, plain or zipped; users are its writers (FEMNIST)",
          declare, make};
}

}  // namespace trilemma
