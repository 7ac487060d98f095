#include "comm/ranks.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// The model as it is, one broadcast.
class Plain final : public Downlink {
 public:
  explicit Plain(const DownlinkSetup& setup) : setup_(setup) {}

  void send(View model, std::uint64_t receivers) override {
    setup_.ranks.broadcast(model, Use::down);
    const auto values = static_cast<double>(model.size());
    setup_.journal.add(
        setup_.metrics.model_bits,
        receivers * static_cast<std::uint64_t>(setup_.model_bits_per_value * values));
    setup_.journal.add(setup_.metrics.payload_bits, receivers * model.size() * sizeof(real) * 8);
  }

 private:
  DownlinkSetup setup_;
};

}  // namespace

Row<DownlinkMaker> plain_downlink() {
  return {"plain", "the model as it is", [](Settings&) {},
          [](const DownlinkSetup& setup) -> std::unique_ptr<Downlink> {
            return std::make_unique<Plain>(setup);
          }};
}

}  // namespace trilemma
