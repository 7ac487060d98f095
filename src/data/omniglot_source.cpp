#include <optional>

#include "data/data_file.hpp"
#include "data/omniglot.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct OmniglotSettings {
  std::string images = "omniglot-small1/images_background_small1.zip";
  std::size_t side = 28;
  std::optional<int> classes;

  void read(Reader& r) {
    r.data_file("images", images, "ZIP archive of drawings, relative to the data directory");
    r("side", side, {.low = 1, .high = omniglot_side},
      "cells along an edge of the grid to which 105 x 105 pixels are averaged");
    r("classes", classes, Word{left_to_files}, {.low = 2, .high = 99},
      "characters of the longest alphabet");
  }
};

class OmniglotSource final : public Source {
 public:
  explicit OmniglotSource(OmniglotSettings s) : s_(std::move(s)) {}
  std::size_t features() const override { return s_.side * s_.side; }
  std::vector<std::string> open() const override {
    return s_.classes ? std::vector<std::string>{} : std::vector<std::string>{"classes"};
  }
  FileShape find(const std::string& folder) const override {
    return {.classes = omniglot_classes(data_path(folder, s_.images))};
  }
  void settle(const FileShape& found) override { s_.classes = found.classes; }
  int classes() const override { return s_.classes.value(); }
  bool sparse() const override { return false; }
  bool has_users() const override { return true; }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override { return {s_.images}; }
  std::string description() const override {
    return fmt::format("omniglot {}, {} x {} cells, {} classes", s_.images, s_.side, s_.side,
                       classes());
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    TrainTest data;
    data.train = read_omniglot(data_path(folder, s_.images), s_.side, classes());
    data.test.rows = DenseRows{};
    return data;
  }

 private:
  OmniglotSettings s_;
};

}  // namespace

Row<SourceMaker> omniglot_source() {
  return part_with_settings("omniglot",
                            "drawings of Omniglot; a user is one drawer of one alphabet",
                            make_source<OmniglotSource, OmniglotSettings>);
}

}  // namespace trilemma
