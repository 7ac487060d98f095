#include "comm/ranks.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// Sends the direction of the server's step, a few numbers, instead of a model: all clients have the
// start model, and take the step of every round themselves (DeComFL; Li, Ying, Liu, Dong and Yang
// 2025, algorithm 3). A client that misses rounds needs their directions before it can take part
// again; they are counted in the round in which they are made.
class Scalars final : public Downlink {
 public:
  explicit Scalars(DownlinkSetup setup)
      : setup_(std::move(setup)), sent_(setup_.scalars), direction_(setup_.scalars) {}

  ConstView send(std::uint32_t, View model, std::uint64_t) override { return model; }

  void end_round(std::uint32_t round, View model, std::span<const double> direction,
                 std::uint64_t receivers) override {
    const bool is_server = setup_.ranks.place().rank == 0;
    for (std::size_t m = 0; is_server && m < sent_.size(); ++m)
      sent_[m] = static_cast<real>(direction[m]);
    setup_.ranks.broadcast(sent_, Use::down);
    if (!is_server) {
      direction_.assign(sent_.begin(), sent_.end());
      setup_.step(round, model, direction_);
    }
    add_models(setup_.metric_log, setup_.metrics, receivers, sent_.size(),
               setup_.model_bits_per_value);
  }

 private:
  DownlinkSetup setup_;
  Vector sent_;
  std::vector<double> direction_;
};

}  // namespace

Row<DownlinkKind> scalars_downlink() {
  return {"scalars",
          "the few numbers from which clients take the server's step themselves; of decomfl and "
          "dp-decomfl",
          {[](DownlinkSetup setup) -> std::unique_ptr<Downlink> {
             return std::make_unique<Scalars>(std::move(setup));
           },
           Carries::scalars, true}};
}

}  // namespace trilemma
