#include "audit/mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "comm/collectively.hpp"
#include "driver/driver.hpp"
#include "experiment/claim.hpp"
#include "experiment/joint.hpp"
#include "experiment/read_plan.hpp"
#include "numeric/vectors.hpp"
#include "privacy/accountant/audit_bounds.hpp"
#include "problem/kernels/blas.hpp"

namespace trilemma {
namespace {

struct MeanRow {
  const char* name;
  const char* trusted;
  /// Setting of the bits of a coordinate, joint.rate for at most 1; nullptr = none.
  const char* key_of_bits;
  std::vector<std::string> settings;
};

// One row per mechanism. The first two are noise alone, and noise followed by a compressor.
const std::vector<MeanRow>& mean_rows() {
  static const std::vector<MeanRow> rows = {
      {"gaussian", "server", nullptr, {"privacy.noise_at=server"}},
      {"gaussian-qsgd",
       "server",
       nullptr,
       {"privacy.noise_at=client", "privacy.view=V_aggregate", "compressor.kind=qsgd"}},
      {"ddgauss",
       "secure aggregation",
       "joint.bits",
       {"joint.kind=ddgauss", "secagg.kind=counted"}},
      {"skellam",
       "secure aggregation",
       "joint.bits",
       {"joint.kind=skellam", "secagg.kind=counted"}},
      {"pbm", "secure aggregation", nullptr, {"joint.kind=pbm", "secagg.kind=counted"}},
      {"layered", "server", nullptr, {"joint.kind=layered"}},
      {"csgm", "server", "joint.rate", {"joint.kind=csgm"}},
      {"blocks", "server", "joint.rate", {"joint.kind=blocks"}},
      {"sqkr", "none", nullptr, {"joint.kind=sqkr"}},
      {"privunit", "none", nullptr, {"joint.kind=privunit"}},
      {"sqkr-shuffled", "shuffler", nullptr, {"joint.kind=sqkr", "privacy.view=V_shuffled"}},
  };
  return rows;
}

// One local step of length 1 on half the squared distance makes a client's update its vector, and
// a server step of length 1 makes the model their mean.
std::string experiment_of(const MeanOptions& o) {
  return fmt::format(
      R"(
method = "dp-fedavg-clip"
rounds = 1
clients = {0}
[data]
source = "vectors"
vectors = {0}
features = {1}
law = "{2}"
norm = {3}
[partition]
kind = "natural"
[problem]
kind = "mean"
[local]
rate = 1.0
steps = 1
batch = 1
[bound]
threshold = {3}
[compressor]
kind = "identity"
[server]
rate = 1.0
[privacy]
epsilon = {4}
delta = {5}
relation = "{6}"
[evaluate]
objective = false
)",
      o.clients, o.dimension, o.law, o.norm, o.epsilon, o.delta, o.relation);
}

Plan plan_of(const MeanOptions& o, const MeanRow& mechanism, std::optional<double> bits) {
  std::vector<std::string> settings = mechanism.settings;
  if (bits) settings.push_back(fmt::format("{}={}", mechanism.key_of_bits, *bits));
  settings.insert(settings.end(), o.overrides.begin(), o.overrides.end());
  return read_plan(Settings::from_text(experiment_of(o), "trilemma mean", settings));
}

struct Vectors {
  std::vector<double> mean;
  double mean_square = 0;  ///< mean of the squared norms
};

Vectors vectors_of(const Plan& plan) {
  const TrainTest data = plan.source->load("", plan.data_seed);
  const auto& rows = std::get<DenseRows>(data.train.rows);
  Vectors out{std::vector<double>(rows.columns)};
  const auto count = static_cast<double>(rows.rows());
  for (std::size_t i = 0; i < rows.value.size(); ++i) {
    const auto value = static_cast<double>(rows.value[i]);
    out.mean[i % rows.columns] += value / count;
    out.mean_square += value * value / count;
  }
  return out;
}

// Returns the variance that the random signs of all clients add to the mean, where none of their
// coordinates is clipped: (1/n) sum_j (c^2 / gamma - y_j^2), averaged over clients.
double variance_of_signs(const Plan& plan, double mean_square) {
  const MaskedSigns& signs = *plan.joint.signs;
  const double limit = signs.clip.limit(plan.bound->threshold(), plan.shape().up);
  const auto d = static_cast<double>(plan.shape().up);
  return (d * limit * limit / signs.rate - mean_square) / static_cast<double>(plan.clients);
}

// Returns whether clipping of the coordinates of rotated vectors, which are about normal, changes
// more than a hundredth of the error; no formula covers that.
bool clips_much(const Plan& plan) {
  constexpr double enough = 2.5;
  const auto clips = [](const CoordinateClip& clip) { return clip.rotates && clip.range < enough; };
  const JointChoice& joint = plan.joint;
  return (joint.layered && clips(*joint.layered)) || (joint.signs && clips(joint.signs->clip)) ||
         (joint.trials && clips(joint.trials->clip));
}

// Returns the expected squared error: the variance of the noise, of rounding (1/6 for a value of no
// special place on the grid), of random trials or signs, that of local messages of vectors as long
// as their bound, or NaN where no formula is known.
double expected_error(const Plan& plan, double sigma, const Vectors& vectors) {
  const auto d = static_cast<double>(plan.shape().up);
  const auto n = static_cast<double>(plan.clients);
  if (plan.joint.words) {
    const accounting::DistributedNoise noise = joint_noise(plan);
    const double variance = n * noise.share_sigma * noise.share_sigma + n / 6;
    return d * variance / (noise.scale * noise.scale * n * n);
  }
  if (clips_much(plan)) return std::nan("");
  if (plan.joint.trials)
    return d * sigma * sigma / n - vectors.mean_square / (n * plan.joint.trials->trials);
  if (plan.joint.blocks)
    return d * sigma * sigma + (1 / plan.joint.blocks->rate - 1) * vectors.mean_square / n;
  if (plan.joint.signs) return d * sigma * sigma + variance_of_signs(plan, vectors.mean_square);
  if (plan.joint.local) return joint_messages(plan).error / n;
  if (plan.compressor->traits().omega > 0) return std::nan("");
  return d * sigma * sigma / (plan.privacy.at_server ? 1 : n);
}

struct Estimate {
  double error = 0;
  double bits = 0, bits_of_masks = 0;  ///< of all clients
};

Estimate estimate(const Plan& plan, const std::vector<double>& mean, const Session& session) {
  Placement place = session.place();
  place.clients = static_cast<int>(plan.clients);
  Ranks ranks(place, session.communicator());
  Assembly parts = assemble(plan, place, "");
  const auto driver = make_driver({plan, parts, ranks, place});
  PhaseTimer timer(false);
  driver->run_until(1, timer);
  Estimate out;
  const View model = driver->model();
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double distance = static_cast<double>(model[j]) - mean[j];
    out.error += distance * distance;
  }
  MetricLog& log = *parts.metric_log;
  log.end_row(1);
  log.merge(log.part());
  const MetricLog::Id bits = log.find("bits_up_payload");
  log.take([&](const MetricRow& row) {
    out.bits = static_cast<double>(row.cells[bits].count);
    if (plan.secure_sum.is_on)
      out.bits_of_masks = static_cast<double>(row.cells[log.find("bits_up_masks")].count);
  });
  return out;
}

