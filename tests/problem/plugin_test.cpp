// Models in libraries of others: what the program takes from them, and what it refuses.

#include <gtest/gtest.h>

#include <cmath>

#include "local/record_gradients.hpp"
#include "problem/plugin/model_check.hpp"
#include "problem/plugin/model_library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/test_model.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::plugin_test {

constexpr std::size_t features = 5, classes = 3, records = 20;

// The model of tests/support/softmax_model.c with a fault.
struct Faulty {
  explicit Faulty(const std::string& fault)
      : problem(
            testing::make_problem("plugin", {features, classes}, testing::plugin_settings(fault))),
        data(testing::dense_records(records, features, classes, 5)),
        x(testing::random_vector(problem->dimension(), 6, 0.3)) {}
  OwnModel& model() { return *problem->as_own_model(); }

  std::unique_ptr<Problem> problem;
  Dataset data;
  Vector x;
};

// The sentence of the RunFailure of a gradient of all records, and of all single gradients.
std::string failure(const std::string& fault) {
  Faulty faulty(fault);
  std::vector<double> gradient(faulty.x.size(), 0.0);
  try {
    full_sum(*faulty.problem, faulty.data, faulty.x, gradient);
    const auto rows = testing::all_rows(records);
    Vector sum(faulty.x.size(), real{0});
    RecordGradients(*faulty.problem, {.threshold = 1}).add(faulty.data, rows, faulty.x, 1, sum);
  } catch (const RunFailure& error) {
    return error.what();
  }
  return "";
}

TEST(Plugin, HasTheGradientsOfTheSoftmaxOfTheProgram) {
  for (const char* options : {"", "single"}) {
    Faulty own(options);
    const auto twin = testing::make_problem("softmax", {features, classes}, "l2 = 0.1");
    const Vector& x = own.x;
    const auto rows = testing::all_rows(records);
    for (const double threshold : {std::numeric_limits<double>::infinity(), 0.2}) {
      Vector ours(x.size(), real{0});
      Vector theirs(x.size(), real{0});
      RecordGradients(*own.problem, {.threshold = threshold}).add(own.data, rows, own.x, 1, ours);
      RecordGradients(*twin, {.threshold = threshold}).add(own.data, rows, x, 1, theirs);
      for (std::size_t j = 0; j < x.size(); ++j)
        EXPECT_NEAR(ours[j], theirs[j], 1e-5) << options << ' ' << threshold;
    }
    EXPECT_NEAR(full_sum(*own.problem, own.data, own.x, {}), full_sum(*twin, own.data, x, {}),
                1e-4);
    Batch batch;
    own.problem->load(own.data, rows, batch);
    const std::size_t correct = own.problem->correct(batch, own.x);
    twin->load(own.data, rows, batch);
    EXPECT_EQ(correct, twin->correct(batch, x));
  }
}

TEST(Plugin, FailsInOneSentenceThatNamesTheFunction) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> faults{
      {"sentence", {"gradient() failed: the licence has expired"}},
      {"nan", {"gradient() returned nan as number 9 of 18"}},
      {"loss", {"gradient() returned the loss inf"}},
      {"overrun", {"gradient() wrote outside of its array of 18 numbers"}},
      {"underrun", {"gradient() wrote outside of its array of 18 numbers"}},
      {"short", {"record_gradients() did not write number 342 of 360"}},
      {"losses", {"record_gradients() wrote more than 20 losses"}},
  };
  for (const auto& [fault, parts] : faults) {
    const std::string sentence = failure(fault);
    testing::expect_parts(sentence, parts);
    testing::expect_parts(sentence, {"trilemma_test_model.so: "});
  }
  EXPECT_EQ(failure(""), "");
}

TEST(Plugin, RefusesLibrariesThatAreNone) {
  const auto refused = [](const std::string& settings) {
    return testing::refusal([&] {
      testing::make_problem("plugin", {features, classes}, settings);
    });
  };
  testing::expect_parts(refused(""), {"library", "name a shared library or a file of Python"});
  testing::expect_parts(refused("library = \"" + std::string(__FILE__) + "\""),
                        {"cannot be loaded as a shared library", "compile it with -shared -fPIC"});
  testing::expect_parts(refused(testing::plugin_settings("refuse")),
                        {"cannot be opened: no model for these records"});
  testing::expect_parts(refused(testing::plugin_settings("version")), {"version 99"});
  testing::expect_parts(refused(testing::plugin_settings("empty")), {"it has 0 parameters"});
  testing::expect_parts(refused(testing::plugin_settings("blind")), {"lacks gradient or predict"});
}

