#pragma once
// Whole experiments in one process, without MPI.

#include "driver/driver.hpp"
#include "tests/support/metric_row.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::testing {

/// Sixty generated records in four clients of fifteen, fifteen features and a bias; a method that
/// has noise gets sigma = 0.05; values cross the wire without rounding in both builds of `real`.
extern const char* const tiny_experiment;

/// A plan read from `toml` and its living parts.
class Federation final : UplinkTap {
 public:
  explicit Federation(const std::string& toml, const std::vector<std::string>& overrides = {});

  /// One round; the messages of all clients.
  std::span<const std::byte> round();
  void run(std::uint32_t rounds);
  /// What the last round has noted.
  const NamedRow& noted() const { return noted_; }
  const Vector& x() const { return parts.x; }
  Metrics evaluate();
  /// Everything that a restart must find again, the number of rounds included.
  void persist(State& state);

  Plan plan;
  Placement place;
  Assembly parts;

 private:
  void messages(std::uint32_t, Coordinates, const Packets& all) override { sent_ = all.bytes(); }
  void mean(std::uint32_t, std::span<const double>) override {}

  Ranks ranks_;
  std::unique_ptr<Driver> driver_;
  std::span<const std::byte> sent_;
  NamedRow noted_;
  PhaseTimer timer_{false};
};

/// The model after some rounds of tiny_experiment with the given settings.
Vector run_tiny(const std::vector<std::string>& overrides, std::uint32_t rounds = 10);

/// Parts wired by hand: clients with a given estimator, messages, and the direction v of the
/// server.
class Fixture {
 public:
  struct Options {
    std::string compressor = "identity";
    std::string compressor_settings = {};
    double sigma = 0;
    const char* memory = "none";
    double memory_step = 0;
    std::uint64_t seed = 1;
    bool staged = false;
    std::uint32_t first_client = 0;
    double clip = 0;  ///< > 0: the finished vector is clipped to this
    Secret* secret = nullptr;
    /// Wide enough that the wire does not round.
    ValueFormat format = wide ? ValueFormat::float64 : ValueFormat::float32;
  };
  /// `slots` clients that begin at number first_client.
  Fixture(LocalWork& estimator, std::size_t slots, std::size_t dimension, const Options& options);

  /// Messages of all clients at x, and the same decoded, where they are equally long.
  Bytes send(std::uint32_t round, ConstView x);
  std::vector<std::vector<double>> decoded(std::uint32_t round, const Bytes& bytes);
  /// Direction v of a whole round at x.
  std::vector<double> direction(std::uint32_t round, ConstView x);

 private:
  Options options_;
  std::size_t slots_, dimension_;
  std::vector<std::uint32_t> everyone_;
  const Outbox* sent_ = nullptr;
  MetricLog metric_log_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<Bound> bound_;
  std::unique_ptr<Mechanism> mechanism_;
  const MemoryKind& memory_;
  std::unique_ptr<ClientMemory> client_memory_;
  std::unique_ptr<ServerMemory> server_memory_;
  std::unique_ptr<ServerStep> step_;
  std::unique_ptr<ClientSide> clients_;
  Ranks ranks_{Placement{}};
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<ServerSide> server_;
  PhaseTimer timer_{false};
};

}  // namespace trilemma::testing
