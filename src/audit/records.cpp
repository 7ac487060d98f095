// Canaries that are single records of a client.

#include <algorithm>
#include <cmath>

#include "audit/audit_plan.hpp"
#include "base/input_file.hpp"
#include "data/data_file.hpp"
#include "experiment/words.hpp"
#include "federation/partitioned_data.hpp"

namespace trilemma {
namespace {

// More records only cost time: the influence of one record depends on rate and sensitivity alone.
constexpr std::size_t most_records = 256;

struct Shape {
  std::size_t records = 0, batch = 0;
};

bool has_files(const Source& source, const std::string& folder) {
  const auto files = source.files();
  return std::all_of(files.begin(), files.end(), [&](const std::string& name) {
    const std::string path = path_in(folder, name);
    return names_folder(name) ? is_folder(path) : is_file(path);
  });
}

// Returns the number of records of the smallest client, to which the claim refers. Without the data
// files, the number that the settings guarantee to each client, or the requested number.
std::size_t records_of(AuditPlan& a) {
  const Plan& plan = a.plan;
  const std::string folder = data_folder(a.asked.data_folder);
  const std::size_t promised = plan.known_records() / static_cast<std::size_t>(plan.clients);
  const auto wanted = static_cast<std::size_t>(a.asked.records.value_or(0));
  if (promised + wanted > 0 && !has_files(*plan.source, folder)) {
    a.changes.push_back(fmt::format(
        "the data files are not in {}, so all clients have equally many records", folder));
    return promised > 0 ? promised : wanted;
  }
  const auto sizes = records_by_client(partition_records(plan, folder));
  return *std::min_element(sizes.begin(), sizes.end());
}

// Returns the audited sizes: at most `wanted` records, rounded so that batch / records stays the
// same.
Shape shrink(const Shape& file, std::size_t wanted, bool uses_batch) {
  if (wanted >= file.records) return file;
  if (!uses_batch) return {wanted, file.batch};
  const auto m = static_cast<double>(file.records);
  const auto b = static_cast<double>(file.batch);
  const double batch = std::max(1.0, std::round(b * static_cast<double>(wanted) / m));
  return {static_cast<std::size_t>(std::round(batch * m / b)), static_cast<std::size_t>(batch)};
}

void set_shape(const Shape& file, AuditPlan& a) {
  Plan& plan = a.plan;
  const auto wanted = a.asked.records ? static_cast<std::size_t>(*a.asked.records) : most_records;
  const Shape now = shrink(file, wanted, plan.uses_batch);
  require(!plan.uses_batch || now.batch <= now.records,
          "--records {}: fewer than local.batch = {}; give more", now.records, now.batch);
  plan.batch = static_cast<long>(now.batch);
  long& anchor = plan.method.recursion.anchor_batch;
  if (anchor > 0)
    anchor = std::clamp(std::lround(static_cast<double>(anchor) * static_cast<double>(now.records) /
                                    static_cast<double>(file.records)),
                        1L, static_cast<long>(now.records));
  a.records = now.records;
  if (now.records == file.records) return;
  a.changes.push_back(fmt::format(
      "{} records per client instead of {}{}", now.records, file.records,
      plan.uses_batch ? fmt::format(", batch {} instead of {}", now.batch, file.batch) : ""));
}

// Sets the number of clients and returns the number of coordinates of the model.
std::size_t set_federation(AuditPlan& a) {
  Plan& plan = a.plan;
  const long before = plan.clients;
  auto dimension = static_cast<std::size_t>(a.asked.dimension);
  a.clients = static_cast<std::size_t>(std::min(plan.clients, 2L));
  a.canaries = 1;
  if (a.asked.one_run) {
    a.canaries = static_cast<std::size_t>(a.asked.canaries);
    a.clients = (a.canaries + a.records - 1) / a.records;
    dimension = std::min(a.canaries, a.records);
  }
  if (static_cast<long>(a.clients) != before)
    a.changes.push_back(fmt::format("{} clients instead of {}", a.clients, before));
  // Claims about records do not rely on amplification by participation.
  if (plan.schedule->draw() != Draw::everyone)
    a.changes.emplace_back("every client takes part in every round");
  Settings none = Settings::empty();
  plan = plan.with(
      {.clients = static_cast<long>(a.clients), .schedule = row(schedules(), "full").read(none)});
  return dimension;
}

// Returns the probability that a draw contains a given record at least once.
double inclusion(const Sampler& sampler, std::size_t records, std::size_t batch) {
  const double rate = sampler.rate(records, batch);
  if (!sampler.repeats() || records == 1) return rate;
  return -std::expm1(static_cast<double>(batch) * std::log1p(-1.0 / static_cast<double>(records)));
}

// Returns the signal of the rounds between anchors: a canary has the same gradient at any two
// models, so that its part is a times that of the gradient.
std::optional<Signal> later_signal(const AuditPlan& a) {
  const Recursion& r = a.plan.method.recursion;
  if (a.releases.list.size() < 2) return {};
  Signal s = a.signal;
  const double anchor = static_cast<double>(r.anchor_batch > 0 ? r.anchor_batch : a.plan.batch);
  s.size *= r.fresh * anchor / static_cast<double>(a.plan.batch);
  s.rate = a.releases.list.back().rate;
  s.sigma *= a.releases.list.back().noise;
  return s;
}

// Looks where the claim's adversary looks: at the messages of the record's client or, if a trusted
// server adds the noise, at the means or at the last model.
void set_tap(AuditPlan& a) {
  if (!a.plan.privacy.at_server) return;
  a.tap = a.plan.privacy.view == Adversary::output ? Tap::output : Tap::mean;
}

Signal signal_of_record(const AuditPlan& a) {
  const Plan& plan = a.plan;
  const double bound = plan.bound->threshold();
  const bool drawn{plan.sampler};
  const long anchor = plan.method.recursion.anchor_batch;
  const auto batch = static_cast<std::size_t>(anchor > 0 ? anchor : plan.batch);
  const double rate = drawn ? inclusion(*plan.sampler, a.records, batch) : 1;
  Signal s;
  s.sigma = a.sigma;
  s.opposite = a.releases.relation == accounting::Relation::replace_one;
  s.statistic = "log-likelihood ratio of all rounds, Gaussian noise";
  const Sensitivity average =
      plan.estimator.sensitivity(bound, static_cast<double>(batch), static_cast<double>(a.records));
  const bool is_always_in = average.full > 0;
  if (plan.bound->what() == Bounds::estimator)
    s.size = bound;
  else
    s.size = is_always_in ? average.full : average.sampled;
  if (plan.privacy.at_server) s.size /= plan.participants();
  if (!is_always_in) s.rate = rate;
  if (s.rate < 1)
    s.statistic = fmt::format("log-likelihood ratio of all rounds, Gaussian noise on {} samples",
                              plan.sampler->name());
  if (a.tap == Tap::output) s.statistic = "projection of the last model";
  if (is_always_in && rate < 1) s.statistic = "sum of the projections of all rounds";
  return s;
}

}  // namespace

void place_records(AuditPlan& a) {
  Plan& plan = a.plan;
  const Shape file{records_of(a), static_cast<std::size_t>(plan.batch)};
  require(
      !plan.uses_batch || file.batch <= file.records,
      "{}: local.batch = {}: more than the {} records of a client; lower local.batch or clients",
      a.asked.file, file.batch, file.records);
  const Claimed experiment = claimed_by(plan, file.records);
  set_shape(file, a);
  set_canary_problem(set_federation(a), a);
  keep_noise_ratio(experiment, a);
  // Even a mean over all records is many bounds long.
  a.gradient = canary_excess * static_cast<double>(a.records) * plan.bound->threshold();
  set_tap(a);
  a.signal = signal_of_record(a);
  a.later = later_signal(a);
  const long anchor = plan.method.recursion.anchor_batch;
  const bool takes_all =
      static_cast<std::size_t>(plan.batch) == a.records && (anchor == 0 || anchor == plan.batch);
  a.unsampled = a.tap != Tap::output && (!plan.sampler || (!plan.sampler->repeats() && takes_all));
}

}  // namespace trilemma
