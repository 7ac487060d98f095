// Words and near words (src/base/text.hpp).

#include "base/text.hpp"

#include <gtest/gtest.h>

namespace trilemma::text_test {

TEST(Text, CountsOneInTheSingular) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "record"), "2 records");
}

TEST(Text, EditDistanceByHand) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 2U);
}

TEST(Text, EditDistanceIsSymmetric) {
  for (const char* a : {"batch", "bound", "rate", "k"})
    for (const char* b : {"bach", "round", "", "threshold"})
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
}

TEST(Text, NearestFindsTheMisspeltKey) {
  const std::vector<std::string> keys{"local.batch", "local.sampling", "server.rate"};
  EXPECT_EQ(nearest("local.bach", keys), "local.batch");
  EXPECT_EQ(nearest("sever.rate", keys), "server.rate");
  EXPECT_EQ(nearest("local.batch", keys), "local.batch");
}

// Where the table is right, letters of its name are no likeness.
TEST(Text, NearestStaysInTheTable) {
  const std::vector<std::string> keys{"server.rate", "server_hosts", "local.batch", "privacy.rng"};
  EXPECT_EQ(nearest("server.batch", keys), "");
  EXPECT_EQ(nearest("privacy.unit", keys), "");
  EXPECT_EQ(nearest("privacy.rnd", keys), "privacy.rng");
}

TEST(Text, NearestIsEmptyWhereNothingIsNear) {
  EXPECT_EQ(nearest("zzzzzzzzzzzzzzzz", {"local.batch", "server.rate"}), "");
  EXPECT_EQ(nearest("batch", {}), "");
}

TEST(Text, NearestAmongEqualsBeginsAlike) {
  // Both are one letter away.
  EXPECT_EQ(nearest("cat", {"bat", "car"}), "car");
  EXPECT_EQ(nearest("cat", {"car", "bat"}), "car");
  EXPECT_EQ(nearest("cat", {"car", "cab"}), "car");  // alike as well: the first
}

TEST(Text, NearestToABeginningGoesOnFromThere) {
  const std::vector<std::string> methods{"fedavg", "dp-fedavg-smooth", "dp-fedavg-clip", "gd"};
  EXPECT_EQ(did_you_mean("dp-fedavg", methods, "?"),
            "did you mean \"dp-fedavg-clip\" or \"dp-fedavg-smooth\"?");
  EXPECT_EQ(nearest("dp", methods), "dp-fedavg-clip");  // "gd" is two letters away
  // One letter is a slip.
  EXPECT_EQ(did_you_mean("fedavh", methods, "?"), "did you mean \"fedavg\"?");
  EXPECT_EQ(did_you_mean("rat", {"rate", "rates"}, "?"), "did you mean \"rate\"?");
  EXPECT_EQ(nearest("", {"abc", "gd"}), "gd");
}

TEST(Text, DidYouMeanOffersAllThatAreEquallyNear) {
  EXPECT_EQ(did_you_mean("cat", {"bat", "car"}, "?"), "did you mean \"car\"?");
  const std::vector<std::string> soteria{"soteriafl-gd", "soteriafl-sgd"};
  EXPECT_EQ(did_you_mean("SoteriaFL-SGD", soteria, "?"), "did you mean \"soteriafl-sgd\"?");
  EXPECT_EQ(nearest("BATCH", {"local.batch", "server.rate"}), "local.batch");
  EXPECT_EQ(nearest("v_server", {"V_clients", "V_server"}), "V_server");
  EXPECT_EQ(did_you_mean("cat", {"car", "bat", "cab"}, "?"), "did you mean \"car\" or \"cab\"?");
  EXPECT_EQ(did_you_mean("rate", {"server.rate", "local.rate", "a.rate", "b.rate"}, "?"),
            "did you mean \"server.rate\", \"local.rate\" or \"a.rate\"?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", {"car"}, "known are car"), "known are car");
}

TEST(Text, PrefixesKeepFourDigits) {
  EXPECT_EQ(with_prefix(0, "bit"), "0 bit");
  EXPECT_EQ(with_prefix(999, "bit"), "999 bit");
  EXPECT_EQ(with_prefix(1000, "bit"), "1 kbit");
  EXPECT_EQ(with_prefix(1497152, "bit"), "1.497 Mbit");
  EXPECT_EQ(with_prefix(999960, "bit"), "1 Mbit");  // never "1000 kbit"
  EXPECT_EQ(with_prefix(-2.5e9, "B"), "-2.5 GB");
  EXPECT_EQ(with_prefix(4e18, "bit"), "4000 Pbit");
}

