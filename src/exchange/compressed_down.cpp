#include <algorithm>

#include "comm/ranks.hpp"
#include "compress/receiver.hpp"
#include "exchange/downlink.hpp"

namespace trilemma {
namespace {

// All ranks keep a copy w of the server's model x, equal at the start. Messages update it in one of
// two ways.
//
// compressed (EF21-P; Gruntkowska, Tyurin and Richtarik 2023): the server sends C(x - w), and w
// becomes w + s C(x - w), where s makes s C a contraction. The residual stays in x - w, so biased
// compressors need no further memory.
//
// direct (QuAFL; Zakerinia et al. 2022, algorithm 1): the server sends C(x), and w becomes C(x). A
// client that missed rounds needs no earlier message. A compressor that uses a reference model gets
// the previous w.
enum class Sends { change, model };

class CompressedDown final : public Downlink {
 public:
  CompressedDown(DownlinkSetup setup, Sends sends)
      : setup_(std::move(setup)),
        sends_change_(sends == Sends::change),
        layout_(setup_.compressor->layout()),
        receiver_(*setup_.compressor),
        step_(static_cast<real>(contractive_step(setup_.compressor->traits().omega))),
        copy_(setup_.start.begin(), setup_.start.end()) {}

  ConstView send(std::uint32_t round, View model, std::uint64_t receivers) override {
    const Key key{setup_.seed, Purpose::downlink, downlink_client, round};
    if (!sends_change_) setup_.compressor->reference_model(copy_);
    if (setup_.ranks.place().rank == 0) write(model, key);
    setup_.ranks.broadcast_bytes(bytes_, Use::down);
    take_in(receiver_.open(bytes_, key));
    setup_.metric_log.add(setup_.metrics.payload_bits, receivers * receiver_.bits());
    setup_.metric_log.add(setup_.metrics.model_bits,
                          receivers * static_cast<std::uint64_t>(layout_.model_bits(
                                          setup_.model_bits_per_value, receiver_.entries())));
    return copy_;
  }
  void persist(State& common) override { common.values(copy_); }

 private:
  void write(ConstView model, const Key& key) {
    if (sends_change_) {
      change_.resize(model.size());
      for (std::size_t j = 0; j < model.size(); ++j) change_[j] = model[j] - copy_[j];
      setup_.compressor->compress(change_, key, message_);
    } else {
      setup_.compressor->compress(model, key, message_);
    }
    const Measure measured = measure(layout_, message_);
    bytes_.resize(measured.bytes());
    encode(layout_, message_, measured, bytes_);
  }

  void take_in(const SparseView& sent) {
    if (sends_change_) {
      sent.at.each(copy_.size(),
                   [&](std::size_t i, std::size_t j) { copy_[j] += step_ * sent.value[i]; });
    } else {
      std::fill(copy_.begin(), copy_.end(), real{0});
      sent.at.each(copy_.size(), [&](std::size_t i, std::size_t j) { copy_[j] = sent.value[i]; });
    }
  }

  DownlinkSetup setup_;
  bool sends_change_;
  Layout layout_;
  Receiver receiver_;
  real step_;
  Vector copy_, change_;
  Message message_;
  Bytes bytes_;
};

template <Sends sends>
std::unique_ptr<Downlink> make_down(DownlinkSetup setup) {
  return std::make_unique<CompressedDown>(std::move(setup), sends);
}

}  // namespace

Row<DownlinkKind> compressed_downlink() {
  return {"compressed",
          "changes of the model, compressed; clients keep a copy of it",
          {make_down<Sends::change>, Carries::compressed_model, true}};
}

Row<DownlinkKind> direct_downlink() {
  return {"direct",
          "the model itself, compressed; clients need no earlier message",
          {make_down<Sends::model>, Carries::compressed_model}};
}

}  // namespace trilemma
