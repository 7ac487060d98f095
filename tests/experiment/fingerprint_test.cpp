// Fingerprints: the same for the same results, whether defaults are written or not; files count by
// their content.

#include "experiment/fingerprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/input_file.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/temp.hpp"
#include "tests/support/test_model.hpp"

namespace trilemma::fingerprint_test {

TEST(Fingerprint, IsThatOfTheResolvedConfiguration) {
  for (const char* toml : {R"(method = "fedavg"
rounds = 3
clients = 4
[data]
source = "libsvm"
train = "heart_scale/heart_scale"
features = 13)",
                           R"(method = "fedavg"
rounds = 3
clients = 4
[data]
source = "csv"
train = "parkinsons-telemonitoring/parkinsons_updrs.data"
target = "sex"
user = ""
drop = ["subject#"]
classes = 2
features = 20
[problem]
kind = "softmax")",
                           R"(method = "soteriafl-sgd"
rounds = 3
clients = 4
[privacy]
epsilon = 2
delta = 1e-5)"}) {
    const Plan plan = read_plan(Settings::from_text(toml, "e.toml"));
    EXPECT_EQ(read_plan(Settings::from_text(plan.config, "again.toml")).fingerprint,
              plan.fingerprint)
        << toml;
  }
}

TEST(Fingerprint, CountsKeysWhereTheyDifferFromTheirDefaults) {
  const std::string csv =
      "method = \"fedavg\"\nclients = 2\n[data]\nsource = \"csv\"\nfeatures = 19\nclasses = 2\n";
  const auto of = [&](const std::string& more) {
    return read_plan(Settings::from_text(csv + more, "e.toml")).fingerprint;
  };
  EXPECT_EQ(of("missing = 'refuse'\none_hot = []\ntest_share = 0\n"), of(""));
  for (const char* more : {"missing = 'drop'", "one_hot = 'sex'", "user = ''\ntest_share = 0.1"})
    EXPECT_NE(of(more), of(std::string(more).starts_with("user") ? "user = ''" : "")) << more;
}

// Every key that names a file, by its content and not by its name.
TEST(Fingerprint, CountsTheContentOfFiles) {
  const testing::TempFolder folder;
  const std::string head = "clients = 3\nrounds = 3\n";
  std::size_t keys = 0;
  for (const auto& record : all_settings()) {
    if (!record.names_file() || record.path.starts_with("data.")) continue;
    ++keys;
    const bool is_graph = record.path == "graph.file";
    const bool is_library = record.path == "problem.library";
    const std::string library = is_library ? file_content(testing::test_model()) : "";
    const std::string content = is_library ? library : is_graph ? "0 1\n1 2\n" : "0,1\n1,2\n2,1\n";
    const std::string one = folder.write(fmt::format("one-{}", keys), content);
    const std::string same = folder.write(fmt::format("same-{}", keys), content);
    const std::string other =
        folder.write(fmt::format("other-{}", keys), is_library ? library + "\n"
                                                    : is_graph ? "0 1\n0 2\n"
                                                               : "0,1\n1,3\n2,1\n");
    const auto of = [&](const std::string& file) {
      std::vector<std::string> more = {"method=dsgd", "graph.kind=file", "privacy.sigma=1"};
      if (is_library)
        more = {"method=fedavg", "problem.kind=plugin", "data.source=prototypes"};
      else if (!is_graph)
        more = {"method=fedbuff", "server.buffer=1", "clock.law=trace", "clock.file=" + one};
      more.push_back(record.path + "=" + file);
      return read_plan(Settings::from_text(head, "e.toml", more));
    };
    const Plan plan = of(one);
    EXPECT_EQ(plan.fingerprint, of(same).fingerprint) << record.path;
    EXPECT_NE(plan.fingerprint, of(other).fingerprint) << record.path;
    EXPECT_EQ(std::ranges::count(plan.files, record.path, &NamedFile::key), 1);
  }
  EXPECT_EQ(keys, 4U);  // clock.file, graph.file, start.file, problem.library
}

}  // namespace trilemma::fingerprint_test
