#include <algorithm>
#include <iterator>
#include <utility>

#include "numeric/draws.hpp"
#include "schedule/policies.hpp"

namespace trilemma {
namespace {

constexpr long usual_buffer = 10;

// The server uses updates in the order of their arrival, up to Z of different clients; the rest
// wait for the next server step.
class Buffered final : public AsyncPolicy {
 public:
  Buffered(const BufferedOptions& options, const PolicySetup& setup)
      : AsyncPolicy(setup.clients), options_(options), seed_(setup.seed) {
    for (const std::uint32_t client : first_clients(options, setup)) give(client, 0);
  }

  double expected() const override { return static_cast<double>(options_.wanted); }

 private:
  using Restart = BufferedOptions::Restart;

  void on_open() override {
    used_.clear();
    expect(static_cast<std::size_t>(options_.wanted));
    for (auto client = waiting_.begin(); has_room() && client != waiting_.end();)
      if (is_used(*client)) {
        ++client;
      } else {
        use(*client);
        client = waiting_.erase(client);
      }
  }
  void on_ready(std::uint32_t client) override {
    has_room() && !is_used(client) ? use(client) : waiting_.push_back(client);
  }
  void on_sent(std::uint32_t client) override {
    if (options_.in_flight == 0 && options_.restart == Restart::at_once) give(client, step());
  }
  void on_close() override {
    if (options_.in_flight > 0)
      give(next_client(seed_, step() + 1, static_cast<std::uint32_t>(jobs().size())), step() + 1);
    else if (options_.restart != Restart::at_once)
      for (const std::uint32_t client : used_)
        give(client, options_.restart == Restart::renewed ? step() + 1 : step());
  }

  bool has_room() const { return asked() < static_cast<std::uint32_t>(options_.wanted); }
  void use(std::uint32_t client) {
    used_.push_back(client);
    const std::uint32_t staleness = step() - jobs()[client].front().base;
    ask({.client = client, .weight = staleness_weight(options_.staleness_power, staleness)});
  }
  void give(std::uint32_t client, std::uint32_t version) { begin(client, version, options_.steps); }
  bool is_used(std::uint32_t client) const {
    return std::find(used_.begin(), used_.end(), client) != used_.end();
  }

  BufferedOptions options_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> used_;    ///< clients whose updates the open server step uses
  std::deque<std::uint32_t> waiting_;  ///< clients that are done, in order of arrival
};

}  // namespace

std::vector<std::uint32_t> first_clients(const BufferedOptions& options, const PolicySetup& setup) {
  std::vector<std::uint32_t> first(setup.clients);
  if (options.in_flight > 0)
    SubsetDraw{}({setup.seed, Purpose::participation, 0, 0}, setup.clients,
                 static_cast<std::size_t>(std::min<long>(options.in_flight, setup.clients)), first);
  else
    for (std::uint32_t client = 0; client < setup.clients; ++client) first[client] = client;
  return first;
}

std::uint32_t next_client(std::uint64_t seed, std::uint32_t version, std::uint32_t clients) {
  return Stream({seed, Purpose::participation, 0, version}).below(clients);
}

Asynchrony buffered(const Settings& experiment, const BufferedOptions& options) {
  using Restart = BufferedOptions::Restart;
  constexpr const char* restarts[] = {"at-once", "consumed", "renewed"};
  BufferedOptions read = options;
  if (options.in_flight == 0) {
    const std::string restart = experiment.section("clock").choice(
        "restart", restarts[static_cast<int>(options.restart)],
        {std::begin(restarts), std::end(restarts)},
        "when a client continues after its report: at once, from the newest model, or at the end "
        "of the server step that uses its update, from the model before that step (consumed, as "
        "in a published simulator) or after it (renewed)");
    for (const Restart one : {Restart::at_once, Restart::consumed, Restart::renewed})
      if (restart == restarts[static_cast<int>(one)]) read.restart = one;
  }
  return on_clock(
      experiment, options.steps, [=](const PolicySetup& setup) -> std::unique_ptr<AsyncPolicy> {
        const auto clients = static_cast<long>(setup.clients);
        if (read.wanted > clients)
          experiment.section("server").refuse(
              "buffer",
              fmt::format("more than the {} clients; lower server.buffer", setup.clients));
        BufferedOptions all = read;
        if (all.wanted == 0) all.wanted = std::min(usual_buffer, clients);
        return std::make_unique<Buffered>(all, setup);
      });
}

}  // namespace trilemma
