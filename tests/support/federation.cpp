#include "tests/support/federation.hpp"

#include <numeric>

#include "compress/receiver.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::testing {

const char* const tiny_experiment = R"(
name = "tiny"
clients = 4
rounds = 10
[data]
rows = 60
test_rows = 20
features = 15
nonzeros = 4
[problem]
lambda = 0.2
[start]
scale = 0.2
[local]
batch = 5
[bound]
threshold = 0.5
[privacy]
sigma = 0.05
[compressor]
k = 4
[wire]
value = "float64"
)";

Federation::Federation(const std::string& toml, const std::vector<std::string>& overrides)
    : plan(read_plan(Settings::from_text(toml, "test.toml", overrides))),
      place{.clients = static_cast<int>(plan.clients)},
      parts(assemble(plan, place, "")),
      ranks_(Placement{.clients = static_cast<int>(plan.clients)}),
      driver_(make_driver({plan, parts, ranks_, place, this})) {}

std::span<const std::byte> Federation::round() {
  driver_->run_until(driver_->step() + 1, timer_);
  driver_->gather_model();
  noted_ = end_row(*parts.metric_log, driver_->step());
  return sent_;
}

void Federation::run(std::uint32_t rounds) {
  for (std::uint32_t t = 0; t < rounds; ++t) round();
}

void Federation::persist(State& state) {
  driver_->persist(state);
  driver_->persist_server(state);
  for (std::size_t slot = 0; slot < parts.shards.size(); ++slot) driver_->persist(slot, state);
}

Metrics Federation::evaluate() { return parts.evaluator->evaluate(parts.x, ranks_); }

Vector run_tiny(const std::vector<std::string>& overrides, std::uint32_t rounds) {
  Federation federation(tiny_experiment, overrides);
  federation.run(rounds);
  return federation.x();
}

Fixture::Fixture(LocalWork& estimator, std::size_t slots, std::size_t dimension,
                 const Options& options)
    : options_(options),
      slots_(slots),
      dimension_(dimension),
      compressor_(make_compressor(options.compressor, dimension, options.compressor_settings,
                                  options.format)),
      mechanism_(make_gaussian(options.sigma)),
      memory_(row(memories(), options.memory).make),
      client_memory_(memory_.client(slots, dimension, options.memory_step)),
      server_memory_(memory_.server(dimension, options.memory_step)),
      step_(std::make_unique<RecordingStep>()) {
  Settings settings = Settings::from_text(
      options.clip > 0 ? "threshold = " + std::to_string(options.clip) : "", "bound.toml");
  for (const auto& row : bounds())
    if (std::string(options.clip > 0 ? "clip-estimator" : "none") == row.name)
      bound_ = row.make(settings);
  ClientParts parts{&estimator,
                    bound_.get(),
                    mechanism_.get(),
                    client_memory_.get(),
                    memory_.traits,
                    compressor_.get(),
                    {}};
  parts.metric_log = &metric_log_;
  if (options.secret != nullptr) parts.secret.assign(slots, options.secret);
  clients_ = std::make_unique<ClientSide>(std::move(parts), slots, dimension, options.first_client,
                                          options.seed, options.staged);
  uplink_ =
      row(uplinks(), "gather")
          .make.make({.ranks = ranks_,
                      .metric_log = metric_log_,
                      .metrics = BitMetrics(metric_log_).up,
                      .compressor = make_compressor(options.compressor, dimension,
                                                    options.compressor_settings, options.format),
                      .dimension = dimension,
                      .seed = options.seed});
  ServerParts server{server_memory_.get(), step_.get()};
  server.divisor = static_cast<double>(slots);
  server.metric_log = &metric_log_;
  server_ = std::make_unique<ServerSide>(server, options.seed);
  everyone_.resize(slots);
  std::iota(everyone_.begin(), everyone_.end(), options.first_client);
}

Bytes Fixture::send(std::uint32_t round, ConstView x) {
  sent_ = &clients_->run(round, everyone_, x, timer_);
  const auto bytes = sent_->packets().bytes();
  return {bytes.begin(), bytes.end()};
}

std::vector<std::vector<double>> Fixture::decoded(std::uint32_t round, const Bytes& bytes) {
  std::vector<std::vector<double>> all;
  Receiver receiver(*compressor_);
  const Packets packets = Packets::equal(bytes, compressor_->layout().bytes());
  for (std::uint32_t slot = 0; slot < slots_; ++slot)
    all.push_back(dense(receiver.open(packets[slot], {options_.seed, Purpose::mask,
                                                      options_.first_client + slot, round}),
                        dimension_));
  return all;
}

std::vector<double> Fixture::direction(std::uint32_t round, ConstView x) {
  send(round, x);
  Vector model(x.begin(), x.end());
  server_->aggregate(round, everyone_, uplink_->sum(round, everyone_, *sent_, timer_), timer_);
  server_->step(round, model, timer_);
  return static_cast<const RecordingStep&>(*step_).direction;
}

}  // namespace trilemma::testing
