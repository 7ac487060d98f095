#include "tests/claim_oracle/known_overclaims.hpp"

namespace trilemma::claims {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A hundred clients, one of them drawn, noise of twice its norm bound at the server.
const Words one_of_hundred{"clients=100",         "rounds=100",
                           "data.rows=2000",      "privacy.sigma=2",
                           "privacy.delta=1e-5",  "privacy.noise_at=server",
                           "bound.threshold=1",   "compressor.kind=identity",
                           "participation.size=1"};
const Words fixed_size{"participation.kind=fixed-size"};
const Words records{"method=ldp-sgd", "clients=5", "rounds=10", "data.rows=1000", "local.batch=2"};

}  // namespace

std::vector<KnownOverclaim> known_overclaims() {
  const Words fixed = one_of_hundred + fixed_size;
  Words coin = one_of_hundred;
  coin.back() = "participation.rate=0.01";
  const Words secret{"privacy.rng=chacha20"};
  return {
      {"all others together know who of a fixed number took part",
       {fixed + Words{"method=pmtl", "privacy.view=V_others"}, 20, 20}},
      {"models that move with draws of fixed size tell of these",
       {fixed + Words{"method=pmtl", "privacy.view=V_aggregate"}, 20, 20}},
      {"parts of models that move with draws of fixed size tell of these",
       {fixed + Words{"method=pp-sgd", "privacy.view=V_aggregate"}, 20, 20}},
      {"control variates that move with draws of fixed size tell of these",
       {fixed + Words{"method=dp-scaffold"}, 20, 20}},
      {"coordinates that are left out in draws of fixed size tell of these",
       {fixed + Words{"method=dp-fedavg-clip", "memory.kind=residual", "compressor.kind=top-k",
                      "compressor.index=fixed"},
        20, 20}},
      {"coordinates of estimates that are left out in draws of fixed size tell of these",
       {fixed + Words{"method=cdp-sgd", "bound.kind=clip-client", "memory.kind=residual",
                      "compressor.kind=top-k", "compressor.index=fixed", "local.batch=2"},
        20, 20}},
      {"coins from the public seed hide nobody",
       {coin + secret + Words{"method=dp-fedavg-clip", "participation.kind=poisson"}, 20, 20}},
      {"draws of fixed size from the public seed hide nobody",
       {fixed + secret + Words{"method=dp-fedavg-clip"}, 20, 20}},
      {"delta allows to publish a record of the largest client",
       {records + Words{"partition.kind=dirichlet", "privacy.epsilon=5", "privacy.delta=0.0045"},
        14, 526}},
      {"a run of anchors alone draws the records of anchors",
       {{"method=ldp-spider", "clients=5", "rounds=1", "data.rows=300", "local.batch=52",
         "local.anchor_batch=2", "privacy.sigma=0.15", "privacy.delta=2.5e-5",
         "bound.threshold=0.07"},
        59,
        59}},
      {"a start model from a file may be a function of the data",
       {records + Words{"privacy.epsilon=0.1", "privacy.delta=1e-4",
                        "start.file=" TRILEMMA_SOURCE_DIR "/jobs/experiments/sot-x0-d124.txt"},
        200, 200}},
      {"noise is lost in the regulariser's ulp",
       {records + Words{"problem.lambda=6e7", "privacy.epsilon=5", "privacy.delta=1e-3"}, 200,
        200}},
      {"noise ends where a Gaussian does not",
       {Words{"method=ldp-sgd", "clients=5", "rounds=1", "data.rows=1000", "local.batch=200",
              "privacy.epsilon=10", "privacy.delta=1e-12", "privacy.rng=chacha20"},
        200, 200}},
  };
}

}  // namespace trilemma::claims
