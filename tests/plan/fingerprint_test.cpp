// Fingerprints of experiments of earlier versions: keys that came later must not change them, else
// no run could go on and no cell of a sweep would be found again.

#include "plan/fingerprint.hpp"

#include <gtest/gtest.h>

#include "plan/read_plan.hpp"

namespace trilemma::fingerprint_test {

struct Known {
  const char* toml;
  const char* fingerprint;
};

TEST(Fingerprint, StaysThatOfEarlierVersions) {
  const Known all[] = {
      {R"(method = "fedavg"
rounds = 3
clients = 4
[data]
source = "libsvm"
train = "heart_scale/heart_scale"
features = 13)",
       "d8f18d22eede121e44830ff8d3ffe7b5b5897e18011645beb7697e3db3fc6299"},
      {R"(method = "fedavg"
rounds = 3
clients = 4
[data]
source = "csv"
train = "parkinsons-telemonitoring/parkinsons_updrs.data"
target = "sex"
user = ""
drop = ["subject#"]
classes = 2
features = 20)",
       "12dc710b5de12d5cd17804e5426d8fa9da99fb6c4c82175f079b34d25f44a726"},
      {R"(method = "soteriafl-sgd"
rounds = 3
clients = 4
[privacy]
epsilon = 2
delta = 1e-5)",
       "64511dee96d27e09cd23114a355ef38e8a0b8dd07d9a647c4d2b39d40e56af56"},
  };
  for (const auto& [toml, expected] : all) {
    const Plan plan = read_plan(Settings::from_text(toml, "e.toml"));
    EXPECT_EQ(plan.fingerprint, expected) << toml;
    EXPECT_EQ(read_plan(Settings::from_text(plan.config, "again.toml")).fingerprint, expected);
  }
}

TEST(Fingerprint, CountsLaterKeysWhereTheyAreSet) {
  const std::string csv = "method = \"fedavg\"\n[data]\nsource = \"csv\"\nfeatures = 19\n";
  const auto of = [&](const std::string& more) {
    return read_plan(Settings::from_text(csv + more, "e.toml")).fingerprint;
  };
  EXPECT_EQ(of("missing = 'refuse'\none_hot = []\ntest_share = 0\n"), of(""));
  for (const char* more : {"missing = 'drop'", "one_hot = 'sex'", "user = ''\ntest_share = 0.1"})
    EXPECT_NE(of(more), of(std::string(more).starts_with("user") ? "user = ''" : "")) << more;
}

}  // namespace trilemma::fingerprint_test
