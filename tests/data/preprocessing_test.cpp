// What sources do to records apart from reading them, as values (src/data/preprocessing.hpp).

#include "data/preprocessing.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "data/source.hpp"

namespace trilemma::preprocessing_test {

constexpr Scaling scalings[] = {Scaling::none, Scaling::spectral, Scaling::standard,
                                Scaling::channels};
constexpr MissingValues treatments[] = {MissingValues::refuse, MissingValues::drop,
                                        MissingValues::mean};

std::unique_ptr<Source> make(const char* name, const std::string& settings) {
  // Keys of other sources are left alone.
  Settings data =
      Settings::from_text("train = \"x.npy\"\ntarget = \"y\"\n" + settings, "data.toml");
  return row(sources(), name).make(data);
}

TEST(Preprocessing, ValuesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Scaling one : scalings) names.insert(name(one));
  EXPECT_EQ(names.size(), std::size(scalings));
  names.clear();
  for (const MissingValues one : treatments) names.insert(name(one));
  EXPECT_EQ(names.size(), std::size(treatments));
}

TEST(Preprocessing, WhatLooksAtAllRecords) {
  for (const Scaling one : scalings)
    EXPECT_EQ(looks_at_all_records(one), one == Scaling::spectral || one == Scaling::standard);
  for (const MissingValues one : treatments)
    EXPECT_EQ(looks_at_all_records(one), one == MissingValues::mean);
}

// Each source answers with the value whose name its setting has, whatever the name.
TEST(Preprocessing, SourcesAnswerWithTheValueOfTheirSetting) {
  const std::pair<const char*, Scaling> usual[] = {
      {"synthetic", Scaling::spectral}, {"libsvm", Scaling::spectral},
      {"idx", Scaling::standard},       {"cifar", Scaling::standard},
      {"csv", Scaling::standard},       {"arrays", Scaling::standard}};
  for (const auto& [source, scaling] : usual) {
    EXPECT_EQ(make(source, "")->preprocessing().scaling, scaling) << source;
    for (const Scaling one : {Scaling::none, scaling}) {
      const std::string setting = std::string("scaling = \"") + name(one) + "\"";
      EXPECT_EQ(make(source, setting)->preprocessing().scaling, one) << source << ": " << setting;
    }
  }
  EXPECT_EQ(make("cifar", "scaling = \"channels\"")->preprocessing().scaling, Scaling::channels);
  for (const char* source : {"leaf", "omniglot", "quadratics"}) {
    const Preprocessing done = make(source, "")->preprocessing();
    EXPECT_EQ(done.scaling, Scaling::none) << source;
    EXPECT_EQ(done.missing, MissingValues::refuse) << source;
    EXPECT_FALSE(done.has_word_features || done.has_bias) << source;
  }
}

TEST(Preprocessing, OfCsvFiles) {
  for (const MissingValues one : treatments) {
    const std::string setting = std::string("missing = \"") + name(one) + "\"";
    EXPECT_EQ(make("csv", setting)->preprocessing().missing, one);
  }
  EXPECT_FALSE(make("csv", "")->preprocessing().has_word_features);
  EXPECT_TRUE(make("csv", "one_hot = [\"sex\"]")->preprocessing().has_word_features);
  EXPECT_TRUE(make("csv", "")->preprocessing().has_bias);
  EXPECT_FALSE(make("csv", "bias = false")->preprocessing().has_bias);
}

}  // namespace trilemma::preprocessing_test