MeanResult result_of(const MeanOptions& o, const MeanRow& mechanism,
                     std::optional<double> bits_each, const Session& session) {
  MeanResult out{.mechanism = mechanism.name, .trusted = mechanism.trusted};
  std::optional<Plan> plan;
  Vectors vectors;
  try {
    plan = plan_of(o, mechanism, bits_each);
    const double sigma = noise_sigma(*plan, ShardSizes(1));
    const Claim claim = make_claim(*plan, sigma, ShardSizes(1), 0);
    if (claim.status != ClaimStatus::holds) out.refused = claim.sentence;
    out.epsilon = claim.record.epsilon;
    vectors = vectors_of(*plan);
    out.expected = expected_error(*plan, sigma, vectors);
  } catch (const UserError& error) {
    out.refused = error.what();
  }
  if (!out.refused.empty()) return out;
  const auto count = static_cast<double>(o.repetitions);
  double sum = 0, squares = 0, bits = 0, masks = 0;
  for (long i = 0; i < o.repetitions; ++i) {
    const Estimate found = estimate(
        plan->with({.seed = plan->seed + static_cast<std::uint64_t>(i)}), vectors.mean, session);
    sum += found.error;
    squares += found.error * found.error;
    bits += found.bits;
    masks += found.bits_of_masks;
  }
  out.error = sum / count;
  out.bits = bits / count / static_cast<double>(plan->clients);
  out.bits_of_masks = masks / count / static_cast<double>(plan->clients);
  const double variance = std::max(0.0, (squares - sum * out.error) / (count - 1));
  out.half_width = accounting::mean_half_width(variance, count, 0.95);
  return out;
}

