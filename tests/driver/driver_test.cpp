// Drivers (src/driver/driver.hpp): from server step to server step, and back after a restart.

#include "driver/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "driver/synchronous.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::driver_test {

struct Driven {
  explicit Driven(const std::string& method, DriverMaker make = make_driver)
      : plan(read_plan(
            Settings::from_text(testing::tiny_experiment, "tiny.toml", {"method=" + method}))),
        place{.clients = static_cast<int>(plan.clients)},
        parts(assemble(plan, place, "")),
        ranks(place),
        driver(make({plan, parts, ranks, place})) {}

  Bytes saved() {
    Bytes bytes;
    State state = State::saving(bytes);
    persist(state);
    return bytes;
  }
  void restore(const Bytes& bytes) {
    State state = State::restoring(bytes);
    persist(state);
    state.finish();
  }
  void persist(State& state) {
    driver->persist(state);
    driver->persist_server(state);
    for (std::size_t slot = 0; slot < parts.shards.size(); ++slot) driver->persist(slot, state);
  }
  Vector model_at(std::uint32_t step) {
    driver->run_until(step, timer);
    driver->gather_model();
    EXPECT_EQ(driver->step(), step);
    const View model = driver->model();
    return {model.begin(), model.end()};
  }

  Plan plan;
  Placement place;
  Assembly parts;
  Ranks ranks;
  std::unique_ptr<Driver> driver;
  PhaseTimer timer{false};
};

TEST(Drivers, AMethodNamesOneOfThem) {
  const auto known = names(drivers());
  for (const auto& method : methods()) {
    Settings none = Settings::empty();
    const std::string name = method.make(none).driver;
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << method.name;
  }
}

TEST(Drivers, StopAnywhereAndGoOn) {
  for (const auto& method : methods()) {
    Driven whole(method.name), first(method.name), second(method.name);
    EXPECT_EQ(whole.driver->step(), 0U);
    const Vector expected = whole.model_at(5);
    first.model_at(2);
    first.model_at(2);  // which is there already
    second.restore(first.saved());
    EXPECT_EQ(second.driver->step(), 2U) << method.name;
    EXPECT_EQ(second.model_at(5), expected) << method.name;
    EXPECT_EQ(second.saved(), whole.saved()) << method.name;
  }
}

// The order in which clients work has no effect: sums do not depend on it, and randomness is
// addressed by client.
class Backwards final : public Synchronous {
 public:
  using Synchronous::Synchronous;

 private:
  Coordinates order(std::uint32_t, Coordinates drawn) override {
    order_.assign(drawn.rbegin(), drawn.rend());
    return order_;
  }
  std::vector<std::uint32_t> order_;
};

TEST(Drivers, ResultsDoNotDependOnTheOrderOfClients) {
  const DriverMaker backwards = [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
    return std::make_unique<Backwards>(setup);
  };
  for (const auto& method : methods()) {
    Settings none = Settings::empty();
    if (std::string(method.make(none).driver) != "synchronous") continue;
    Driven usual(method.name), other(method.name, backwards);
    EXPECT_EQ(other.model_at(4), usual.model_at(4)) << method.name;
    EXPECT_EQ(other.saved(), usual.saved()) << method.name;
  }
}

}  // namespace trilemma::driver_test
