// Updates that wait on the simulated clock until the server uses them (src/driver/timed.cpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/federation.hpp"

namespace trilemma::waiting_updates_test {
namespace {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The server is too slow for its clients, whose updates wait longer than a server step: a client
// sends x_b - w after steps from the model x_b that its contact names, here the steps of FedAvg.
// The models are stored until then.
TEST(WaitingUpdates, StartFromTheModelsOfTheirContacts) {
  const Words common{"local.solver=gd", "local.steps=3", "local.rate=0.2"};
  const Words slow_server =
      with(common, {"method=fedbuff", "server.buffer=1", "clock.interaction=50"});
  Federation f(tiny_experiment, slow_server);
  const auto clock = f.plan.clock.make();
  const std::size_t d = f.x().size();
  std::vector<Vector> models;
  TimedStep server_step;
  std::uint32_t oldest = 0;
  for (std::uint32_t step = 0; step < 40; ++step) {
    models.push_back(f.x());
    clock->next(server_step);
    ASSERT_EQ(server_step.contacts.size(), 1U);
    const Contact& contact = server_step.contacts.front();
    oldest = std::max(oldest, step - contact.base);
    const auto sent = f.round();
    ASSERT_EQ(sent.size(), d * sizeof(double));
    std::vector<double> values(d);
    std::memcpy(values.data(), sent.data(), sent.size());
    Federation from_base(tiny_experiment, with(common, {"method=fedavg"}));
    from_base.parts.x = models[contact.base];
    const auto of_all = from_base.round();
    ASSERT_EQ(of_all.size(), 4 * d * sizeof(double));
    std::vector<double> expected(d);
    std::memcpy(expected.data(), of_all.data() + contact.client * d * sizeof(double),
                d * sizeof(double));
    EXPECT_EQ(values, expected) << step;
  }
  EXPECT_GE(oldest, 7U);
}

}  // namespace
}  // namespace trilemma::waiting_updates_test