// Returns those of `bits` that suit the mechanism: at most 1 for the rate of a mask, otherwise
// more.
std::vector<double> bits_for(const MeanRow& row, const std::vector<double>& bits) {
  if (row.key_of_bits == nullptr) return {};
  const bool is_rate = row.key_of_bits == std::string_view("joint.rate");
  std::vector<double> chosen;
  for (const double each : bits)
    if (each > 0 && (each <= 1) == is_rate) chosen.push_back(each);
  return chosen;
}

bool is_chosen(const MeanOptions& o, const MeanRow& row) {
  return o.mechanisms.empty() || std::ranges::find(o.mechanisms, row.name) != o.mechanisms.end();
}

// Throws UserError for settings that the command or the rows of mechanisms make themselves: the
// answer would be about something else than it says.
void check_override(const std::string& override) {
  const std::string key = override.substr(0, override.find('='));
  const bool is_free = is_in_section(key, "joint") || is_in_section(key, "secagg") ||
                       is_in_section(key, "compressor");
  require(is_free && key_name(key) != "kind",
          "--set {}: trilemma mean sets this itself; use its own options (see --help)", key);
}

// Throws UserError for options that no mechanism can meet.
void check_options(const MeanOptions& o, int ranks) {
  require(ranks == 1, "trilemma mean: runs on one rank, and was started on {}", ranks);
  require(o.repetitions >= 2 && o.repetitions <= 100'000,
          "--repetitions {}: expected a number from 2 to 100000", o.repetitions);
  for (const std::string& name : o.mechanisms)
    if (const auto known = mean_mechanisms(); std::ranges::find(known, name) == known.end())
      throw UserError(fmt::format("--mechanism {}: unknown; {}", name,
                                  did_you_mean(name, known, "choose one of " + join(known))));
  for (const std::string& override : o.overrides) check_override(override);
  for (const double bits : o.bits)
    require(std::ranges::any_of(mean_rows(),
                                [&](const MeanRow& row) {
                                  return is_chosen(o, row) && !bits_for(row, {bits}).empty();
                                }),
            "--bits {:g}: no chosen mechanism has such a choice; csgm and blocks take at most 1, "
            "ddgauss and skellam 4 to 24",
            bits);
  MeanOptions bare = o;
  bare.overrides.clear();
  plan_of(bare, mean_rows().front(), std::nullopt);
}

void show_means(const MeanOptions& options, const Session& session, const ShowMeans& show) {
  check_options(options, session.place().size);
  std::vector<MeanResult> results;
  for (const MeanRow& row : mean_rows()) {
    if (!is_chosen(options, row)) continue;
    const std::vector<double> bits = bits_for(row, options.bits);
    if (bits.empty()) results.push_back(result_of(options, row, std::nullopt, session));
    for (const double each : bits) results.push_back(result_of(options, row, each, session));
  }
  require(!std::ranges::all_of(results, [](const MeanResult& r) { return !r.refused.empty(); }),
          "{}", results.empty() ? "" : results.front().refused);
  show(results);
}

}  // namespace

std::vector<std::string> mean_mechanisms() {
  std::vector<std::string> names;
  for (const MeanRow& row : mean_rows()) names.emplace_back(row.name);
  return names;
}

int mean_command(const MeanOptions& options, int argc, char** argv, const ShowMeans& show) {
  pin_blas_threads();
  Session session(argc, argv);
  return run_on_rank(session, [&] {
    Ranks ranks(session.place(), session.communicator());
    return collectively(ranks, [&] { show_means(options, session, show); });
  });
}

}  // namespace trilemma
