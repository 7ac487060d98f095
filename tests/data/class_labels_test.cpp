// Labels that the settings list (src/data/class_labels.hpp), and what becomes of those that are
// not.

#include "data/class_labels.hpp"

#include <gtest/gtest.h>

#include "data/leaf.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::class_labels_test {

using testing::expect_parts;
using testing::refusal;

std::vector<std::string> labels_of(const std::string& data, std::optional<int>& classes) {
  Settings settings = Settings::from_text("[data]\n" + data, "e.toml");
  Reader reader(settings.section("data"));
  return read_class_labels(reader, classes);
}

using Words = std::vector<std::string>;

TEST(ClassLabels, AreTextsOrWholeNumbersAndCountTheClasses) {
  std::optional<int> classes;
  EXPECT_TRUE(labels_of("", classes).empty());
  EXPECT_FALSE(classes.has_value());
  EXPECT_EQ(labels_of("class_labels = [3, 1, 2]", classes), (Words{"3", "1", "2"}));
  EXPECT_EQ(classes, 3);
  classes = 2;
  EXPECT_EQ(labels_of("class_labels = ['b', 'a']", classes), (Words{"b", "a"}));
  expect_parts(refusal([&] { labels_of("class_labels = ['b', 'a', 'c']", classes); }),
               {"data.class_labels", "3 labels, but data.classes = 2"});
}

TEST(ClassLabels, AreNumberedInAscendingOrder) {
  EXPECT_EQ(stated_integers({"10", "-1", "2"}), (std::vector<std::int64_t>{-1, 2, 10}));
  const ClassMap map(stated_integers({"10", "-1", "2"}));
  EXPECT_EQ(map.classes(), 3);
  EXPECT_EQ(map.number(-1), 0);
  EXPECT_EQ(map.number(10), 2);
  EXPECT_FALSE(map.number(0).has_value());
  EXPECT_EQ(map.renumbered(), "");
  expect_parts(refusal([] { stated_integers({"1", "1.5"}); }), {"1.5 is not a whole number"});
  expect_parts(refusal([] { stated_numbers({"1", "cat"}); }), {"\"cat\" is not a number"});
  expect_parts(refusal([] { stated_numbers({"1", "1.0"}); }), {"listed twice"});
}

// What the records decide is named; what the settings say is not.
TEST(ClassLabels, ThatTheRecordsRenumberAreNamed) {
  LabelCount train("a");
  for (const std::int64_t label : {1, 2, 3}) train.add(label);
  EXPECT_EQ(ClassMap(3, train, LabelCount()).renumbered(), "1 to 3");
  EXPECT_EQ(ClassMap(4, train, LabelCount()).renumbered(), "");
  EXPECT_EQ(renumbering("a", "1 to 3", 3), "a: labels 1 to 3 became classes 0 to 2");
}

// Any other mistake than a label outside the classes is final: the files need not be counted.
TEST(ClassLabels, OutsideTheClassesOfLeafAreAnErrorOfTheirOwn) {
  const testing::TempFolder folder;
  const auto read = [&](const std::string& x, const std::string& y) {
    const std::string file = folder.write(
        "d.json", "{\"users\": [\"u\"], \"num_samples\": [1], \"user_data\": {\"u\": {\"x\": [[" +
                      x + "]], \"y\": [" + y + "]}}}");
    UserNumbers users;
    LeafReading found;
    read_leaf({file}, 1, ClassMap(3), users, found);
  };
  read("0.5", "2");
  EXPECT_THROW(read("0.5", "3"), LabelOutside);
  for (const auto& [x, y] : {std::pair{"0.5", "1.5"}, {"\"a\"", "1"}, {"1, 2", "1"}}) {
    try {
      read(x, y);
      FAIL() << x << " " << y;
    } catch (const LabelOutside& error) {
      FAIL() << error.what();
    } catch (const UserError&) {
    }
  }
}

}  // namespace trilemma::class_labels_test
