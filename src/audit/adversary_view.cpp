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

}  // namespace

AdversaryView::AdversaryView(const AuditPlan& audit, const Plan& run, const Draws& draws,
                             std::span<const Canary> places, Sight sight)
    : audit_(audit),
      draws_(draws),
      places_(places),
      sight_(sight),
      shape_(audit.plan.shape()),
      seed_(run.seed),
      reader_(run) {
  expect(audit.tap == Tap::message || places.size() == 1, "one canary in a sum");
  expect(audit.tap == Tap::mean || !run.rotates, "rotated vectors are observed in the mean");
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
  if (is_turned()) turn_direction();
  if (audit_.tap == Tap::message) read_messages(all);
  if (audit_.tap == Tap::sum) seen_.push_back(sum(all));
  const bool without_others =
      audit_.tap == Tap::mean && (audit_.knows.others || sight_ == Sight::own);
  known_ = without_others ? others(all) : 0;
}

bool AdversaryView::is_drawn(std::uint32_t client) {
  draws_.schedule.participants(round_, drawn_, draws_.secret);
  return std::binary_search(drawn_.begin(), drawn_.end(), client);
}

// An adversary who knows the draws knows that an absent client shows nothing.
void AdversaryView::mean(std::uint32_t, std::span<const double> perturbed) {
  if (audit_.tap != Tap::mean) return;
  const Canary& place = places_.front();
  const bool shows = (!audit_.knows.draws || is_drawn(place.client)) &&
                     (is_turned() || reader_.sends(place.client, round_, place.coordinate));
  seen_.push_back(
      shows ? project(perturbed, place.client * shape_.stride + place.coordinate) - known_ : nan);
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
  if (rotation_) {
    turned_[place.coordinate] = 1;
    rotation_->apply(turned_);
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

// Returns the contribution of the other participants to the mean.
double AdversaryView::others(const Packets& all) {
  if (shape_.stride > 0) return 0;
  const Canary& place = places_.front();
  double total = 0;
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    if (participants_[number] == place.client) continue;
    const double sent = project(released(all, number), place.coordinate);
    if (!std::isnan(sent)) total += reader_.gain() * sent;
  }
  return total / audit_.plan.schedule->expected();
}

}  // namespace trilemma
