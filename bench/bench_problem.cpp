// Clipped minibatch gradients: factors, norms, clip, sum. The dense network (matrix products
// through BLAS) is the reference of the one that skips zero bytes.

#include "bench/support.hpp"
#include "local/solver.hpp"

namespace trilemma::bench {
namespace {

void gradient_at(const Vector& x, benchmark::State& state, Problem& problem, const Dataset& shard,
                 std::size_t batch, double threshold) {
  RecordGradients gradients(problem, {threshold});
  const auto sampler = row(samplers(), "poisson").make();
  Vector out(problem.dimension());
  std::vector<std::uint32_t> rows;
  Key key{1, Purpose::minibatch, 0, 0};
  for (auto _ : state) {
    ++key.round;
    sampler->draw(key, shard.size(), batch, rows);
    std::fill(out.begin(), out.end(), real{0});
    gradients.add(shard, rows, x, 1.0 / static_cast<double>(batch), out);
    benchmark::DoNotOptimize(out.data());
  }
}

void gradient(benchmark::State& state, Problem& problem, const Dataset& shard, std::size_t batch,
              double threshold) {
  gradient_at(Vector(problem.dimension(), real(0.01)), state, problem, shard, batch, threshold);
}

void logistic(benchmark::State& state, double threshold) {
  Plan plan = a9a_plan("soteriafl-sgd");
  TrainTest data = plan.source->load("", 1);
  data.train.truncate(3256);
  data.train.prepare();
  gradient(state, *plan.problem.make(), data.train, 51, threshold);
}
BENCHMARK_CAPTURE(logistic, plain, std::numeric_limits<double>::infinity())
    ->Name("problem/logistic minibatch of 51/without clipping");
BENCHMARK_CAPTURE(logistic, clipped, 0.5)->Name("problem/logistic minibatch of 51/records clipped");

void network(benchmark::State& state, bool skip_zeros, double threshold) {
  Settings settings = Settings::empty();
  const auto problem = row(problems(), "network").make(settings, {784, 10});
  Dataset shard = images(6000);
  shard.prepare();
  if (!skip_zeros) std::get<DenseRows>(shard.rows).nonzeros = {};
  gradient(state, *problem, shard, 128, threshold);
}
BENCHMARK_CAPTURE(network, dense, false, 1.0)
    ->Name("problem/network minibatch of 128/reference: BLAS");
BENCHMARK_CAPTURE(network, zeros, true, 1.0)
    ->Name("problem/network minibatch of 128/zero bytes skipped");
BENCHMARK_CAPTURE(network, unclipped, true, std::numeric_limits<double>::infinity())
    ->Name("problem/network minibatch of 128/zero bytes skipped, no clipping");

// That of FAV-FMNIST-S: 3 x 3 kernels, 16 and 32 maps.
void cnn(benchmark::State& state, double threshold) {
  Settings settings =
      Settings::from_text("channels = [16, 32]\nkernel = 3\npadding = 1\n", "bench", {});
  const auto problem = row(problems(), "cnn").make(settings, {784, 10});
  Dataset shard = images(6000);
  shard.prepare();
  constexpr std::size_t batch = 128;
  gradient(state, *problem, shard, batch, threshold);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}
BENCHMARK_CAPTURE(cnn, clipped, 1.0)->Name("problem/cnn minibatch of 128/records clipped");
BENCHMARK_CAPTURE(cnn, unclipped, std::numeric_limits<double>::infinity())
    ->Name("problem/cnn minibatch of 128/without clipping");

// Presets of problem.layers on images of 32 x 32 pixels with three colours.
void layers(benchmark::State& state, const char* preset, std::size_t batch, double threshold) {
  Settings settings = Settings::from_text(fmt::format("layers = \"{}\"\n", preset), "bench", {});
  const auto problem = row(problems(), "layers").make(settings, {3072, 10});
  const auto start = draw_layers(problem->start_layers(), problem->usual_start(),
                                 {1, Purpose::init, 0, 0}, problem->dimension());
  Dataset shard = images(1000, 0.0, 3072);
  shard.prepare();
  gradient_at(Vector(start.begin(), start.end()), state, *problem, shard, batch, threshold);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}
BENCHMARK_CAPTURE(layers, lenet_clipped, "lenet5", 50, 1.0)
    ->Name("problem/lenet5 minibatch of 50/records clipped");
BENCHMARK_CAPTURE(layers, lenet_unclipped, "lenet5", 50, std::numeric_limits<double>::infinity())
    ->Name("problem/lenet5 minibatch of 50/without clipping");
BENCHMARK_CAPTURE(layers, resnet_clipped, "resnet20", 32, 1.0)
    ->Name("problem/resnet20 minibatch of 32/records clipped");
BENCHMARK_CAPTURE(layers, resnet_unclipped, "resnet20", 32, std::numeric_limits<double>::infinity())
    ->Name("problem/resnet20 minibatch of 32/without clipping");

// One visit to a client: 20 full-gradient steps on 20 records of 784 bytes and 10 classes. A
// visitor of many clients finds the next one's records outside of the nearest caches.
void local_steps(benchmark::State& state, const char* kind, double zeros) {
  constexpr std::size_t clients = 1000;
  Settings settings = Settings::empty();
  const auto problem = row(problems(), kind).make(settings, {784, 10});
  const Dataset all = images(20 * clients, zeros);
  std::vector<Dataset> shards;
  std::vector<std::uint32_t> rows(20);
  for (std::uint32_t c = 0; c < clients; ++c) {
    std::iota(rows.begin(), rows.end(), 20 * c);
    shards.push_back(all.select(rows));
    shards.back().prepare();
  }
  LocalSetup setup;
  setup.problem = problem.get();
  for (const auto& shard : shards) setup.shards.push_back(&shard);
  setup.record_bound.threshold = std::numeric_limits<double>::infinity();
  setup.steps = {.solver = "gd", .count = 20, .rate = {.first = 0.1}};
  const auto work = row(solvers(), "gd").make.make(setup);
  Vector x(problem->dimension(), real(0.01));
  Vector out(problem->dimension());
  std::size_t slot = 0;
  for (auto _ : state) {
    work->estimate(slot, {.model = x, .key = {1, Purpose::minibatch, 0, 0}}, out);
    benchmark::DoNotOptimize(out.data());
    slot = (slot + 1) % clients;
  }
}
BENCHMARK_CAPTURE(local_steps, softmax_half, "softmax", 0.5)
    ->Name("problem/softmax, 20 steps on 20 records/half of the bytes zero")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(local_steps, softmax_most, "softmax", 0.81)
    ->Name("problem/softmax, 20 steps on 20 records/most bytes zero")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(local_steps, network_half, "network", 0.5)
    ->Name("problem/network, 20 steps on 20 records/half of the bytes zero")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trilemma::bench
