#include "bench/kernels.hpp"

#include <fmt/format.h>

#include "bench/checksums.hpp"

namespace trilemma {
namespace {

// Settings of all kernels. Nothing is read: every rank generates the records of its clients.
constexpr const char* common_settings = R"(
numerics = "portable"
server_hosts = true
seed = 1
data.source = "prototypes"
data.seed = 1
partition.kind = "contiguous"
checkpoint.seconds = 0
start.scale = 0.2
timing.separate_wait = true
)";

constexpr const char* latency_settings = R"(
method = "soteriafl-sgd"
data.features = 61
data.classes = 2
problem.kind = "softmax"
local.batch = 4
compressor.kind = "rand-k"
compressor.k = 12
privacy.sigma = 0
server.rate = 0.1
)";

constexpr const char* compute_settings = R"(
method = "soteriafl-sgd"
problem.kind = "network"
local.batch = 128
compressor.kind = "rand-k"
compressor.divisor = 20
privacy.sigma = 0
server.rate = 0.1
)";

constexpr const char* bandwidth_settings = R"(
method = "fedavg"
problem.kind = "network"
local.solver = "gd"
local.steps = 1
local.rate = 0.1
compressor.kind = "identity"
)";

constexpr const char* compression_settings = R"(
method = "ef21"
problem.kind = "network"
compressor.kind = "top-k"
compressor.divisor = 100
compressor.index = "fixed"
server.rate = 0.1
)";

constexpr const char* quantisation_settings = R"(
method = "compressed-gd"
problem.kind = "network"
compressor.kind = "qsgd"
server.rate = 0.1
)";

constexpr const char* aggregation_settings = R"(
method = "fedavg"
data.features = 5000
problem.kind = "softmax"
local.solver = "gd"
local.steps = 1
local.rate = 0.1
compressor.kind = "identity"
)";

constexpr const char* private_settings = R"(
method = "soteriafl-sgd"
problem.kind = "network"
local.batch = 128
bound.kind = "clip-record"
bound.threshold = 1.0
compressor.kind = "rand-k"
compressor.divisor = 20
privacy.epsilon = 2
privacy.delta = 1e-5
server.rate = 0.1
)";

constexpr const char* secure_settings = R"(
method = "dp-fedavg-clip"
data.features = 500
problem.kind = "softmax"
local.solver = "gd"
local.steps = 1
local.rate = 0.1
bound.threshold = 0.1
joint.kind = "skellam"
joint.bits = 24
secagg.kind = "masks"
secagg.corrupt = 0.1
privacy.epsilon = 2
privacy.delta = 1e-7
)";

// Hidden units that make d = 785 H + 10 (H + 1) about 1e5, 1e6, 1e7 and 1e8.
constexpr long d_1e5 = 126, d_1e6 = 1258, d_1e7 = 12579, d_1e8 = 125786;

