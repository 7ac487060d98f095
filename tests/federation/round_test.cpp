// The round (src/federation/round.hpp): what a tap sees is what the server uses.

#include "federation/round.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compress/receiver.hpp"
#include "experiment/read_plan.hpp"
#include "numeric/exact_sum.hpp"
#include "numeric/lanes.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::round_test {

// Adds up what it sees of the messages.
class Listener final : public UplinkTap {
 public:
  explicit Listener(const Plan& plan)
      : plan_(plan), compressor_(plan.compressor.make()), receiver_(*compressor_) {}

  void messages(std::uint32_t round, Coordinates participants, const Packets& all) override {
    ExactSum sum(plan_.shape().up, true);  // tiny_experiment has float64 on the wire
    const auto opened = [&](std::size_t i) {
      return receiver_.open(all[i], {plan_.seed, Purpose::mask, participants[i], round});
    };
    double largest = 0;
    for (std::size_t i = 0; i < participants.size(); ++i)
      largest = std::max(largest, static_cast<double>(largest_size(opened(i).value)));
    sum.begin(participants.size(), largest);
    senders_ = participants.size();
    EXPECT_EQ(all.bytes().size(), senders_ * plan_.compressor->layout().bytes());
    for (std::size_t i = 0; i < senders_; ++i) {
      const SparseView sent = opened(i);
      sum.add(0, sent.at, sent.value);
    }
    const auto total = sum.finish();
    sum_.assign(total.begin(), total.end());
  }
  void mean(std::uint32_t, std::span<const double> perturbed) override {
    mean_.assign(perturbed.begin(), perturbed.end());
  }

  std::vector<double> sum_, mean_;
  std::size_t senders_ = 0;

 private:
  const Plan& plan_;
  std::unique_ptr<Compressor> compressor_;
  Receiver receiver_;
};

struct Watched {
  explicit Watched(const std::vector<std::string>& overrides, bool is_tapped = true)
      : plan(read_plan(Settings::from_text(testing::tiny_experiment, "tiny.toml", overrides))),
        parts(assemble(plan, {.clients = static_cast<int>(plan.clients)}, "")),
        ranks(Placement{.clients = static_cast<int>(plan.clients)}),
        listener(plan),
        round(plan, parts, ranks, is_tapped ? &listener : nullptr) {}

  void run(std::uint32_t t) { round.run(t, round.participants(t), timer); }

  Plan plan;
  Assembly parts;
  Ranks ranks;
  Listener listener;
  Round round;
  PhaseTimer timer{false};
};

TEST(Round, ATapSeesTheMessagesAndTheirMean) {
  Watched watched({"method=soteriafl-sgd", "compressor.kind=rand-k"});
  for (std::uint32_t t = 0; t < 3; ++t) {
    watched.run(t);
    EXPECT_EQ(watched.listener.senders_, 4U);
    for (std::size_t j = 0; j < watched.listener.sum_.size(); ++j)
      EXPECT_EQ(watched.listener.mean_[j], watched.listener.sum_[j] * 0.25) << j;
  }
}

// The noise of a trusted server is in the mean, before its memory and its step.
TEST(Round, ATapSeesTheMeanAsItIsReleased) {
  Watched watched({"method=fed-alpha-normec", "privacy.sigma=0.05"});
  watched.run(0);
  const auto row = testing::end_row(*watched.parts.metric_log);
  double noise = 0;
  for (std::size_t j = 0; j < watched.listener.sum_.size(); ++j) {
    const double added = watched.listener.mean_[j] - watched.listener.sum_[j] * 0.25;
    noise += added * added;
  }
  EXPECT_GT(noise, 0);
  EXPECT_NEAR(std::sqrt(noise), row.number("noise_norm"), 1e-12);
}

TEST(Round, ATapChangesNothing) {
  for (const char* method : {"soteriafl-sgd", "fed-alpha-normec"}) {
    Watched watched({std::string("method=") + method});
    Watched alone({std::string("method=") + method}, false);
    for (std::uint32_t t = 0; t < 3; ++t) {
      watched.run(t);
      alone.run(t);
    }
    EXPECT_EQ(watched.parts.x, alone.parts.x) << method;
  }
}

// A plan is used as often as anybody likes: momentum, draws and memories belong to the parts.
TEST(Round, TwoAssembliesOfOnePlanAreEqual) {
  for (const auto& row : methods()) {
    const std::string method = row.name;
    std::vector<std::string> overrides{"method=" + method};
    if (method.starts_with("dp-fedavg")) overrides.emplace_back("server.momentum=0.5");
    const Plan plan =
        read_plan(Settings::from_text(testing::tiny_experiment, "tiny.toml", overrides));
    const auto model = [&plan] {
      Assembly parts = assemble(plan, {.clients = static_cast<int>(plan.clients)}, "");
      Ranks ranks(Placement{.clients = static_cast<int>(plan.clients)});
      const Placement place{.clients = static_cast<int>(plan.clients)};
      PhaseTimer timer{false};
      make_driver({plan, parts, ranks, place})->run_until(4, timer);
      return parts.x;
    };
    const Vector first = model();
    EXPECT_EQ(model(), first) << method;
  }
}

}  // namespace trilemma::round_test
