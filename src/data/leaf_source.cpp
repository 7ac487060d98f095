#include <algorithm>

#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/image_list.hpp"
#include "data/image_scaling.hpp"
#include "data/leaf.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct LeafSettings {
  std::vector<std::string> train = {"femnist-test/mytest.json.zip"};
  std::vector<std::string> test;
  SettledShape shape;
  UserRule users = UserRule::listed;
  std::string images;  ///< folder or archive; empty: records are numbers
  std::size_t side = 84;
  ImageScaling scaling;

  bool has_images() const { return !images.empty(); }
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
    read_images(r);
    if (train.empty()) r.refuse("train", "expected at least one file");
  }

 private:
  void read_images(Reader& r) {
    r.data_file("images", images,
                "folder of the images that the records name (CelebA), or its ZIP archive (*.zip); "
                "empty = records are numbers");
    if (!r.when(has_images())) return;
    r("side", side, {.low = 1, .high = 4096}, "pixels along an edge to which images are averaged");
    scaling.read(r, Picture::planes);
    if (!has_images()) return;
    const std::size_t features = Picture::planes * side * side;
    if (shape.features.value_or(features) != features)
      r.refuse("features", fmt::format("images of {0} x {0} pixels have {1}; leave it out", side,
                                       counted(features, "value")));
    shape.features = features;
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
  // Does not open the images.
  std::vector<std::uint32_t> users(const std::string& folder) const override {
    return read_with_classes(folder).data.train.user;
  }
  bool has_tests() const override { return !s_.test.empty(); }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    auto all = s_.train;
    all.insert(all.end(), s_.test.begin(), s_.test.end());
    if (s_.has_images()) all.push_back(tree_file(s_.images));
    return all;
  }
  Preprocessing preprocessing() const override {
    return {.scaling = s_.has_images() ? s_.scaling.kind : Scaling::none};
  }
  std::string description() const override {
    const std::string about_images =
        s_.has_images() ? fmt::format(", images {}, scaling {}", s_.images, name(s_.scaling.kind))
                        : "";
    return fmt::format("leaf {}, {} values, {} classes{}", join(s_.train), features(), classes(),
                       about_images);
  }

  TrainTest load(const std::string& folder, std::uint64_t seed) const override {
    return load_part(folder, seed, [](const TrainTest&) { return KeptRecords{}; });
  }
  // Numbers are in memory with the records; images are decoded for the chosen records alone.
  bool loads_parts() const override { return s_.has_images(); }
  TrainTest load_part(const std::string& folder, std::uint64_t,
                      const ChooseRecords& choose) const override {
    LeafFiles found = read_with_classes(folder);
    TrainTest& data = found.data;
    data.remark = overlap_remark(data_paths(folder, s_.train), data_paths(folder, s_.test));
    for (const auto* reading : {&found.train, &found.test})
      data.notes.insert(data.notes.end(), reading->notes.begin(), reading->notes.end());
    describe_lost(data, join(s_.train), found.train.lost);
    describe_lost(data, join(s_.test), found.test.lost);
    describe_labels(found.train.labels, found.test.labels, classes(), data);
    if (s_.has_images()) decode(folder, choose(data), found);
    return std::move(data);
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override {
    if (s_.has_images()) s_.scaling.apply(data);
  }

 private:
  struct LeafFiles {
    TrainTest data;
    LeafReading train, test;
  };
  void decode(const std::string& folder, const KeptRecords& kept, LeafFiles& found) const {
    // The archive of CelebA has its images in a folder.
    const auto& names = found.train.images;
    const auto tree = open_tree(data_path(folder, s_.images),
                                names_archive(s_.images) && !names.empty() ? names.front() : "");
    const auto fit = [this](const std::string&, const Picture& image) {
      return resized(image, s_.side);
    };
    constexpr const char* fewer = "take fewer users, or lower data.side";
    const ImageList train{std::move(found.data.train), std::move(found.train.images)};
    found.data.train =
        decode_images(*tree, train, kept.train, s_.scaling.kind == Scaling::standard, fit, fewer);
    if (s_.test.empty()) return;
    const ImageList test{std::move(found.data.test), std::move(found.test.images)};
    found.data.test = decode_images(*tree, test, kept.test, false, fit, fewer);
  }
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
    found.train.has_images = found.test.has_images = s_.has_images();
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

}  // namespace

Row<SourceMaker> leaf_source() {
  return part_with_settings(
      "leaf", "JSON files of the LEAF benchmark, plain or zipped; users are its writers (FEMNIST)",
      make_source<LeafSource, LeafSettings>);
}

}  // namespace trilemma