TEST(Plugin, PromisesAreTried) {
  const auto found = [](const std::string& fault) {
    Faulty faulty(fault);
    return promises_of(faulty.model(), faulty.data, faulty.x);
  };
  EXPECT_TRUE(found("").hold());
  EXPECT_TRUE(found("single").hold());
  EXPECT_FALSE(found("drift").repeats);
  const ModelPromises mixed = found("mix");
  EXPECT_FALSE(mixed.separates);
  EXPECT_FALSE(mixed.adds_up);
  EXPECT_TRUE(mixed.repeats);
  EXPECT_THROW(found("class"), RunFailure);  // an answer that is no class
}

TEST(Plugin, SlopesTellWrongGradients) {
  Faulty good("");
  const auto never = [] { return false; };
  EXPECT_LT(slope_error(good.model(), good.data, good.x, never).largest, 0.01);
  Faulty wrong("slope");
  EXPECT_GT(slope_error(wrong.model(), wrong.data, wrong.x, never).largest, largest_slope_error);
}

TEST(Plugin, SlopesThatWereNotTriedAreCounted) {
  Faulty faulty("");
  int calls = 0;
  const SlopeError found =
      slope_error(faulty.model(), faulty.data, faulty.x, [&] { return ++calls > 3; });
  EXPECT_EQ(found.directions, 3U);
  EXPECT_FALSE(found.is_complete);
}

TEST(Plugin, TrialsNoticeChangedInputs) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"write-x", "gradient() changed x, which it may only read"},
      {"write-records", "gradient() changed the features of the records"}};
  for (const auto& [fault, sentence] : faults) {
    Faulty faulty(fault);
    try {
      promises_of(faulty.model(), faulty.data, faulty.x);
      ADD_FAILURE() << fault;
    } catch (const RunFailure& error) {
      testing::expect_parts(error.what(), {sentence});
    }
  }
}

TEST(Plugin, DigestsTellModelsApart) {
  Faulty one("");
  Faulty two("");
  EXPECT_EQ(digest_of(one.model(), one.data, one.x), digest_of(two.model(), two.data, two.x));
  Faulty other("slope");
  EXPECT_NE(digest_of(one.model(), one.data, one.x), digest_of(other.model(), other.data, other.x));
}

TEST(Plugin, SaysHowALibraryForPythonIsBuilt) {
  const testing::TempFolder build, installed;
  build.write("CMakeCache.txt", "");
  const std::string folder = build.path();
  EXPECT_EQ(python_remedy(build.path(), PythonModels::built, false),
            "run `cmake --build '" + folder + "' --target trilemma`");
  EXPECT_EQ(python_remedy(build.path(), PythonModels::built, true),
            "run `cmake -U '*Python3*' '" + folder + "' && cmake --build '" + folder +
                "' --target trilemma`");
  testing::expect_parts(
      python_remedy(build.path(), PythonModels::without_headers, false),
      {"install the headers of Python", "cmake -U '*Python3*'", "--target trilemma"});
  EXPECT_EQ(python_remedy(installed.path(), PythonModels::built, false),
            "build and install the program again");
  testing::expect_parts(python_remedy(build.path(), PythonModels::excluded, false), {"SimGrid"});
}

TEST(PluginDeathTest, SaysThatTheModelCrashed) {
  EXPECT_EXIT(
      failure("exit"), ::testing::ExitedWithCode(3),
      "trilemma: libtrilemma_test_model.so: gradient\\(\\) called exit\\(\\), which ends .*kept");
  for (const char* fault : {"crash", "abort"})
    EXPECT_EXIT(
        failure(fault), ::testing::ExitedWithCode(3),
        "trilemma: libtrilemma_test_model.so: gradient\\(\\) crashed: .*written before are kept");
}

}  // namespace trilemma::plugin_test
