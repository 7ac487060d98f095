// Tables of parts (src/settings/table.hpp): names, choice by name, refusal of a
// name that is not in the table.

#include "settings/table.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace trilemma::table_test {

using Maker = int (*)();
void declare(Settings&) {}
constexpr Row<Maker> table[] = {
    {"one", "the first", declare, [] { return 1; }},
    {"two", "the second", declare, [] { return 2; }},
};
std::span<const Row<Maker>> rows() { return table; }

TEST(Table, NamesInOrder) { EXPECT_EQ(names(rows()), (std::vector<std::string>{"one", "two"})); }

TEST(Table, ChoosesTheNamedRowOrTheFallback) {
  Settings named = Settings::from_text("kind = \"two\"", "t");
  EXPECT_EQ(choose(rows(), named, "kind", "one", "which").make(), 2);
  Settings absent = Settings::empty();
  EXPECT_EQ(choose(rows(), absent, "kind", "one", "which").make(), 1);
  ASSERT_EQ(absent.records().size(), 1U);
  EXPECT_EQ(absent.records()[0].path, "kind");
  EXPECT_NE(absent.records()[0].help.find("one | two"), std::string::npos);
}

TEST(Table, RefusesAnUnknownNameAndNamesTheNearest) {
  Settings settings = Settings::from_text("\nkind = \"tow\"", "t.toml");
  const std::string said =
      testing::refusal([&] { choose(rows(), settings, "kind", "one", "which"); });
  testing::expect_parts(said, {"t.toml:2", "kind", "tow", "one, two", "did you mean \"two\"?"});
}

}  // namespace trilemma::table_test
