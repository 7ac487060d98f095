#include <algorithm>

#include "data/class_labels.hpp"
#include "data/data_file.hpp"
#include "data/idx.hpp"
#include "data/image_scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct IdxSettings {
  std::string images = "mnist/train-images-idx3-ubyte.gz";
  std::string labels = "mnist/train-labels-idx1-ubyte.gz";
  std::string test_images = "mnist/t10k-images-idx3-ubyte.gz";
  std::string test_labels = "mnist/t10k-labels-idx1-ubyte.gz";
  SettledShape shape;
  std::size_t rows = 0;
  ImageScaling scaling;

  void read(Reader& r) {
    r.data_file("images", images, "training images (plain or gzip)");
    r.data_file("labels", labels, "training labels");
    // The default test images must not be used with other training data.
    if (r.has("images") && !r.has("test_images")) test_images = "";
    r.data_file("test_images", test_images, "test images; empty = none");
    r.data_file("test_labels", test_labels, "test labels");
    r("features", shape.features, Word{left_to_files}, at_least(1), "pixels of an image");
    r("classes", shape.classes, Word{left_to_files}, {.low = 2, .high = 1e6}, "different labels");
    shape.labels = read_class_labels(r, shape.classes);
    r("rows", rows, at_least(0), "use the first rows of the training file only; 0 = all");
    scaling.read(r, 0);
  }
};

class IdxSource final : public Source {
 public:
  explicit IdxSource(IdxSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override { return s_.shape.open(); }
  FileShape find(const std::string& folder) const override {
    return {idx_features(data_path(folder, s_.images)),
            label_classes(train_labels(folder), test_labels(folder))};
  }
  void settle(const FileShape& found) override { s_.shape.settle(found); }
  std::size_t features() const override { return s_.shape.features.value(); }
  int classes() const override { return s_.shape.classes.value(); }
  bool sparse() const override { return false; }
  bool numbers_labels() const override { return s_.shape.labels.empty(); }
  std::vector<std::string> files() const override {
    if (s_.test_images.empty()) return {s_.images, s_.labels};
    return {s_.images, s_.labels, s_.test_images, s_.test_labels};
  }
  bool has_tests() const override { return !s_.test_images.empty(); }
  std::size_t rows() const override { return s_.rows; }
  Preprocessing preprocessing() const override { return {.scaling = s_.scaling.kind}; }
  std::string description() const override {
    return fmt::format("idx {}, {} pixels, {} classes, scaling {}", s_.images, features(),
                       classes(), name(s_.scaling.kind));
  }

  TrainTest load(const std::string& folder, std::uint64_t seed) const override {
    return load_part(folder, seed, [](const TrainTest&) { return KeptRecords{}; });
  }
  bool loads_parts() const override { return true; }
  TrainTest load_part(const std::string& folder, std::uint64_t,
                      const ChooseRecords& choose) const override {
    auto at = [&](const std::string& name) { return data_path(folder, name); };
    const LabelCount of_train = train_labels(folder), of_test = test_labels(folder);
    const ClassMap map = numbers_labels() ? ClassMap(classes(), of_train, of_test)
                                          : ClassMap(stated_integers(s_.shape.labels));
    const IdxPair train(at(s_.images), at(s_.labels), features(), map, s_.rows);
    std::optional<IdxPair> test;
    TrainTest data;
    describe_labels(of_train, of_test, classes(), data);
    if (!map.renumbered().empty())
      data.renumbered = renumbering(s_.labels, map.renumbered(), classes());
    data.train = train.records();
    data.test.rows = DenseRows{};
    if (!s_.test_images.empty()) {
      test.emplace(at(s_.test_images), at(s_.test_labels), features(), map, 0);
      data.test = test->records();
      data.remark = overlap_remark({at(s_.images)}, {at(s_.test_images)});
    }
    const KeptRecords kept = choose(data);
    std::size_t lost = 0, of_tests = 0;
    data.train = train.read(kept.train, &lost);
    if (test) data.test = test->read(kept.test, &of_tests);
    describe_lost(data, s_.images, lost);
    describe_lost(data, s_.test_images, of_tests);
    const bool is_mixed = test && std::get<DenseRows>(data.train.rows).byte.empty() !=
                                      std::get<DenseRows>(data.test.rows).byte.empty();
    require(!is_mixed || data.train.kept() == 0 || data.test.kept() == 0,
            "{}: pixels of another type than those of {}; save both as bytes, or both as reals",
            at(s_.test_images), at(s_.images));
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override { s_.scaling.apply(data); }

 private:
  LabelCount train_labels(const std::string& folder) const {
    return count_idx_labels(data_path(folder, s_.labels));
  }
  LabelCount test_labels(const std::string& folder) const {
    return s_.test_images.empty() ? LabelCount()
                                  : count_idx_labels(data_path(folder, s_.test_labels));
  }

  IdxSettings s_;
};

}  // namespace

Row<SourceMaker> idx_source() {
  return part_with_settings("idx", "IDX image files, plain or gzip (MNIST, Fashion-MNIST)",
                            make_source<IdxSource, IdxSettings>);
}

}  // namespace trilemma
