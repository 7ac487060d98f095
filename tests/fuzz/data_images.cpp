// Images in folders: JPEG, and the lists of Tiny ImageNet.

#include <filesystem>

#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/data_check.hpp"
#include "tests/support/archives.hpp"

namespace trilemma::fuzz {
namespace {

using testing::TempFolder;

std::string small_image(int samples) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(samples) * 12 * 9);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 29);
  return testing::jpeg(pixels, 12, samples);
}

void read_jpeg_image(const std::string& input, const TempFolder& folder) {
  std::filesystem::create_directory(folder.at("faces"));
  folder.write("faces/a.jpg", input);
  folder.write("faces/b.jpg", small_image(3));
  folder.write("f.json", std::string(R"({"users": ["u"], "num_samples": [2],
                  "user_data": {"u": {"x": ["a.jpg", "b.jpg"], "y": [0, 1]}}})"));
  load("leaf", "train = 'f.json'\ntest = []\nimages = 'faces'\nside = 5", folder);
}

void load_tiny_set(const TempFolder& folder, const std::string& classes,
                   const std::string& images) {
  static const std::string image =
      testing::jpeg(std::vector<std::uint8_t>(std::size_t{64} * 64, 7), 64, 1);
  for (const char* name : {"tiny/train/n1/images", "tiny/train/n2/images", "tiny/val/images"}) {
    std::filesystem::create_directories(folder.at(name));
    folder.write(std::string(name) + "/i.JPEG", image);
  }
  folder.write("tiny/wnids.txt", classes);
  folder.write("tiny/val/val_annotations.txt", images);
  load("tiny-imagenet", "images = 'tiny'\nscaling = 'none'", folder);
}

void read_list_of_classes(const std::string& input, const TempFolder& folder) {
  load_tiny_set(folder, input, "i.JPEG\tn1\t0\t0\t1\t1\n");
}

void read_list_of_images(const std::string& input, const TempFolder& folder) {
  load_tiny_set(folder, "n2\nn1\n", input);
}

}  // namespace

Harness jpeg_harness() {
  return {{small_image(1), small_image(3)}, {read_jpeg_image}, change_bytes};
}

Harness tiny_imagenet_harness() {
  return {{"n1\nn2\n", "i.JPEG\tn2\t0\t0\t1\t1\n"},
          {read_list_of_classes, read_list_of_images},
          change_bytes};
}

}  // namespace trilemma::fuzz
