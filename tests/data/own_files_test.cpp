// Sources with files of the user's own: the test file of a known data set is none of theirs.

#include <gtest/gtest.h>

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

}  // namespace trilemma::own_files_test
