#include <algorithm>
#include <utility>

#include "schedule/arrival_draws.hpp"
#include "schedule/dispatcher.hpp"

namespace trilemma {
namespace {

class LiveArrivals final : public Dispatcher {
 public:
  LiveArrivals(const ArrivalOptions& options, const TimelineSetup& setup)
      : Dispatcher(setup.clients), options_(options), seed_(setup.seed), clients_(setup.clients) {
    Dispatch unused;
    for (const std::uint32_t client : first_clients(options, setup)) begin(client, 0, unused);
  }

  double expected() const override { return static_cast<double>(options_.wanted); }

  void done(std::uint32_t client, Dispatch& orders) override {
    if (asked() < static_cast<std::uint32_t>(options_.wanted) && !has_part(client))
      take(client, orders);
    else
      waiting_.push_back(client);
  }

 private:
  void on_open(double, Dispatch& orders) override {
    part_.clear();
    expect(static_cast<std::uint32_t>(options_.wanted));
    const std::vector<std::uint32_t> came = std::exchange(waiting_, {});
    for (const std::uint32_t client : came) done(client, orders);
  }
  void on_report(std::uint32_t client, std::uint32_t, Dispatch& orders) override {
    if (options_.in_flight == 0 && options_.restart == ArrivalOptions::Restart::at_once)
      begin(client, step(), orders);
  }
  void on_close(Dispatch& orders) override {
    using Restart = ArrivalOptions::Restart;
    if (options_.in_flight > 0)
      begin(next_client(seed_, step() + 1, clients_), step() + 1, orders);
    else if (options_.restart != Restart::at_once)
      for (const std::uint32_t client : part_)
        begin(client, options_.restart == Restart::renewed ? step() + 1 : step(), orders);
  }

  bool has_part(std::uint32_t client) const {
    return std::find(part_.begin(), part_.end(), client) != part_.end();
  }
  void take(std::uint32_t client, Dispatch& orders) {
    part_.push_back(client);
    const std::uint32_t start = jobs()[client].front().start;
    ask({.client = client, .weight = staleness_weight(options_, step() - start)}, orders);
  }

  ArrivalOptions options_;
  std::uint64_t seed_;
  std::uint32_t clients_;
  std::vector<std::uint32_t> part_;     ///< who takes part in the server step
  std::vector<std::uint32_t> waiting_;  ///< who has come and does not, in this order
};

}  // namespace

std::unique_ptr<Dispatcher> live_arrivals(const ArrivalOptions& options,
                                          const TimelineSetup& setup) {
  return std::make_unique<LiveArrivals>(options, setup);
}

}  // namespace trilemma
