// Sources with files of the user's own: the test file of a known data set is none of theirs.

#include <gtest/gtest.h>

#include <algorithm>

#include "data/source.hpp"

namespace trilemma::own_files_test {

std::vector<std::string> files_of(const std::string& source, const std::string& data) {
  Settings settings = Settings::from_text("[data]\n" + data, "e.toml");
  Settings section = settings.section("data");
  return row(sources(), source).make(section)->files();
}

using Files = std::vector<std::string>;

TEST(OwnFiles, ReplaceTheTestFileOfTheDefaultsToo) {
  EXPECT_EQ(files_of("libsvm", ""), (Files{"a9a/a9a", "a9a/a9a.t"}));
  EXPECT_EQ(files_of("libsvm", "train = 'x'"), (Files{"x"}));
  EXPECT_EQ(files_of("libsvm", "train = 'x'\ntest = 'y'"), (Files{"x", "y"}));
  EXPECT_EQ(files_of("idx", "images = 'i'\nlabels = 'l'"), (Files{"i", "l"}));
  EXPECT_EQ(files_of("idx", "images = 'i'\nlabels = 'l'\ntest_images = 'j'\ntest_labels = 'm'"),
            (Files{"i", "l", "j", "m"}));
}

// A key of a file that files() omits would be in no checksum.
TEST(OwnFiles, ListAllThatSettingsName) {
  std::size_t keys = 0;
  for (const auto& source : sources()) {
    Settings all = Settings::empty().section("data");
    source.read(all);
    std::string toml = "target = 'label'\n";
    for (const auto& record : all.records())
      if (record.names_file())
        toml += record.path.substr(record.path.find('.') + 1) + " = 'of " + record.path + "'\n";
    const Files files = files_of(source.name, toml);
    for (const auto& record : all.records()) {
      if (!record.names_file()) continue;
      ++keys;
      const auto count = [&](const std::string& end) {
        return std::ranges::count(files, "of " + record.path + end);
      };
      EXPECT_EQ(count("") + count("/"), 1) << source.name;
    }
  }
  // 2 of libsvm, csv, cifar and cifar100, 3 of leaf, 4 of idx and stackoverflow, 6 of arrays, 1 of
  // omniglot and tiny-imagenet.
  EXPECT_EQ(keys, 27U);
}

}  // namespace trilemma::own_files_test
