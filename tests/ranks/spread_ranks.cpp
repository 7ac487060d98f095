// Every uplink (src/exchange) on any number of ranks: sums of small coordinates next to large ones
// have the bits of one process, and the traffic between ranks that they require is in the ledger.

#include <gtest/gtest.h>

#include <cmath>

#include "exchange/uplink.hpp"
#include "tests/ranks/world.hpp"
#include "tests/support/compressors.hpp"

namespace trilemma::spread_ranks {

constexpr std::size_t d = 200;
constexpr int clients = 40;

struct Given {
  const char* uplink = "gather";
  const char* compressor = "identity";
  const char* settings = "";
  ValueFormat format = ValueFormat::float32;
};

// Coordinate j is at most 10^power in magnitude; if `spread`, powers range from -30 to 30, and only
// some clients have small values in the last coordinates.
Vector vector_of(std::uint32_t client, bool spread) {
  Vector values(d);
  for (std::size_t j = 0; j < d; ++j) {
    const double power = spread ? static_cast<double>(j % 61) - 30 : 0;
    const double size = j > 180 && client % 7 != 3 ? 0 : std::pow(10.0, power);
    values[j] = static_cast<real>(size * std::sin(1.0 + client * 1.7 + static_cast<double>(j)));
  }
  return values;
}

class Job {
 public:
  Job(const Given& given, const Placement& place)
      : given_(given),
        place_(place),
        ranks_(testing::ranks_of(place)),
        compressor_(make()),
        outbox_(compressor_->layout()),
        uplink_(row(uplinks(), given.uplink)
                    .make.make({.ranks = ranks_,
                                .metric_log = metric_log_,
                                .metrics = BitMetrics(metric_log_).up,
                                .compressor = make(),
                                .dimension = d,
                                .is_server = place.rank == 0})) {
    if (place.size > 1) ranks_.form_nodes(2);
  }

  std::vector<double> sum(std::uint32_t round, bool spread) {
    Settings none = Settings::empty();
    const auto bound = row(bounds(), "none").make(none);
    const auto mechanism = make_gaussian(0);
    std::vector<std::uint32_t> all;
    outbox_.clear();
    for (std::uint32_t client = 0; client < clients; ++client) {
      all.push_back(client);
      const auto first = static_cast<std::uint32_t>(place_.first(place_.rank));
      if (client - first >= static_cast<std::uint32_t>(place_.count(place_.rank))) continue;
      Vector u = vector_of(client, spread);
      const Bounded bounded = bound->apply(u);
      const Released released = mechanism->release(bounded, Support::all(), {}, released_);
      outbox_.post(compressor_->seal(released, {1, Purpose::mask, client, round}, message_));
    }
    uplink_->post(round, all, outbox_.packets(), timer_);
    const auto found = uplink_->sum(round, all, outbox_, timer_);
    return {found.begin(), found.end()};
  }
  std::uint64_t bytes_up() const { return ranks_.ledger().of(Use::up); }

 private:
  std::unique_ptr<Compressor> make() const {
    return testing::make_compressor(given_.compressor, d, given_.settings, given_.format);
  }

  Given given_;
  Placement place_;
  MetricLog metric_log_;
  Ranks ranks_;
  std::unique_ptr<Compressor> compressor_;
  Outbox outbox_;
  std::unique_ptr<Uplink> uplink_;
  Vector released_;
  Message message_;
  PhaseTimer timer_{false};
};

TEST(SpreadSums, HaveTheBitsOfOneProcess) {
  for (const bool server_hosts : {false, true})
    for (const char* uplink : {"gather", "overlap", "reduce", "hierarchical"})
      for (const Given& given :
           {Given{uplink}, Given{.uplink = uplink, .format = ValueFormat::float64},
            Given{uplink, "rand-k", "k = 60"}, Given{uplink, "rand-k", "k = 60\nmask = \"shared\""},
            Given{uplink, "bernoulli", "p = 0.5"}}) {
        Given plain = given;
        plain.uplink = "gather";
        Job alone(plain, testing::alone(clients));
        Job together(given, testing::spread(clients, server_hosts));
        for (const std::uint32_t round : {0U, 1U, 2U, 3U, 4U}) {
          const bool spread = round != 2;
          const auto expected = alone.sum(round, spread);
          const auto found = together.sum(round, spread);
          if (testing::world().rank == 0) {
            ASSERT_EQ(found, expected) << uplink << " " << given.compressor << " " << round;
          }
        }
      }
}

// Sums client by client in double, which is precise enough here: each coordinate has values of one
// size.
TEST(SpreadSums, ArePreciseByTheSizesOfEachCoordinate) {
  for (const char* uplink : {"gather", "overlap", "reduce", "hierarchical"}) {
    const auto found = Job({.uplink = uplink}, testing::spread(clients, true)).sum(0, true);
    if (testing::world().rank != 0) continue;
    for (std::size_t j = 0; j < d; ++j) {
      double expected = 0, sizes = 0;
      for (std::uint32_t client = 0; client < clients; ++client) {
        const auto value = static_cast<double>(vector_of(client, true)[j]);
        expected += value;
        sizes += std::abs(value);
      }
      EXPECT_NEAR(found[j], expected, 7 * 0x1p-23 * sizes) << uplink << j;
    }
  }
}

// With the correct guess of the largest value: the sums, and 8 bytes there and back. Where rounding
// loses too much, a bit for each coordinate there and back, and at least 3 numbers for some
// coordinates.
TEST(SpreadSums, CostNothingWhereNoneIsNeeded) {
  const auto others = static_cast<std::uint64_t>(testing::world().size - 1);
  Job job({.uplink = "reduce"}, testing::spread(clients, true));
  const auto bytes = [&](std::uint32_t round, bool spread) {
    const std::uint64_t before = job.bytes_up();
    job.sum(round, spread);
    return job.bytes_up() - before;
  };
  bytes(0, false);
  const std::uint64_t plain = bytes(1, false);
  bytes(2, true);
  const std::uint64_t spread = bytes(3, true);
  if (testing::world().rank != 0) return;
  EXPECT_EQ(plain, others * (8 * d + 16));
  // The marks and the depth, there and back.
  const std::uint64_t marks = 2 * 8 * (d / 64 + 1) + 2 * 4;
  EXPECT_GE(spread, others * (8 * d + 16 + marks + 3 * 8));
  EXPECT_LE(spread, others * (8 * d + 16 + marks + d * 8 * 8));
  EXPECT_EQ((spread - plain - others * marks) % (others > 0 ? 8 * others : 1), 0U);
}

}  // namespace trilemma::spread_ranks
