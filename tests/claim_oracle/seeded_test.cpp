// Mistakes of accounting, seeded without touching the program: what it says of one experiment is
// passed off as what it says of another. The oracle must let the truth pass and refute the lie.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/claim_oracle/oracle.hpp"
#include "tests/claim_oracle/program.hpp"

namespace trilemma::claims::seeded_test {

struct Lie {
  const char* mistake;
  const char* truth;      ///< overrides, blanks between them
  const char* told;       ///< overrides that the mistaken accountant goes by, after those of truth
  long told_records = 0;  ///< of a client, where the mistake is about these
};

constexpr const char* records = "method=ldp-sgd clients=5 data.rows=500 local.batch=20 ";
constexpr const char* of_clients =
    "clients=50 data.rows=500 compressor.kind=identity privacy.noise_at=server ";

const Lie lies[] = {
    {"a round is forgotten", "rounds=20 privacy.sigma=0.1", "rounds=19"},
    {"the factor 2 of a replaced record is dropped",
     "privacy.sigma=0.1 privacy.relation=replace_one", "privacy.relation=zero_out"},
    {"the sampling rate is halved", "privacy.sigma=0.1", "", 200},
    {"a draw of fixed size is taken for coins",
     "local.sampling=without-replacement privacy.relation=replace_one privacy.sigma=0.1",
     "local.sampling=poisson"},
    {"the norm bound is halved, as by G in place of 2G for differences",
     "method=ldp-svrg local.batch=2 privacy.sigma=0.5", "bound.threshold=0.5"},
    {"the part of all records is left out", "method=ldp-svrg local.batch=1 privacy.sigma=2",
     "method=ldp-sgd local.batch=1"},
    {"the minibatch counts as all records", "privacy.sigma=0.1", "method=soteriafl-gd"},
    {"delta is ten times what is said", "privacy.sigma=0.1", "privacy.delta=1e-4"},
    {"the factor 2 of a replaced client is dropped",
     "method=dp-fedavg-clip privacy.relation=replace_one privacy.sigma=0.5",
     "privacy.relation=add_remove"},
    {"the sum is taken to be divided by all clients, not by those expected",
     "method=dp-fedavg-clip participation.kind=poisson participation.rate=0.2 privacy.sigma=0.5",
     "privacy.sigma=2.5"},
    {"coins of participation are counted twice",
     "method=clip21 participation.kind=poisson participation.rate=0.2 privacy.sigma=0.5",
     "participation.rate=0.1 bound.threshold=0.5"},
    {"the gain d/k of rand-k is forgotten",
     "method=dp-fedavg-clip compressor.kind=rand-k compressor.k=10 privacy.sigma=0.5",
     "compressor.kind=identity"},
    {"noises of all clients are counted against who sees each message",
     "method=dp-normfedavg privacy.noise_at=client privacy.view=V_server privacy.sigma=5",
     "privacy.view=V_aggregate"},
    {"noise on the average is taken for noise on the sum", "method=pp-sgd privacy.sigma=0.5",
     "privacy.sigma=25"},
};

Request request_of(const Lie& lie, bool told) {
  const std::string truth = lie.truth;
  const bool clients = truth.find("method=") == 0 && truth.find("ldp") == std::string::npos;
  std::istringstream words(std::string("rounds=20 privacy.delta=1e-5 ") +
                           (clients ? of_clients : records) + truth + " " + (told ? lie.told : ""));
  Request request;
  request.least = request.most = told && lie.told_records > 0 ? lie.told_records : 100;
  for (std::string word; words >> word;) {
    const std::string key = word.substr(0, word.find('=') + 1);
    std::erase_if(request.overrides, [&](const std::string& old) { return old.starts_with(key); });
    request.overrides.push_back(word);
  }
  // Keys of parts that the mistaken accountant does not know.
  const auto forget = [&](const char* part, const char* key) {
    if (told && std::string(lie.told).find(part) != std::string::npos)
      std::erase_if(request.overrides,
                    [&](const std::string& old) { return old.starts_with(key); });
  };
  forget("-gd", "local.batch");
  forget("identity", "compressor.k=");
  return request;
}

TEST(SeededOverclaims, AreFound) {
  Machine ideal = machine();
  ideal.noise_cut = 40;
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.mistake);
    std::string refused;
    const auto truth = ask(request_of(lie, false), refused);
    ASSERT_TRUE(truth) << refused;
    const auto told = ask(request_of(lie, true), refused);
    ASSERT_TRUE(told) << refused;
    const Attacks all = attacks(truth->facts, ideal, truth->facts.rounds);
    EXPECT_EQ(refutes(all, truth->epsilon * (1 + 1e-6), 1e-5), nullptr) << truth->epsilon;
    EXPECT_NE(refutes(all, told->epsilon, 1e-5), nullptr)
        << "truth " << truth->epsilon << ", told " << told->epsilon << ", at least "
        << least_epsilon(all, 1e-5);
  }
}

}  // namespace trilemma::claims::seeded_test