TEST(Text, SizesInBits) {
  EXPECT_EQ(bits_in("1MB"), 8e6);
  EXPECT_EQ(bits_in("500 kB"), 4e6);
  EXPECT_EQ(bits_in("1.5kbit"), 1500);
  EXPECT_EQ(bits_in("2MiB"), 2.0 * 1024 * 1024 * 8);
  EXPECT_EQ(bits_in("300 bit"), 300);
  EXPECT_EQ(bits_in("7B"), 56);
  for (const char* wrong :
       {"", "1", "MB", "1 mb", "1XB", "-1MB", "0MB", "1MBit", "nan MB", "inf B", "1 M B"})
    EXPECT_FALSE(bits_in(wrong).has_value()) << wrong;
}

TEST(Text, SizesThatAreNoneSayWhy) {
  const auto says = [](const char* size, const char* words) {
    EXPECT_NE(size_problem(size).find(words), std::string::npos) << size_problem(size);
  };
  says("1mb", "\"mb\" is not a unit, and capitals matter; did you mean MB or Mbit?");
  says("1 KB", "did you mean kB?");
  says("3kbytes", "did you mean kB?");
  says("3mib", "did you mean MiB or Mibit?");
  says("8MBits", "did you mean Mbit?");
  says("100", "the unit is missing; units are B (8 bits), kB, MB");
  says("1XB", "\"XB\" is not a unit, and capitals matter; units are B (8 bits)");
  for (const char* none : {"", "MB", "-1MB", "0MB"}) says(none, "expected a number above 0");
}

TEST(Text, Join) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"a", "b"}, "|"), "a|b");
}

TEST(Shown, HoldsNoControlCharactersAndIsShort) {
  EXPECT_EQ(shown("plain text"), "plain text");
  EXPECT_EQ(shown(std::string("a\n\x1b[1m\0", 7)), "a\\n\\x1b[1m\\x00");
  EXPECT_EQ(shown("abcdef", 3), "abc...");
  EXPECT_EQ(shown("ab\xC3\xA9z", 3), "ab...");  // not in the middle of a character
  EXPECT_EQ(shown("ab\xC3\xA9z", 4), "ab\xC3\xA9...");
  EXPECT_EQ(shown(std::string(5, '\x80'), 3), "...");
}

TEST(Nearest, IsNotLookedForAmongWordsOfAnyLength) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), {std::string(1'000'000, 'a')}), "");
}

TEST(Text, PrintableLeavesWordsAlone) {
  for (const char* text : {"", "plain text, 5 %",
                           "fa\xC3\xA7"
                           "ade",
                           "\xE2\x82\xAC 5", "\xF0\x9F\x99\x82"})
    EXPECT_EQ(printable(text), text);
}

TEST(Text, PrintableSpellsOutWhatMovesATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\n\ttab\r"), "\\x1b[31mred\\n\\ttab\\x0d");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");  // the same as ESC [, in one character
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "txt"),
            "\\u202etxt");  // from right to left
}

// Cut off, too long a form of "/", a surrogate, beyond Unicode, a byte that begins nothing.
TEST(Text, PrintableShowsBytesThatAreNoCharacters) {
  EXPECT_EQ(printable("\xE2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xFFok"), "\\xffok");
}

TEST(Text, NamesThatFilesCanHave) {
  for (const char* name : {"a", "small-2",
                           "fa\xC3\xA7"
                           "ade",
                           "with blank", "a..b"})
    EXPECT_EQ(name_problem(name), "") << name;
  for (const char* name :
       {"", ".", "..", "../../evil", "/tmp/x", "a/b", ".hidden", "a\nb", "\x1b[2J"})
    EXPECT_NE(name_problem(name), "") << name;
  EXPECT_EQ(name_problem(std::string(150, 'a')), "");
  EXPECT_NE(name_problem(std::string(151, 'a')), "");
}

}  // namespace trilemma::text_test