// clang-format off
constexpr Kernel kernel_table[] = {
    {"latency", 'L', "short messages: d = 124, rand-k with k = 12", false, "gather", 16,
     latency_settings, 1.5e-6, 1, 1,
     {{{4, 60, 0, 200000}, {15, 960, 0, 40000}, {60, 15360, 0, 200000}, {60, 245760, 0, 200000}, {60, 983040, 0, 200000}}}},
    {"compute", 'C', "gradients of a 784-64-10 network in minibatches of 128, rand-k", false, "gather", 160,
     compute_settings, 470e-6, 1, 1,
     {{{4, 60, 64, 600}, {15, 960, 64, 2000}, {60, 15360, 64, 2000}, {60, 245760, 64, 2000}, {60, 983040, 64, 2000}}}},
    {"bandwidth", 'B', "whole updates of large models, summed on the way", false, "reduce", 1,
     bandwidth_settings, 145e-6, 2.1, 2.6,
     {{{4, 60, d_1e5, 800}, {4, 240, d_1e6, 400}, {4, 960, d_1e7, 100}, {4, 3840, d_1e7, 100}, {4, 15360, d_1e8, 100}}}},
    {"compression", 'Q', "top-k of large updates, k = d / 100", false, "gather", 1,
     compression_settings, 218e-6, 1.3, 4.3,
     {{{4, 60, d_1e5, 1000}, {4, 240, d_1e6, 200}, {4, 960, d_1e7, 100}, {4, 3840, d_1e7, 100}, {4, 15360, d_1e8, 100}}}},
    {"quantisation", 'Z', "qsgd of large updates", false, "reduce", 1,
     quantisation_settings, 422e-6, 1.8, 2.6,
     {{{4, 60, d_1e5, 400}, {4, 240, d_1e6, 200}, {4, 960, d_1e7, 100}, {4, 3840, d_1e7, 100}, {4, 15360, d_1e8, 100}}}},
    {"aggregation", 'A', "sums of many clients: d = 50,010, whole updates", false, "reduce", 1,
     aggregation_settings, 140e-6, 1, 1,
     {{{60, 960, 0, 100}, {240, 15360, 0, 400}, {960, 61440, 0, 400}, {960, 245760, 0, 400}, {960, 983040, 0, 400}}}},
    {"private", 'P', "compute with noise, accounted for (2, 1e-5)-DP", true, "gather", 160,
     private_settings, 566e-6, 1, 1,
     {{{4, 60, 64, 1200}, {15, 960, 64, 2000}, {60, 15360, 64, 2000}, {60, 245760, 64, 2000}, {60, 983040, 64, 2000}}}},
    {"secure", 'M', "sums of many clients behind pairwise masks: d = 5,010", true, "reduce", 1,
     secure_settings, 170e-6, 1, 1,
     {{{60, 960, 0, 250}, {240, 15360, 0, 250}, {960, 61440, 0, 400}, {960, 245760, 0, 400}, {960, 983040, 0, 400}}}},
};
// clang-format on

}  // namespace

const char* name(BenchMode mode) { return mode == BenchMode::weak ? "weak" : "strong"; }

std::span<const Kernel> kernels() { return kernel_table; }

std::string kernels_in_words() {
  std::string text;
  for (const Kernel& kernel : kernels())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kernel.name, kernel.letter);
  return text;
}

long BenchCase::clients() const {
  const KernelSize& one = kernel->size(size);
  return mode == BenchMode::weak ? one.per_rank * (clients_of > 0 ? clients_of : ranks) : one.total;
}

double BenchCase::reference_seconds(long repetitions) const {
  const KernelSize& here = kernel->size(size);
  const KernelSize& reference = kernel->size(BenchClass::s);
  const double updates = static_cast<double>(clients()) / ranks *
                         static_cast<double>((warm_up_rounds + rounds()) * repetitions);
  const double factor = reference.hidden > 0 ? static_cast<double>(here.hidden) /
                                                   static_cast<double>(reference.hidden)
                                             : 1;
  const double slower = here.hidden >= d_1e7   ? kernel->slower_beyond
                        : here.hidden >= d_1e6 ? kernel->slower_million
                                               : 1;
  return updates * factor * slower * kernel->reference_seconds;
}

Settings BenchCase::settings(const std::vector<std::string>& more) const {
  std::string text = std::string(common_settings) + kernel->settings;
  text += fmt::format(
      "name = \"bench-{}-{}\"\nclients = {}\nrounds = {}\ndata.rows = {}\nexchange.up = \"{}\"\n",
      kernel->name, class_name(), clients(), warm_up_rounds + rounds(), clients() * kernel->records,
      uplink());
  if (const long hidden = kernel->size(size).hidden; hidden > 0)
    text += fmt::format("problem.hidden = {}\n", hidden);
  return Settings::from_text(text, fmt::format("kernel {}", kernel->name), more);
}

std::optional<std::string> shipped_checksum(const BenchCase& of, BenchState state) {
  const std::span<const ShippedChecksum> table =
      state == BenchState::last ? std::span<const ShippedChecksum>(shipped_checksums)
                                : std::span<const ShippedChecksum>(shipped_warm_ups);
  for (const ShippedChecksum& one : table)
    if (one.kernel == of.kernel->name && one.size == of.class_name() && one.clients == of.clients())
      return std::string(one.sha256);
  return {};
}

}  // namespace trilemma
