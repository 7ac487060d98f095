#include "comm/ranks.hpp"
#include "compress/receiver.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// The model itself goes through a compressor, so that a client that was away needs no more than the
// round's message (QuAFL, Zakerinia et al. 2022, algorithm 1). Compressors that look at a reference
// have the model before as such.
class DirectDown final : public Downlink {
 public:
  explicit DirectDown(DownlinkSetup setup)
      : setup_(std::move(setup)),
        layout_(setup_.compressor->layout()),
        receiver_(*setup_.compressor),
        last_(setup_.start.begin(), setup_.start.end()) {}

  ConstView send(std::uint32_t round, View model, std::uint64_t receivers) override {
    const Key key{setup_.seed, Purpose::downlink, downlink_client, round};
    setup_.compressor->reference_model(last_);
    if (setup_.ranks.place().rank == 0) write(model, key);
    setup_.ranks.broadcast_bytes(bytes_, Use::down);
    const SparseView sent = receiver_.open(bytes_, key);
    model_.assign(last_.size(), real{0});
    sent.at.each(model_.size(), [&](std::size_t i, std::size_t j) { model_[j] = sent.value[i]; });
    last_.swap(model_);
    setup_.metric_log.add(setup_.metrics.payload_bits, receivers * receiver_.bits());
    setup_.metric_log.add(setup_.metrics.model_bits,
                          receivers * static_cast<std::uint64_t>(layout_.model_bits(
                                          setup_.model_bits_per_value, receiver_.entries())));
    return last_;
  }
  void persist(State& common) override { common.values(last_); }

 private:
  void write(ConstView model, const Key& key) {
    setup_.compressor->compress(model, key, message_);
    const Measure measured = measure(layout_, message_);
    bytes_.resize(measured.bytes());
    encode(layout_, message_, measured, bytes_);
  }

  DownlinkSetup setup_;
  Layout layout_;
  Receiver receiver_;
  Vector last_, model_;  ///< what was sent last, and room for the next
  Message message_;
  Bytes bytes_;
};

}  // namespace

Row<DownlinkMaker> direct_downlink() {
  return {"direct", "the model itself, compressed; clients that were away need no other message",
          [](Settings&) {},
          [](DownlinkSetup setup) -> std::unique_ptr<Downlink> {
            return std::make_unique<DirectDown>(std::move(setup));
          }};
}

}  // namespace trilemma
