// Every compressor of the table, and those with other formats, on a normal vector of d = 1,000,000:
// from the vector to bytes, and back. The counters say what a message takes and what it guarantees
// (scripts/tables compressors).

#include <cmath>

#include "bench/support.hpp"

namespace trilemma::bench {
namespace {

constexpr std::size_t dimension = 1'000'000;

struct Kind {
  std::string name, settings;
  ValueFormat format = ValueFormat::float32;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& name : names(compressors())) all.push_back({name, ""});
  all.push_back({"rand-k", "mask = \"explicit\""});
  all.push_back({"rand-k", "", ValueFormat::natural});
  all.push_back({"top-k", "index = \"bitmap\""});
  all.push_back({"top-k", "", ValueFormat::bfloat16});
  all.push_back({"identity", "", ValueFormat::bfloat16});
  all.push_back({"identity", "", ValueFormat::float16});
  for (const char* code : {"gamma", "runs", "rans"})
    all.push_back({"qsgd", fmt::format("code = \"{}\"", code)});
  all.push_back({"qsgd", "levels = 127\nnorm = \"max\""});
  return all;
}

std::string title(const Kind& kind) {
  std::string text = kind.name;
  for (const char c : kind.settings.empty() ? "" : ", " + kind.settings)
    if (c == '\n')
      text += ", ";
    else if (c != '"')
      text += c;
  if (kind.format == ValueFormat::natural) text += ", natural values";
  if (kind.format == ValueFormat::bfloat16) text += ", bfloat16 values";
  if (kind.format == ValueFormat::float16) text += ", float16 values";
  return text;
}

std::unique_ptr<Compressor> make(const Kind& kind) {
  Settings settings = Settings::from_text(kind.settings, "benchmark");
  return row(compressors(), kind.name).make(settings, dimension, kind.format);
}

Vector normal_vector() {
  std::vector<double> numbers(dimension);
  normals({5, Purpose::data}, 0, numbers);
  return {numbers.begin(), numbers.end()};
}

void note(benchmark::State& state, const Compressor& compressor, std::uint64_t bits) {
  const CompressorTraits traits = compressor.traits();
  state.counters["unbiased"] = traits.unbiased ? 1 : 0;
  state.counters["omega"] = traits.unbiased ? traits.omega : std::nan("");
  state.counters["delta"] = traits.delta;
  state.counters["bits_per_coordinate"] =
      static_cast<double>(bits) / static_cast<double>(dimension);
}

void out(benchmark::State& state, const Kind& kind) {
  const auto compressor = make(kind);
  const Layout layout = compressor->layout();
  const Vector z = normal_vector();
  Message message;
  Bytes bytes;
  Key key{1, Purpose::mask, 0, 0};
  Measure measured;
  for (auto _ : state) {
    ++key.round;
    compressor->compress(z, key, message);
    measured = measure(layout, message);
    bytes.resize(measured.bytes());
    encode(layout, message, measured, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  note(state, *compressor, measured.bits);
}

void in(benchmark::State& state, const Kind& kind) {
  const auto compressor = make(kind);
  const Layout layout = compressor->layout();
  const Key key{1, Purpose::mask, 0, 0};
  Message message;
  compressor->compress(normal_vector(), key, message);
  const Measure measured = measure(layout, message);
  Bytes bytes(measured.bytes());
  encode(layout, message, measured, bytes);
  for (auto _ : state) {
    decode(layout, bytes, message);
    compressor->recall(key, message);
    benchmark::DoNotOptimize(compressor->expand(message).value.data());
  }
  note(state, *compressor, measured.bits);
}

const bool registered = [] {
  for (const Kind& kind : kinds()) {
    benchmark::RegisterBenchmark(("compress/out/" + title(kind)).c_str(), out, kind)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("compress/in/" + title(kind)).c_str(), in, kind)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace trilemma::bench
