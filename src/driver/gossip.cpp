#include <algorithm>
#include <numeric>

#include "driver/contact_metrics.hpp"
#include "driver/node_scores.hpp"

namespace trilemma {
namespace {

// Decentralised methods: a step is a round in which every node works and hears its neighbours. Rank
// 0 hosts nodes like any other rank; no rank is a server.
class Gossip final : public Driver {
 public:
  explicit Gossip(const DriverSetup& setup)
      : parts_(setup.parts),
        ranks_(setup.ranks),
        nodes_(setup.plan, setup.parts, setup.ranks, setup.tap),
        consensus_{*parts_.metric_log},
        scores_(setup) {}

  std::uint32_t step() const override { return step_; }
  void run_until(std::uint32_t step, PhaseTimer& timer) override {
    for (; step_ < step; ++step_) {
      timer.start();
      nodes_.run(step_, timer);
    }
  }
  void gather_model() override { nodes_.average(); }
  std::optional<DriverFailure> failure() override {
    const auto found = nodes_.failure();
    if (!found) return std::nullopt;
    return DriverFailure{found->round, fmt::format("round {}, node {}: {}", found->round + 1,
                                                   found->node, found->reason)};
  }
  View model() override { return parts_.x; }
  void observe_state() override {
    std::vector<double> own;
    for (std::size_t slot = 0; slot < nodes_.count(); ++slot)
      own.push_back(distance_squared(nodes_.model(slot), parts_.x));
    observe_distances(ranks_.gather_by_client(own, 1));
    scores_.observe(nodes_);
  }

  void persist(State& common) override {
    common.value(step_);
    common.values(parts_.x);
    parts_.clients->persist_common(common);
  }
  void persist_server(State& server) override { parts_.server->persist(server); }
  void persist(std::size_t slot, State& client) override {
    parts_.clients->persist(slot, client);
    nodes_.persist(slot, client);
  }

 private:
  void observe_distances(std::span<const double> squared) {
    if (ranks_.place().rank != 0) return;
    parts_.metric_log->set(consensus_.error, std::accumulate(squared.begin(), squared.end(), 0.0) /
                                                 static_cast<double>(squared.size()));
    parts_.metric_log->set(consensus_.most, *std::ranges::max_element(squared));
  }

  Assembly& parts_;
  Ranks& ranks_;
  NodeSide nodes_;
  ConsensusMetrics consensus_;
  NodeScores scores_;
  std::uint32_t step_ = 0;
};

}  // namespace

Row<DriverMaker> gossip_driver() {
  return {"gossip", "decentralised: in every round nodes work and average with their neighbours",
          [](const DriverSetup& setup) -> std::unique_ptr<Driver> {
            return std::make_unique<Gossip>(setup);
          }};
}

}  // namespace trilemma
