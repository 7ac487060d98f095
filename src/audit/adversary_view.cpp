#include "audit/adversary_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiment/joint.hpp"
#include "numeric/directions.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Returns the signal of a part whose length in the direction of the vector is `length`.
Signal signal_of_part(const Plan& plan, Signal signal, double length) {
  const double norm = plan.bound->threshold();
  const JointChoice& joint = plan.joint;
  const double limit = joint.signs ? joint.signs->clip.limit(norm, plan.shape().up)
                                   : joint.blocks->limit(norm, plan.shape().up);
  const double share = std::min(1.0, length * norm / limit);
  if (joint.signs)
    signal.flips = 0.5 - 0.5 * share;
  else
    signal.size *= share;
  return signal;
}

// Returns the sum over the parts, coordinates of csgm or blocks, of the log-likelihood ratios of
// `seen`. The vector of a client is `direction`, of length 1, times its bound, and `whole` is the
// signal of a part as large as its limit. A shorter block has a smaller size, and a smaller
// coordinate a sign that is less sure. Draws of parts are independent, so this is the ratio of all.
double log_ratio_of_parts(const Plan& plan, const Signal& whole, ConstView direction,
                          std::span<const double> seen) {
  const std::size_t width =
      plan.joint.blocks ? static_cast<std::size_t>(plan.joint.blocks->block) : 1;
  double total = 0;
  for (std::size_t first = 0; first < seen.size(); first += width) {
    const ConstView part = direction.subspan(first, std::min(width, seen.size() - first));
    const double length = std::sqrt(norm_squared(part));
    double y = length > 0 ? 0 : seen[first];
    for (std::size_t j = 0; length > 0 && j < part.size(); ++j)
      y += static_cast<double>(part[j]) * seen[first + j] / length;
    total += log_likelihood_ratio(signal_of_part(plan, whole, length), y);
  }
  return total;
}

}  // namespace

AdversaryView::AdversaryView(const AuditPlan& audit, const Plan& run, const Draws& draws,
                             std::span<const Canary> places, Sight sight)
    : audit_(audit),
      draws_(draws),
      places_(places),
      sight_(sight),
      shape_(audit.plan.shape()),
      seed_(run.seed),
      reader_(run, audit.records) {
  expect(audit.tap == Tap::message || places.size() == 1, "one canary in a sum");
  expect(audit.tap == Tap::mean || !run.rotates || run.joint.layered,
         "rotated vectors are observed in the mean, or with Gaussian noise of clients");
  if (run.rotates) rotation_.emplace(run.seed, shape_.up);
  words_ = words_of(run);
  if (run.is_decentralised()) nodes_.emplace(run);
  // Otherwise the memories of other clients would have to be removed from their messages, and from
  // the mean.
  expect(audit.tap != Tap::mean || !audit.plan.memory->traits.changes_released,
         "no memory after the bound if the server adds noise");
}

void AdversaryView::messages(std::uint32_t round, Coordinates participants, const Packets& all) {
  expect(std::is_sorted(participants.begin(), participants.end()),
         "messages are observed in client order");
  if (nodes_) {
    if (!nodes_->read(round, all)) return;
    for (const Canary& place : places_)
      seen_.push_back(nodes_->gradient(place.client)[place.coordinate]);
    return;
  }
  round_ = round;
  participants_ = participants;
  if (is_turned() || audit_.plan.joint.is_masked()) turn_direction();
  if (audit_.tap == Tap::message) read_messages(all);
  if (audit_.tap == Tap::sum) seen_.push_back(sum(all));
  if (audit_.tap == Tap::shuffled) seen_.push_back(multiset(all));
  if (audit_.tap != Tap::mean) return;
  known_.assign(shape_.up, 0);
  if (audit_.knows.others || sight_ == Sight::own) read_others(all);
}

bool AdversaryView::is_drawn(std::uint32_t client) {
  draws_.schedule.participants(round_, drawn_, draws_.secret);
  return std::binary_search(drawn_.begin(), drawn_.end(), client);
}

// An adversary who knows the draws knows that an absent client shows nothing.
void AdversaryView::mean(std::uint32_t, std::span<const double> perturbed) {
  if (audit_.tap != Tap::mean) return;
  if (audit_.plan.joint.is_masked()) return seen_.push_back(parts_of(perturbed));
  const Canary& place = places_.front();
  const bool shows = (!audit_.knows.draws || is_drawn(place.client)) &&
                     (is_turned() || reader_.sends(place.client, round_, place.coordinate));
  seen_.push_back(shows ? project(perturbed, place.client * shape_.stride + place.coordinate) -
                              project(known_, place.coordinate)
                        : nan);
}

std::span<const double> AdversaryView::released(const Packets& all, std::size_t at) {
  return reader_.read(all, at, participants_[at], round_);
}

