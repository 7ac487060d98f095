#include <optional>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/image_scaling.hpp"
#include "data/source.hpp"
#include "data/tiny_imagenet.hpp"

namespace trilemma {
namespace {

struct TinyImageNetSettings {
  std::string images = "tiny-imagenet-200";
  std::optional<int> classes;
  std::size_t per_class = 0;
  bool has_validation = true;
  ImageScaling scaling;

  void read(Reader& r) {
    r.data_file(
        "images", images,
        "folder of the data set, or its ZIP archive (*.zip), relative to the data directory");
    r("classes", classes, Word{left_to_files}, {.low = 2, .high = 1e6},
      "the first classes of wnids.txt, which are used");
    r("per_class", per_class, at_least(0),
      "training images of each class, the first by file name; 0 = all");
    r("validation", has_validation, "take the validation images of the classes as test records");
    scaling.read(r, Picture::planes);
  }
};

class TinyImageNetSource final : public Source {
 public:
  explicit TinyImageNetSource(TinyImageNetSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override {
    return s_.classes ? std::vector<std::string>{} : std::vector<std::string>{"classes"};
  }
  FileShape find(const std::string& folder) const override {
    return {.classes = TinyImageNet(data_path(folder, s_.images)).classes()};
  }
  void settle(const FileShape& found) override { s_.classes = found.classes; }
  std::size_t features() const override { return tiny_imagenet_features; }
  int classes() const override { return s_.classes.value(); }
  bool sparse() const override { return false; }
  bool has_tests() const override { return s_.has_validation; }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override { return {tree_file(s_.images)}; }
  Preprocessing preprocessing() const override { return {.scaling = s_.scaling.kind}; }
  std::string description() const override {
    return fmt::format(
        "tiny-imagenet {}, {} classes{}, scaling {}", s_.images, classes(),
        s_.per_class == 0 ? "" : fmt::format(" of {}", counted(s_.per_class, "image")),
        name(s_.scaling.kind));
  }

  TrainTest load(const std::string& folder, std::uint64_t seed) const override {
    return load_part(folder, seed, [](const TrainTest&) { return KeptRecords{}; });
  }
  bool loads_parts() const override { return true; }
  TrainTest load_part(const std::string& folder, std::uint64_t,
                      const ChooseRecords& choose) const override {
    const std::string path = data_path(folder, s_.images);
    const TinyImageNet set(path);
    require(classes() <= set.classes(), "data.classes = {}: {} has {} classes; lower data.classes",
            classes(), path, set.classes());
    const auto train = set.training(classes(), s_.per_class);
    ImageList test;
    if (s_.has_validation) test = set.validation(classes());
    TrainTest data;
    data.train = train.records;
    data.test.rows = DenseRows{};
    if (s_.has_validation) data.test = test.records;
    const KeptRecords kept = choose(data);
    data.train = set.read(train, kept.train, s_.scaling.kind == Scaling::standard);
    if (s_.has_validation) data.test = set.read(test, kept.test, false);
    return data;
  }
  bool scales_by_training() const override { return false; }
  void scale(TrainTest& data, Coordinates) const override { s_.scaling.apply(data); }

 private:
  TinyImageNetSettings s_;
};

}  // namespace

Row<SourceMaker> tiny_imagenet_source() {
  return part_with_settings("tiny-imagenet",
                            "Tiny ImageNet, whole or in part: JPEG images in a "
                            "folder or ZIP archive",
                            make_source<TinyImageNetSource, TinyImageNetSettings>);
}

}  // namespace trilemma
