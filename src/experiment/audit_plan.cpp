#include "experiment/audit_plan.hpp"

#include <algorithm>
#include <cmath>

#include "experiment/claim.hpp"

namespace trilemma {
namespace {

// More records only cost time: what one record can do depends on rate and sensitivity alone.
constexpr std::size_t most_records = 256;
// A gradient this many bounds long shows whether it is clipped.
constexpr double excess = 1024;

// The law of a projection that is drawn with probability q: log((1-q) + q exp(a)).
double log_mixture(double rate, double a) {
  if (rate == 1) return a;
  return a > 0 ? a + std::log(rate + (1 - rate) * std::exp(-a)) : std::log1p(rate * std::expm1(a));
}

void check_claim(const Plan& plan, const std::string& file) {
  require(plan.method.noise, "{}: method {} adds no noise, so there is no claim to audit", file,
          plan.method_name);
  require(!plan.protects_clients(),
          "{}: method {} protects whole clients, and the audit places single records only; audit a "
          "method that protects records",
          file, plan.method_name);
  require(plan.privacy.delta.has_value(),
          "{}: privacy.delta is not set, so no epsilon is claimed; set it", file);
  require(std::isfinite(plan.bound->threshold()),
          "{}: gradients are not bounded, so no epsilon is claimed; set bound.kind", file);
}

struct Shape {
  std::size_t records = 0, batch = 0;
};

// Shape of the experiment's clients; no records where only the data would tell.
Shape shape_of(const Plan& plan) {
  return {plan.source->rows() / static_cast<std::size_t>(plan.clients),
          static_cast<std::size_t>(plan.batch)};
}

// The audited shape: at most `wanted` records, rounded so that batch / records stays.
Shape shrink(const Shape& file, std::size_t wanted, bool uses_batch) {
  if (wanted >= file.records) return file;
  if (!uses_batch) return {wanted, file.batch};
  const auto m = static_cast<double>(file.records);
  const auto b = static_cast<double>(file.batch);
  const double batch = std::max(1.0, std::round(b * static_cast<double>(wanted) / m));
  return {static_cast<std::size_t>(std::round(batch * m / b)), static_cast<std::size_t>(batch)};
}

double total(const Sensitivity& s) { return s.sampled + s.full; }

// Replaces shards and noise.
void set_shape(const AuditOptions& options, AuditPlan& a) {
  Plan& plan = a.plan;
  Shape file = shape_of(plan);
  require(file.records > 0 || options.records > 0,
          "{}: how many records a client holds is known only from the data; say it by --records",
          options.file);
  const auto wanted = static_cast<std::size_t>(options.records);
  if (file.records == 0) file.records = wanted;
  const Shape now = shrink(file, wanted > 0 ? wanted : most_records, plan.uses_batch);
  require(!plan.uses_batch || now.batch <= now.records,
          "--records {}: fewer than local.batch = {}; give more", now.records, now.batch);
  const double file_sigma = noise_sigma(plan, file.records);
  const double before = total(releases(plan, file.records).sensitivity);
  plan.batch = static_cast<long>(now.batch);
  a.records = now.records;
  a.releases = releases(plan, now.records);
  a.sigma = file_sigma * total(a.releases.sensitivity) / before;
  if (now.records != file.records)
    a.changes.push_back(fmt::format(
        "{} records a client instead of {}{}, noise {:.6g} instead of {:.6g}: the same noise for "
        "its sensitivity",
        now.records, file.records,
        plan.uses_batch ? fmt::format(", batch {} instead of {}", now.batch, file.batch) : "",
        a.sigma, file_sigma));
  plan.privacy.sigma = a.sigma;
  plan.privacy.epsilon.reset();
}

// Replaces data, problem and the dimension of the compressor.
void set_canaries(const AuditOptions& options, AuditPlan& a) {
  Plan& plan = a.plan;
  auto dimension = static_cast<std::size_t>(options.dimension);
  a.clients = static_cast<std::size_t>(std::min(plan.clients, 2L));
  a.canaries = 1;
  if (options.one_run) {
    a.canaries = static_cast<std::size_t>(options.canaries);
    a.clients = (a.canaries + a.records - 1) / a.records;
    dimension = std::min(a.canaries, a.records);
  }
  const Layout before = plan.compressor->layout();
  plan.clients = static_cast<long>(a.clients);
  // The claims that can be audited so far count on no amplification by participation.
  if (plan.schedule->draw() != Draw::everyone)
    a.changes.emplace_back("every client takes part in every round");
  plan.schedule = make_full_schedule(static_cast<std::uint32_t>(a.clients));
  plan.problem = make_canary_problem(dimension);
  Settings none = Settings::empty();
  plan.partition = row(partitions(), "contiguous").make(none);
  plan.start = {};
  const double share = static_cast<double>(before.count) / static_cast<double>(before.dimension);
  const auto k = std::max(1L, std::lround(share * static_cast<double>(dimension)));
  std::vector<std::string> overrides = options.overrides;
  overrides.push_back(fmt::format("compressor.k={}", k));
  read_compressor(Settings::from_file(options.file, overrides), plan);
  a.changes.push_back(fmt::format("{} clients, {} coordinates instead of {}", a.clients, dimension,
                                  before.dimension));
  if (before.count < before.dimension)
    a.changes.push_back(fmt::format("{} coordinates of {} are sent, in the experiment {} of {}", k,
                                    dimension, before.count, before.dimension));
}

Signal signal_of(const AuditPlan& a) {
  const Plan& plan = a.plan;
  const double bound = plan.bound->threshold();
  const bool drawn = plan.sampler != nullptr;
  const double rate = drawn && !plan.sampler->repeats()
                          ? plan.sampler->rate(a.records, static_cast<std::size_t>(plan.batch))
                          : 1;
  Signal s;
  s.sigma = a.sigma;
  s.opposite = a.releases.relation == accounting::Relation::replace_one;
  s.statistic = "log-likelihood ratio of all rounds, Gaussian noise";
  const Sensitivity average = plan.estimator.sensitivity(bound, static_cast<double>(plan.batch),
                                                         static_cast<double>(a.records));
  if (std::string(plan.bound->per()) == "estimator") {
    s.size = bound;
    s.rate = rate;
  } else if (average.full > 0) {
    s.size = average.full;
  } else if (plan.sampler->repeats()) {
    s.size = bound / static_cast<double>(a.records);
  } else {
    s.size = average.sampled;
    s.rate = rate;
  }
  if (s.rate < 1)
    s.statistic = fmt::format("log-likelihood ratio of all rounds, Gaussian noise on {} samples",
                              plan.sampler->name());
  if (drawn && s.rate == 1 && rate < 1) s.statistic = "sum of the projections of all rounds";
  return s;
}

}  // namespace

double log_likelihood_ratio(const Signal& s, double y) {
  auto against_zero = [&s](double projection) {
    return log_mixture(s.rate, s.size * (2 * projection - s.size) / (2 * s.sigma * s.sigma));
  };
  return against_zero(y) - (s.opposite ? against_zero(-y) : 0);
}

AuditPlan plan_audit(const AuditOptions& options) {
  AuditPlan a;
  a.plan = read_plan(Settings::from_file(options.file, options.overrides));
  a.seed = a.plan.seed;
  check_claim(a.plan, options.file);
  if (a.plan.privacy.calibration == "paper") a.nominal = a.plan.privacy.epsilon;
  set_shape(options, a);
  require(a.sigma > 0, "{}: sigma is 0, so no epsilon is claimed; set privacy.sigma or epsilon",
          options.file);
  set_canaries(options, a);
  a.delta = *a.plan.privacy.delta;
  require(!options.one_run || a.releases.relation != accounting::Relation::replace_one,
          "{}: privacy.relation = \"replace_one\": an audit in one run needs add_remove or "
          "zero_out; leave --one-run out",
          options.file);
  try {
    a.account = account(a.releases, a.sigma, a.delta);
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("{}: privacy: {}", options.file, error.what()));
  }
  a.signal = signal_of(a);
  a.unsampled = a.plan.sampler == nullptr ||
                (!a.plan.sampler->repeats() && static_cast<std::size_t>(a.plan.batch) == a.records);
  return a;
}

Canary canary(const AuditPlan& a, std::size_t i) {
  const double gradient = excess * a.plan.bound->threshold();
  const auto number = static_cast<std::uint32_t>(i);
  const auto records = static_cast<std::uint32_t>(a.records);
  if (a.canaries > 1) return {number / records, number % records, number % records, gradient};
  // In the middle of everything, so that no end of a loop is special.
  return {static_cast<std::uint32_t>(a.clients) - 1, records / 2,
          static_cast<std::uint32_t>(a.plan.problem->dimension() / 2), gradient};
}

CanaryData repeated_canary(const AuditPlan& a, World world) {
  CanaryData data{a.plan.problem->dimension(), a.clients, a.records, {canary(a, 0)}};
  if (world == World::present) return data;
  if (a.signal.opposite)
    data.canaries[0].gradient *= -1;
  else
    data.canaries.clear();
  return data;
}

}  // namespace trilemma