// Returns whether a canary is visible at all numbers of a message: it is rotated, or a gradient
// that clients send as its products with common directions.
bool AdversaryView::is_turned() const {
  return rotation_ || audit_.plan.method.steps.family == SolverFamily::zeroth_order;
}

// The noise along the direction of such a canary is that of any coordinate.
void AdversaryView::turn_direction() {
  const Canary& place = places_.front();
  turned_.assign(shape_.up, real{0});
  if (audit_.plan.method.steps.family != SolverFamily::zeroth_order || rotation_) {
    turned_[place.coordinate] = 1;
    if (rotation_) rotation_->apply(turned_);
  } else {
    for (std::size_t m = 0; m < turned_.size(); ++m) {
      double product = 0;
      draw_direction(seed_, round_, m, place.coordinate, {&product, 1});
      turned_[m] = static_cast<real>(product);
    }
  }
  direction_.assign(shape_.up, real{0});
  reader_.support(place.client, round_).each(shape_.up, [this](std::size_t, std::size_t j) {
    direction_[j] = turned_[j];
  });
  const double length = std::sqrt(norm_squared(ConstView(direction_)));
  for (auto& value : direction_) value /= static_cast<real>(length);
}

// Projects on the direction of a canary. A client that sends a control variate as a second vector
// moves both vectors in opposite directions.
double AdversaryView::project(std::span<const double> vector, std::size_t at) const {
  if (is_turned()) {
    double total = 0;
    for (std::size_t j = 0; j < vector.size(); ++j)
      if (!std::isnan(vector[j])) total += static_cast<double>(direction_[j]) * vector[j];
    return total;
  }
  if (shape_.up == shape_.model) return vector[at];
  return (vector[at] - vector[at + shape_.model]) / std::numbers::sqrt2;
}

// Relies on places being in client order.
void AdversaryView::read_messages(const Packets& all) {
  std::size_t next = 0;
  auto skip_to = [&](std::uint32_t client) {
    for (; next < places_.size() && places_[next].client < client; ++next) seen_.push_back(nan);
  };
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const std::uint32_t client = participants_[number];
    const auto vector = released(all, number);
    skip_to(client);
    for (; next < places_.size() && places_[next].client == client; ++next)
      seen_.push_back(project(vector, places_[next].coordinate));
  }
  skip_to(static_cast<std::uint32_t>(audit_.clients));
}

// A coordinate carries the noise of all clients or, if not all send it, that of its client alone.
double AdversaryView::sum(const Packets& all) {
  const Canary& place = places_.front();
  const bool is_shared = audit_.plan.compressor->traits().omega == 0 && shape_.stride == 0;
  double total = 0, own = nan;
  std::size_t senders = 0;
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const std::uint32_t client = participants_[number];
    const double sent = project(released(all, number), place.coordinate);
    if (client == place.client) own = sent;
    if (std::isnan(sent) || (shape_.stride > 0 && client != place.client)) continue;
    total += sent;
    ++senders;
  }
  if (is_shared) {
    double seen = sight_ == Sight::own ? own : total;
    words_.restore({&seen, 1}, sight_ == Sight::own ? 1 : senders);
    return seen / std::sqrt(static_cast<double>(senders));
  }
  return senders == 1 ? own : nan;
}

// The message of the canary's client is one of all, and which of them is unknown.
double AdversaryView::multiset(const Packets& all) {
  double most = -std::numeric_limits<double>::infinity();
  std::vector<double> ratios;
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const double sent = project(released(all, number), places_.front().coordinate);
    ratios.push_back(log_likelihood_ratio(audit_.signal, sent));
    most = std::max(most, ratios.back());
  }
  double sum = 0;
  for (const double ratio : ratios) sum += std::exp(ratio - most);
  return most + std::log(sum / static_cast<double>(ratios.size()));
}

// Reads the contribution of the other participants to the mean.
void AdversaryView::read_others(const Packets& all) {
  if (shape_.stride > 0) return;
  const double factor = reader_.gain() / audit_.plan.schedule->expected();
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    if (participants_[number] == places_.front().client) continue;
    const auto sent = released(all, number);
    for (std::size_t j = 0; j < known_.size(); ++j)
      if (!std::isnan(sent[j])) known_[j] += factor * sent[j];
  }
}

// Returns the log-likelihood ratio of a mean of parts, each of which a client draws in secret.
double AdversaryView::parts_of(std::span<const double> perturbed) {
  left_.assign(perturbed.begin(), perturbed.end());
  for (std::size_t j = 0; j < left_.size(); ++j) left_[j] -= known_[j];
  return log_ratio_of_parts(audit_.plan, audit_.signal, direction_, left_);
}

}  // namespace trilemma
