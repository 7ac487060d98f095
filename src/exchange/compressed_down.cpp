#include "comm/ranks.hpp"
#include "compress/receiver.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// EF21-P (Gruntkowska, Tyurin and Richtarik 2023): all clients keep the same copy w of the model x,
// equal at the start; the server sends C(x - w), and everybody moves w += s C(x - w), s the share
// that contracts. What is left out stays in x - w, so that biased compressors need no more.
class CompressedDown final : public Downlink {
 public:
  explicit CompressedDown(DownlinkSetup setup)
      : setup_(std::move(setup)),
        layout_(setup_.compressor->layout()),
        receiver_(*setup_.compressor),
        step_(static_cast<real>(contractive_step(setup_.compressor->traits().omega))),
        copy_(setup_.start.begin(), setup_.start.end()) {}

  ConstView send(std::uint32_t round, View model, std::uint64_t receivers) override {
    const Key key{setup_.seed, Purpose::downlink, downlink_client, round};
    if (setup_.ranks.place().rank == 0) write(model, key);
    setup_.ranks.broadcast_bytes(bytes_, Use::down);
    const SparseView change = receiver_.open(bytes_, key);
    change.at.each(copy_.size(),
                   [&](std::size_t i, std::size_t j) { copy_[j] += step_ * change.value[i]; });
    setup_.metric_log.add(setup_.metrics.payload_bits, receivers * receiver_.bits());
    setup_.metric_log.add(setup_.metrics.model_bits,
                          receivers * static_cast<std::uint64_t>(layout_.model_bits(
                                          setup_.model_bits_per_value, receiver_.entries())));
    return copy_;
  }
  bool reaches_everyone() const override { return true; }
  void persist(State& common) override { common.values(copy_); }

 private:
  void write(ConstView model, const Key& key) {
    change_.resize(model.size());
    for (std::size_t j = 0; j < model.size(); ++j) change_[j] = model[j] - copy_[j];
    setup_.compressor->compress(change_, key, message_);
    const Measure measured = measure(layout_, message_);
    bytes_.resize(measured.bytes());
    encode(layout_, message_, measured, bytes_);
  }

  DownlinkSetup setup_;
  Layout layout_;
  Receiver receiver_;
  real step_;
  Vector copy_, change_;
  Message message_;
  Bytes bytes_;
};

}  // namespace

Row<DownlinkMaker> compressed_downlink() {
  return {"compressed", "changes of the model, compressed; clients keep a copy of it",
          [](Settings&) {},
          [](DownlinkSetup setup) -> std::unique_ptr<Downlink> {
            return std::make_unique<CompressedDown>(std::move(setup));
          }};
}

}  // namespace trilemma
