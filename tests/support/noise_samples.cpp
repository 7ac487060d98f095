#include "tests/support/noise_samples.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>

#include "compress/receiver.hpp"
#include "experiment/plan.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/metric_row.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::testing {
namespace {

std::size_t checks_made = 0;

// More checks than the level allows for are a mistake in the tests.
class CheckBudget final : public ::testing::Environment {
 public:
  void SetUp() override { checks_made = 0; }
  void TearDown() override { EXPECT_LE(checks_made, checks) << "raise `checks`"; }
};
const auto* const budget = ::testing::AddGlobalTestEnvironment(new CheckBudget);

double two_sided(double lower, double upper) { return std::min(1.0, 2 * std::min(lower, upper)); }

template <class Law>
double two_sided(const Law& law, double found) {
  return two_sided(cdf(law, found), cdf(complement(law, found)));
}

const char* const experiment = R"(
name = "noise"
method = "ldp-sgd"
clients = 8
[data]
source = "libsvm"
train = "records"
test = ""
features = 512
bias = false
scaling = "none"
[problem]
lambda = 0.0
[server]
rate = 1.0
[wire]
value = "float64"
)";

}  // namespace

void expect_p(double p, const std::string& what) {
  ++checks_made;
  EXPECT_GE(p, level) << what;
}

void expect_variance(const Moments& found, const std::string& what, double fourth_moment) {
  const double freedom = found.count * 2 / (fourth_moment - 1);
  const double mean = found.squares / found.count;
  expect_p(two_sided(boost::math::chi_squared(freedom), freedom * mean),
           what + ": mean square " + std::to_string(mean));
}

void expect_uncorrelated(double sum, double count, const std::string& what) {
  const double z = sum / std::sqrt(count);
  expect_p(two_sided(boost::math::normal(), z),
           what + " off by " + std::to_string(z) + " standard errors");
}

void expect_count(double found, double trials, double p, const std::string& what) {
  const boost::math::binomial law(trials, p);
  const double above = found > 0 ? cdf(complement(law, found - 1)) : 1;
  expect_p(two_sided(cdf(law, found), above),
           what + ": " + std::to_string(found) + " of " + std::to_string(trials * p) + " expected");
}

void expect_uniform(std::vector<double> u, const std::string& what) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto below = static_cast<double>(i);
    distance = std::max({distance, u[i] - below / n, (below + 1) / n - u[i]});
  }
  expect_p(std::min(1.0, 2 * std::exp(-2 * n * distance * distance)),
           what + ": distance " + std::to_string(distance));
}

void expect_normal_tails(std::vector<double> z, const std::string& what) {
  std::sort(z.begin(), z.end());
  const auto n = static_cast<double>(z.size());
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    sum += (2 * static_cast<double>(i) + 1) *
           (std::log(normal_law(z[i])) + std::log(normal_law(-z[z.size() - 1 - i])));
  const double distance = -n - sum / n;
  // In the limit E exp(t A^2) = sqrt(-2 pi t / cos(pi/2 sqrt(1 + 8 t))) for t < 1 (Anderson and
  // Darling 1952).
  double p = 1;
  for (double t = 0.01; t < 0.995; t += 0.01)
    p = std::min(p, std::exp(-t * distance) *
                        std::sqrt(-2 * std::numbers::pi * t /
                                  std::cos(std::numbers::pi / 2 * std::sqrt(1 + 8 * t))));
  expect_p(p, what + ": A^2 = " + std::to_string(distance));
}

