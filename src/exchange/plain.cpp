#include "comm/ranks.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// Broadcasts the uncompressed model.
class Plain final : public Downlink {
 public:
  explicit Plain(DownlinkSetup setup) : setup_(std::move(setup)) {}

  ConstView send(std::uint32_t, View model, std::uint64_t receivers) override {
    setup_.ranks.broadcast(model, Use::down);
    add_models(setup_.metric_log, setup_.metrics, receivers, model.size(),
               setup_.model_bits_per_value);
    return model;
  }

 private:
  DownlinkSetup setup_;
};

}  // namespace

Row<DownlinkKind> plain_downlink() {
  return {"plain",
          "the model as it is",
          {[](DownlinkSetup setup) -> std::unique_ptr<Downlink> {
             return std::make_unique<Plain>(std::move(setup));
           },
           Carries::model}};
}

}  // namespace trilemma
