// Methods on the simulated clock: what they keep, and what they are in special cases (spec
// algorithms.md 5.8).

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/federation.hpp"

namespace trilemma::timed_test {
namespace {

using testing::Federation;
using testing::run_tiny;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const Words equal_and_fast{"clock.law=fixed", "clock.slow_share=0", "clock.fast=0.01"};

double largest_difference(const Vector& a, const Vector& b) {
  double most = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    most = std::max(most, std::abs(static_cast<double>(a[j]) - static_cast<double>(b[j])));
  return most;
}

// The clients' models as of their last contacts, computed independently of the run: mu = (w + sum_i
// w_init^i) / (n + 1) moves by the reweighted progress of the contacts alone.
TEST(Favano, ConservesTheMeanOfAllModels) {
  for (const char* alpha : {"deterministic", "stochastic"}) {
    Federation f(tiny_experiment,
                 {"method=favano", "participation.kind=fixed-size", "participation.size=2",
                  "local.steps=6", "local.rate=0.2", std::string("server.alpha=") + alpha});
    const auto clock = f.plan.clock.make();
    const std::size_t d = f.x().size();
    std::vector<Vector> kept(4, f.x());
    const auto mu = [&](std::size_t j) {
      double sum = static_cast<double>(f.x()[j]);
      for (const Vector& model : kept) sum += static_cast<double>(model[j]);
      return sum / 5;
    };
    TimedStep server_step;
    for (std::uint32_t step = 0; step < 30; ++step) {
      std::vector<double> before(d);
      for (std::size_t j = 0; j < d; ++j) before[j] = mu(j);
      clock->next(server_step);
      // What the two clients have sent, one after the other: w_init - m.
      const auto sent = f.round();
      ASSERT_EQ(sent.size(), 2 * d * sizeof(double));
      std::vector<double> values(2 * d);
      std::memcpy(values.data(), sent.data(), sent.size());
      for (const Contact& contact : server_step.contacts) kept[contact.client] = f.x();
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_NEAR(mu(j), before[j] - (values[j] + values[d + j]) / 5, 20 * testing::rounding)
            << step << ' ' << j;
    }
  }
}

// The last server step of server.output = mean contacts all clients and gives mu_T = (w + sum_i
// w^i) / (n + 1) of their models as they are; those before are as without.
TEST(Favano, CanEndWithTheMeanOfAllModels) {
  constexpr std::uint32_t steps = 12;
  const Words common{"method=favano",        "participation.kind=fixed-size",
                     "participation.size=2", "local.steps=6",
                     "local.rate=0.2",       "rounds=12"};
  Federation f(tiny_experiment, with(common, {"server.output=mean"}));
  Federation other(tiny_experiment, common);
  const auto clock = f.plan.clock.make();
  const std::size_t d = f.x().size();
  std::vector<Vector> kept(4, f.x());
  TimedStep server_step;
  for (std::uint32_t step = 0; step + 1 < steps; ++step) {
    clock->next(server_step);
    f.round();
    other.round();
    for (const Contact& contact : server_step.contacts) kept[contact.client] = f.x();
  }
  ASSERT_EQ(f.x(), other.x());
  clock->next(server_step);
  ASSERT_EQ(server_step.contacts.size(), 4U);
  for (const Contact& contact : server_step.contacts) {
    EXPECT_EQ(contact.factor, 1) << contact.client;
    EXPECT_EQ(contact.weight, 3.0 / 5) << contact.client;
  }
  const Vector last = f.x();
  const auto sent = f.round();
  ASSERT_EQ(sent.size(), 4 * d * sizeof(double));
  std::vector<double> values(4 * d);
  std::memcpy(values.data(), sent.data(), sent.size());
  const double weight = 3.0 / 5;  // (s + 1) / (n + 1), by which their progress was multiplied
  for (std::size_t j = 0; j < d; ++j) {
    double sum = static_cast<double>(last[j]);
    for (std::size_t client = 0; client < 4; ++client)
      sum += static_cast<double>(kept[client][j]) - values[client * d + j] / weight;
    EXPECT_NEAR(f.x()[j], sum / 5, 20 * testing::rounding) << j;
  }
  EXPECT_EQ(f.noted().count("messages"), 2 * (steps - 1) + 4);
}

// All clients are contacted all the time and do one step each: nothing is left to divide by.
TEST(Favano, OfEveryoneAndOneStepEndsWithTheMeanAnyway) {
  const Words common =
      with(equal_and_fast, {"method=favano", "local.steps=1", "local.solver=gd", "rounds=5"});
  EXPECT_EQ(run_tiny(with(common, {"server.output=mean"}), 5), run_tiny(common, 5));
}

TEST(Favano, OfEveryoneAndOneStepIsParallelSgd) {
  const Words common = with(equal_and_fast, {"local.steps=1", "local.solver=gd"});
  // x - s/(s+1) eta mean grad.
  EXPECT_LT(largest_difference(
                run_tiny(with(common, {"method=favano", "local.rate=0.5"})),
                run_tiny({"method=fedavg", "local.solver=gd", "local.steps=1", "local.rate=0.4"})),
            200 * testing::rounding);
}

// All reach K: m = w_init + (w - w_init) / K, so with all clients a step of FedAvg with server rate
// n / ((n + 1) K).
TEST(Favano, OfClientsThatReachKIsFedAvg) {
  for (const char* alpha : {"deterministic", "stochastic"})
    EXPECT_LT(largest_difference(
                  run_tiny(with(equal_and_fast, {"method=favano", "local.steps=5", "local.rate=0.3",
                                                 std::string("server.alpha=") + alpha})),
                  run_tiny({"method=fedavg", "local.unit=step", "local.sampling=poisson",
                            "local.steps=5", "local.rate=0.3", "server.rate=0.16"})),
              200 * testing::rounding);
}

// No client has time for a step: messages are w_init, and the model stays.
TEST(Favano, WithoutTimeForAStepNothingMoves) {
  for (const char* alpha : {"deterministic", "stochastic"}) {
    Federation f(tiny_experiment, {"method=favano", "clock.law=fixed", "clock.fast=1e6",
                                   "clock.slow=1e6", std::string("server.alpha=") + alpha});
    const Vector start = f.x();
    f.run(5);
    EXPECT_EQ(f.x(), start);
  }
}

TEST(FedBuff, OfAllEquallyFastClientsIsFedAvgToTheBit) {
  EXPECT_EQ(run_tiny(with(equal_and_fast, {"method=fedbuff", "local.steps=3", "local.rate=0.2",
                                           "clock.restart=at-once", "clock.interaction=0"})),
            run_tiny({"method=fedavg", "local.unit=step", "local.sampling=poisson", "local.steps=3",
                      "local.rate=0.2"}));
}

// All wait for the server step and begin at the model after it, whatever their speeds.
TEST(FedBuff, OfAllClientsThatGoOnFromTheNewModelIsFedAvgToTheBit) {
  EXPECT_EQ(
      run_tiny({"method=fedbuff", "local.steps=3", "local.rate=0.2", "clock.restart=renewed"}),
      run_tiny({"method=fedavg", "local.unit=step", "local.sampling=poisson", "local.steps=3",
                "local.rate=0.2"}));
}

TEST(FedAvgTimed, IsFedAvgToTheBit) {
  for (const char* clock : {"law=geometric", "law=exponential", "draw=job"})
    EXPECT_EQ(
        run_tiny({"method=fedavg-timed", "local.steps=3", "local.rate=0.2",
                  "participation.kind=fixed-size", "participation.size=2",
                  std::string("clock.") + clock}),
        run_tiny({"method=fedavg", "local.unit=step", "local.sampling=poisson", "local.steps=3",
                  "local.rate=0.2", "participation.kind=fixed-size", "participation.size=2"}));
}

// QuAFL's own form: 8 bits each way tell a fine lattice's points apart, because models are close to
// each other; what is missed is of the step's size. A coarse reach is refused in words.
TEST(QuAfl, WithALatticeBothWaysStaysNearTheExactOne) {
  const Words common{"method=quafl", "local.rate=0.2", "participation.kind=fixed-size",
                     "participation.size=2"};
  const auto lattice = [&](const char* bits) {
    return with(common,
                {"exchange.down=direct", "compressor.kind=lattice", "downlink.kind=lattice",
                 std::string("compressor.bits=") + bits, std::string("downlink.bits=") + bits,
                 "compressor.step=0.0001", "downlink.step=0.0001"});
  };
  const Vector exact = run_tiny(common, 40);
  const Vector coded = run_tiny(lattice("16"), 40);
  EXPECT_LT(largest_difference(coded, exact), 2e-3);
  EXPECT_GT(largest_difference(coded, exact), 1e-6);
  Federation f(tiny_experiment, lattice("16"));
  f.run(10);
  const auto messages = f.noted().count("messages");
  EXPECT_EQ(f.noted().count("bits_up_payload"), messages * 16 * f.x().size());
  EXPECT_EQ(f.noted().count("bits_down_payload"), (messages + 4) * 16 * f.x().size());
  EXPECT_THROW(run_tiny(lattice("2"), 40), RunFailure);
}

// Server and contacted clients keep the sum of their models but for the gradients.
TEST(QuAfl, KeepsTheSumOfModelsWhereNobodySteps) {
  const Words standing{"method=quafl", "clock.law=fixed", "clock.fast=1e6", "clock.slow=1e6"};
  Federation f(tiny_experiment, standing);
  const Vector start = f.x();
  f.run(5);
  for (std::size_t j = 0; j < start.size(); ++j)
    EXPECT_NEAR(f.x()[j], start[j], 10 * testing::rounding);
}

TEST(QuAfl, ConservesTheMeanOfAllModels) {
  Federation f(tiny_experiment, {"method=quafl", "participation.kind=fixed-size",
                                 "participation.size=2", "local.steps=6", "local.rate=0.2"});
  const auto clock = f.plan.clock.make();
  const std::size_t d = f.x().size();
  std::map<std::uint32_t, Vector> models{{0, f.x()}};
  std::vector<Vector> own(4, f.x());
  Vector room;
  TimedStep server_step;
  for (std::uint32_t step = 0; step < 30; ++step) {
    models[step] = f.x();
    clock->next(server_step);
    const auto sent = f.round();
    std::vector<double> values(2 * d);
    ASSERT_EQ(sent.size(), values.size() * sizeof(double));
    std::memcpy(values.data(), sent.data(), sent.size());
    for (std::size_t j = 0; j < d; ++j) {
      double gradients = 0;
      double before = static_cast<double>(models[step][j]);
      double after = static_cast<double>(f.x()[j]);
      for (std::size_t i = 0; i < 2; ++i) {
        const Contact& contact = server_step.contacts[i];
        // Y = the last model it got, less what it has sent.
        const double y = static_cast<double>(models.at(contact.base)[j]) - values[i * d + j];
        before += static_cast<double>(own[contact.client][j]);
        gradients += static_cast<double>(own[contact.client][j]) - y;
        after += static_cast<double>(f.parts.work->personal_model(contact.client, f.x(), room)[j]);
      }
      EXPECT_NEAR(after, before - gradients, 50 * testing::rounding) << step << ' ' << j;
    }
    for (const Contact& contact : server_step.contacts) {
      const ConstView now = f.parts.work->personal_model(contact.client, f.x(), room);
      own[contact.client].assign(now.begin(), now.end());
    }
  }
}

// alpha = server.rate, one client at a time: x = (1 - a) x + a w_i.
TEST(FedAsync, OfOneClientMixesItsModel) {
  const Words common{"clients=1", "local.steps=2", "local.rate=0.3", "clock.law=fixed",
                     "clock.interaction=0"};
  EXPECT_LT(
      largest_difference(
          run_tiny(with(common, {"method=fedasync", "server.rate=0.5", "server.staleness_power=0"}),
                   1),
          run_tiny({"clients=1", "method=fedavg", "local.unit=step", "local.sampling=poisson",
                    "local.steps=2", "local.rate=0.3", "server.rate=0.5"},
                   1)),
      50 * testing::rounding);
}

TEST(AsyncSgd, OfOneClientIsSgd) {
  EXPECT_LT(largest_difference(
                run_tiny({"clients=1", "method=asyncsgd", "server.in_flight=1", "local.rate=0.3"}),
                run_tiny({"clients=1", "method=fedavg", "local.unit=step", "local.sampling=poisson",
                          "local.steps=1", "local.rate=0.3"})),
            50 * testing::rounding);
}

TEST(Timed, EpochsAreSoManySteps) {
  // 15 records, 5 in a minibatch: three steps.
  EXPECT_EQ(run_tiny({"method=fedavg-timed", "local.steps=1", "local.unit=epoch"}, 1),
            run_tiny({"method=fedavg", "local.unit=step", "local.sampling=poisson", "local.steps=3",
                      "local.rate=0.5"},
                     1));
}

TEST(Timed, NotesWhatTheClockDoes) {
  Federation f(tiny_experiment,
               {"method=favano", "participation.kind=fixed-size", "participation.size=2"});
  for (int step = 1; step <= 6; ++step) {
    f.round();
    EXPECT_EQ(f.noted().number("simulated_time"), 7 * step);
    EXPECT_EQ(f.noted().count("contacts"), 2U * static_cast<unsigned>(step));
  }
}

}  // namespace
}  // namespace trilemma::timed_test
