// Every compressor of the table: compress, encode, decode, at the size of the MNIST network.

#include "bench/support.hpp"

namespace trilemma::bench {
namespace {

constexpr std::size_t dimension = 50890;

std::unique_ptr<Compressor> make(std::size_t index, ValueFormat format = ValueFormat::float32) {
  Settings settings = Settings::empty();
  return compressors()[index].make(settings, dimension, format);
}

void compress(benchmark::State& state, std::size_t index) {
  const auto compressor = make(index);
  const Vector z(dimension, real(1));
  Message message;
  Key key{1, Purpose::mask, 0, 0};
  for (auto _ : state) {
    ++key.round;
    compressor->compress(z, key, message);
    benchmark::DoNotOptimize(&message);
  }
}

void encode_decode(benchmark::State& state, std::size_t index) {
  const auto compressor = make(index);
  const Vector z(dimension, real(1));
  Message message;
  const Key key{1, Purpose::mask, 0, 0};
  compressor->compress(z, key, message);
  const Layout layout = compressor->layout();
  Bytes bytes(measure(layout, message).bytes());
  for (auto _ : state) {
    encode(layout, message, measure(layout, message), bytes);
    decode(layout, bytes, message);
    compressor->recall(key, message);
    benchmark::DoNotOptimize(&message);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
}

const bool registered = [] {
  for (std::size_t i = 0; i < compressors().size(); ++i) {
    const std::string name = compressors()[i].name;
    benchmark::RegisterBenchmark(("compress/" + name + "/compress").c_str(), compress, i);
    benchmark::RegisterBenchmark(("compress/" + name + "/encode, decode, recall").c_str(),
                                 encode_decode, i);
  }
  return true;
}();

}  // namespace
}  // namespace trilemma::bench
