// What differs between two configurations (src/experiment/fingerprint.hpp).

#include <gtest/gtest.h>

#include "experiment/fingerprint.hpp"

namespace trilemma::settings_difference_test {

TEST(SettingsDifference, NamesKeyAndBothValues) {
  EXPECT_EQ(settings_difference("a = 1\n[b]\nc = \"x\"\n", "a = 1\n[b]\nc = \"y\"\n"),
            "b.c = 'x' there, 'y' here");
  EXPECT_EQ(settings_difference("a = [1, 2]\n", "b = 2.0\n"),
            "a = [1, 2] there, not set here; b = not set there, 2.0 here");
}

TEST(SettingsDifference, NamesAStartFileOfOtherContent) {
  const std::string config = "[start]\nfile = 'x.txt'\n";
  EXPECT_EQ(settings_difference(config, config),
            "the settings are the same, but the content of start.file differs");
  const std::string none = "[start]\nfile = ''\n";
  EXPECT_EQ(settings_difference(none, none),
            "the settings are the same; another version of the program has written the file");
}

TEST(SettingsDifference, LeavesOutTheLaunch) {
  EXPECT_EQ(
      settings_difference("server_hosts = true\nhosting = 'a'\n[checkpoint]\nkeep = 1\nrounds = 3\n"
                          "[timing]\nenabled = true\n",
                          "[checkpoint]\nkeep = 2\n[timing]\nenabled = false\n"),
      "the settings are the same; another version of the program has written the file");
}

TEST(SettingsDifference, NamesAHandful) {
  std::string there, here;
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    there.append(key).append(" = 1\n");
    here.append(key).append(" = 2\n");
  }
  EXPECT_EQ(
      settings_difference(there, here),
      "a = 1 there, 2 here; b = 1 there, 2 here; c = 1 there, 2 here; d = 1 there, 2 here; and 2 "
      "more");
}

TEST(SettingsDifference, KeepsTextOffTheTerminal) {
  const std::string text =
      settings_difference("a = \"\\u001b[2J" + std::string(500, 'x') + "\"\n", "a = \"\"\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_LT(text.size(), 200U);
}

}  // namespace trilemma::settings_difference_test