WireRun::WireRun(const std::vector<std::string>& overrides, int ranks, int feature) {
  std::vector<std::string> all{"local.batch=" + std::to_string(batch),
                               "privacy.sigma=" + std::to_string(sigma)};
  all.insert(all.end(), overrides.begin(), overrides.end());
  // A label times its feature is the same for both labels, so all gradients are equal.
  std::string records;
  for (std::size_t i = 0; i < records_each; ++i) {
    const int label = i % 2 == 0 ? 1 : -1;
    records += fmt::format("{} 1:{}\n", label, label * feature);
  }
  const TempFolder folder;
  for (int r = 0; r < ranks; ++r) {
    auto rank = std::make_unique<Rank>();
    rank->plan = read_plan(Settings::from_text(experiment, "noise.toml", all));
    std::string all_records;
    for (long c = 0; c < rank->plan.clients; ++c) all_records += records;
    folder.write("records", all_records);
    rank->parts = assemble(rank->plan,
                           {.rank = r,
                            .size = ranks,
                            .clients = static_cast<int>(rank->plan.clients),
                            .server_hosts = true},
                           folder.path());
    ranks_.push_back(std::move(rank));
  }
  const Plan& plan = ranks_.front()->plan;
  plan.schedule.make()->participants(0, everyone_);
  sent_ = std::make_unique<Outbox>(plan.compressor->layout());
  uplink_ = row(uplinks(), uplink_of(plan, 1, 1, 1).uplink)
                .make.make({.ranks = alone_,
                            .metric_log = *ranks_.front()->parts.metric_log,
                            .metrics = BitMetrics(*ranks_.front()->parts.metric_log).up,
                            .compressor = plan.compressor.make(),
                            .dimension = plan.shape().state,
                            .stride = plan.shape().stride,
                            .seed = plan.seed});
}

const Outbox& WireRun::post(std::uint32_t round) {
  drawn_before_ = drawn();
  sent_->clear();
  for (auto& rank : ranks_)
    sent_->append(rank->parts.clients->run(round, everyone_, rank->parts.x, timer_));
  return *sent_;
}

Bytes WireRun::send(std::uint32_t round) {
  const auto bytes = post(round).packets().bytes();
  return {bytes.begin(), bytes.end()};
}

std::vector<SentNoise> WireRun::noise(std::uint32_t round) {
  const Bytes bytes = send(round);
  const Plan& plan = ranks_.front()->plan;
  const Layout layout = plan.compressor->layout();
  const double unit =
      sigma * static_cast<double>(layout.dimension) / static_cast<double>(layout.count);
  std::vector<SentNoise> all;
  const auto compressor = plan.compressor.make();
  Receiver receiver(*compressor);
  const Packets packets = Packets::equal(bytes, layout.bytes());
  for (std::uint32_t client = 0; client < clients(); ++client) {
    const SparseView sent =
        receiver.open(packets[client], {plan.seed, Purpose::mask, client, round});
    all.push_back({client, round, {sent.at.list().begin(), sent.at.list().end()}, {}});
    for (const real value : sent.value) all.back().z.push_back(static_cast<double>(value) / unit);
  }
  return all;
}

std::vector<double> WireRun::update(std::uint32_t round) {
  Assembly& parts = ranks_.front()->parts;
  parts.server->aggregate(round, everyone_, uplink_->sum(round, everyone_, post(round), timer_),
                          timer_);
  parts.server->step(round, parts.x, timer_);
  std::vector<double> direction;
  for (auto& value : parts.x) direction.push_back(-static_cast<double>(value));
  std::fill(parts.x.begin(), parts.x.end(), real{0});
  return direction;
}

std::size_t WireRun::records() const { return drawn() - drawn_before_; }

// Records since the start.
std::size_t WireRun::drawn() const {
  std::size_t sum = 0;
  for (const auto& rank : ranks_) sum += end_row(*rank->parts.metric_log).count("batch_records");
  return sum;
}

std::vector<SentNoise> collect(WireRun& run, std::uint32_t rounds) {
  std::vector<SentNoise> all;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (auto& sent : run.noise(round)) all.push_back(std::move(sent));
  return all;
}

std::vector<double> pooled(const std::vector<SentNoise>& sent) {
  std::vector<double> all;
  for (const auto& message : sent) all.insert(all.end(), message.z.begin(), message.z.end());
  return all;
}

const std::vector<std::string> rand_k{"method=cdp-sgd", "compressor.k=64"};

std::vector<SentNoise> sample(Path path) {
  WireRun run(path == Path::whole ? std::vector<std::string>{} : rand_k);
  return collect(run, path == Path::whole ? 256 : 512);
}

}  // namespace trilemma::testing
