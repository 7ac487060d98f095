#include "federation/client_side.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numeric/lanes.hpp"
#include "numeric/secret.hpp"

namespace trilemma {
namespace {

// Returns the number of clients that pass through the stages together: enough that the clock is
// read rarely, and few enough that their vectors stay in the cache.
std::size_t block_size(std::size_t slots, std::size_t dimension) {
  constexpr std::size_t block_values = std::size_t{1} << 16U;
  return std::min(
      slots, std::clamp<std::size_t>(block_values / std::max<std::size_t>(1, dimension), 1, 64));
}

// Returns the compressor if local work has to compute only the coordinates that it names. Returns
// null if a part measures, bounds, rotates or stores the whole update before it is released.
ObliviousCompressor* names_first(const ClientParts& parts) {
  const Bounds what = parts.bound->what();
  const bool is_read_whole = (what != Bounds::record && what != Bounds::nothing) ||
                             parts.steps != nullptr || parts.rotation != nullptr ||
                             parts.memory_traits.needs_client_bound ||
                             parts.memory_traits.needs_whole_vectors ||
                             parts.memory_traits.takes_in_bounded || parts.work->absorbs();
  return is_read_whole ? nullptr : parts.compressor->oblivious();
}

}  // namespace

ClientSide::ClientSide(ClientParts parts, std::size_t slots, std::size_t dimension,
                       std::uint32_t first_client, std::uint64_t seed, bool staged)
    : parts_(std::move(parts)),
      fused_(staged || parts_.memory_traits.needs_whole_vectors ? nullptr
                                                                : parts_.compressor->oblivious()),
      names_first_(names_first(parts_)),
      staged_(staged),
      slots_(slots),
      block_(block_size(slots, dimension)),
      first_client_(first_client),
      seed_(seed),
      update_(block_, Vector(dimension)),
      message_(block_),
      outbox_(parts_.compressor->layout()),
      metrics_{*parts_.metric_log},
      keeps_copy_(parts_.memory_traits.takes_in_bounded || parts_.work->absorbs()),
      needs_reference_(parts_.compressor->traits().needs_reference()),
      tells_drift_(parts_.steps != nullptr && dimension >= parts_.model &&
                   !std::isnan(parts_.steps->drift(1, 0, 1))) {}

void ClientSide::start(ConstView x) {
  parts_.work->start(x);
  observe_gradients();
}

void ClientSide::begin(std::uint32_t round, Coordinates participants, ConstView x) {
  active_.clear();
  noise_factor_ = parts_.work->noise_factor(round, x);
  parts_.memory->begin_round(seed_, round);
  for (const std::uint32_t client : participants)
    if (client >= first_client_ && client - first_client_ < slots_)
      active_.push_back(client - first_client_);
}

template <class Visit>
void ClientSide::each_block(const std::vector<std::uint32_t>& slots, Visit&& visit) const {
  for (std::size_t first = 0; first < slots.size(); first += block_)
    visit(Coordinates(slots).subspan(first, std::min(block_, slots.size() - first)));
}

const Outbox& ClientSide::run(std::uint32_t round, Coordinates participants, ConstView x,
                              PhaseTimer& timer, RoundInputs inputs, const ReadyMessages& ready) {
  begin(round, participants, x);
  outbox_.clear();
  outbox_.make_room(active_.size());
  each_block(active_, [&](Coordinates slots) {
    name_coordinates(slots, round, timer);
    work_and_bound(slots, round, x, timer, true, inputs);
    const std::size_t before = outbox_.count();
    release_and_seal(slots, round, x, timer, inputs);
    if (ready) ready(outbox_.packets_from(before));
    timer.lap(Phase::exchange);
  });
  if (parts_.memory_traits.works_without_sending) {
    list_silent();
    each_block(silent_,
               [&](Coordinates slots) { work_and_bound(slots, round, x, timer, false, {}); });
  }
  return outbox_;
}

void ClientSide::release(std::uint32_t round, Coordinates participants, ConstView x,
                         PhaseTimer& timer, RoundInputs inputs, const TakeReleased& take) {
  begin(round, participants, x);
  each_block(active_, [&](Coordinates slots) {
    name_coordinates(slots, round, timer);
    work_and_bound(slots, round, x, timer, true, inputs);
    release(slots, round, x, inputs);
    timer.lap(Phase::perturb);
    for (std::size_t i = 0; i < slots.size(); ++i) take(slots[i], released_[i]);
    timer.lap(Phase::compress);
  });
}

void ClientSide::advance(std::uint32_t client, Task task) {
  const std::uint32_t slot = client - first_client_;
  task.key = key(Purpose::minibatch, slot, *task.number);
  parts_.work->advance(slot, task);
}

void ClientSide::list_silent() {
  sends_.assign(slots_, false);
  for (const std::uint32_t slot : active_) sends_[slot] = true;
  silent_.clear();
  for (std::uint32_t slot = 0; slot < slots_; ++slot)
    if (!sends_[slot]) silent_.push_back(slot);
}

// Returns the key of a draw. Noise and minibatches, on which privacy rests, come from the client's
// secret if there is one; masks come from the seed, since the server draws them too.
Key ClientSide::key(Purpose purpose, std::size_t slot, std::uint32_t round) const {
  const bool hidden = purpose == Purpose::noise || purpose == Purpose::minibatch;
  return {seed_, purpose, first_client_ + static_cast<std::uint32_t>(slot), round,
          hidden && !parts_.secret.empty() ? parts_.secret[slot] : nullptr};
}

void ClientSide::persist(std::size_t slot, State& state) {
  parts_.work->persist(slot, state);
  parts_.memory->persist(slot, state);
  if (!parts_.secret.empty()) parts_.secret[slot]->persist(state);
}

// Draws the supports of an oblivious compressor first, so that other coordinates need not be
// computed.
void ClientSide::name_coordinates(Coordinates slots, std::uint32_t round, PhaseTimer& timer) {
  ObliviousCompressor* const names = fused_ != nullptr ? fused_ : names_first_;
  support_.clear();
  for (std::size_t i = 0; names != nullptr && i < slots.size(); ++i)
    support_.push_back(names->support(key(Purpose::mask, slots[i], round), message_[i].index));
  timer.lap(Phase::compress);
}

// Computes one bounded vector for each slot: local work, rotation, memory before the bound, bound.
void ClientSide::work_and_bound(Coordinates slots, std::uint32_t round, ConstView x,
                                PhaseTimer& timer, bool sends, RoundInputs inputs) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ClientInputs* own = inputs_of(inputs, first_client_ + slots[i]);
    Task task = own != nullptr ? own->task : Task{.model = x};
    task.key = key(Purpose::minibatch, slots[i], task.number.value_or(round));
    if (sends && names_first_ != nullptr) task.used = support_[i];
    const std::size_t drawn = parts_.work->estimate(slots[i], task, update_[i]);
    if (staged_ && !task.used.is_all()) spoil_unused(task.used, update_[i]);
    if (parts_.bound->bounds_public_part())
      parts_.work->add_public(task.model, Support::all(), update_[i]);
    parts_.metric_log->add(metrics_.records, drawn);
    if (sends) observe_drift(round, update_[i]);
    const double scale = parts_.weight.empty() ? task.scale : task.scale * parts_.weight[slots[i]];
    if (scale != 1)
      for (real& value : update_[i]) value *= static_cast<real>(scale);
  }
  timer.lap(Phase::local);

  bounded_.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (parts_.rotation != nullptr) parts_.rotation->apply(update_[i]);
    parts_.memory->before_bound(slots[i], update_[i]);
    if (parts_.bound->bounds_message()) keep_sent(slots[i], round, update_[i]);
    bounded_.push_back(parts_.bound->apply(update_[i]));
    if (sends) observe(bounded_.back());
  }
  timer.lap(Phase::bound);
  if (keeps_copy_) take_in_bounded(slots, round, timer);
}

// Debug check: replaces the coordinates that local work may omit by NaN, so that any use of them
// shows.
void ClientSide::spoil_unused(Support used, View update) {
  sent_.assign(update.size(), std::numeric_limits<real>::quiet_NaN());
  for (const std::uint32_t j : used.list()) sent_[j] = update[j];
  std::copy(sent_.begin(), sent_.end(), update.begin());
}

// Sets the coordinates that will not be sent to 0, so that the bound measures the sent ones only.
void ClientSide::keep_sent(std::size_t slot, std::uint32_t round, View update) {
  ObliviousCompressor* const compressor = parts_.compressor->oblivious();
  const Support at = compressor->support(key(Purpose::mask, slot, round), followed_.index);
  if (at.is_all()) return;
  sent_.assign(update.size(), real{0});
  for (const std::uint32_t j : at.list()) sent_[j] = update[j];
  std::copy(sent_.begin(), sent_.end(), update.begin());
}

// Updates the client state of which the server has a copy, by the message without its noise: C of
// the bounded vector, with the random numbers of the message. The server updates its copy by the
// message with noise. The client's own state never leaves the client.
void ClientSide::take_in_bounded(Coordinates slots, std::uint32_t round, PhaseTimer& timer) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    parts_.compressor->compress(bounded_[i].values(), key(Purpose::mask, slots[i], round),
                                followed_);
    const SparseView kept = parts_.compressor->expand(followed_);
    parts_.memory->take_in_bounded(slots[i], kept);
    parts_.work->absorb(slots[i], kept);
  }
  timer.lap(Phase::compress);
}

// Records the drift of the local steps from the model of the round.
void ClientSide::observe_drift(std::uint32_t round, ConstView update) {
  if (!tells_drift_) return;
  parts_.metric_log->observe(
      metrics_.drift, parts_.steps->drift(std::sqrt(norm_squared(update.first(parts_.model))),
                                          round, parts_.work->last_steps()));
}

void ClientSide::observe(const Bounded& bounded) {
  const double norm = bounded.norm_before();
  if (std::isnan(norm)) return;
  MetricLog& metric_log = *parts_.metric_log;
  if (std::isinf(norm)) {
    metric_log.add(metrics_.not_finite, 1);
    return;
  }
  const bool is_clipped = norm > parts_.bound->threshold();
  metric_log.add(metrics_.clipped, is_clipped ? 1U : 0U);
  if (parts_.bound->clips()) metric_log.observe(metrics_.clipped_share, is_clipped ? 1 : 0);
  metric_log.observe(metrics_.norm_ratio, norm / parts_.bound->threshold());
  metric_log.observe(metrics_.least_norm, norm);
  metric_log.observe(metrics_.most_norm, norm);
}

// Adds the noise, then the public part of the objective. A released vector that is not sparse
// replaces the update in its memory.
void ClientSide::release(Coordinates slots, std::uint32_t round, ConstView x, RoundInputs inputs) {
  released_.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Key noise = key(Purpose::noise, slots[i], round);
    released_.push_back(fused_ != nullptr
                            ? parts_.mechanism->release(bounded_[i], support_[i], noise,
                                                        message_[i].value, noise_factor_)
                            : parts_.mechanism->release(bounded_[i], Support::all(), noise,
                                                        update_[i], noise_factor_));
    if (parts_.bound->bounds_public_part()) continue;
    const ClientInputs* own = inputs_of(inputs, first_client_ + slots[i]);
    parts_.work->add_public(own != nullptr ? own->task.model : x, released_[i].at(),
                            released_[i].values());
  }
}

// Turns the bounded vectors into encoded messages in the outbox.
void ClientSide::release_and_seal(Coordinates slots, std::uint32_t round, ConstView x,
                                  PhaseTimer& timer, RoundInputs inputs) {
  const std::size_t count = slots.size();
  release(slots, round, x, inputs);
  timer.lap(Phase::perturb);

  sealed_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Key mask = key(Purpose::mask, slots[i], round);
    parts_.memory->before_sending(slots[i], released_[i]);
    if (needs_reference_)
      parts_.compressor->reference_model(
          reference_model(inputs_of(inputs, first_client_ + slots[i]), reference_));
    sealed_.push_back(fused_ != nullptr ? fused_->seal_at_support(released_[i], mask, message_[i])
                                        : parts_.compressor->seal(released_[i], mask, message_[i]));
    parts_.memory->after_sending(slots[i], parts_.compressor->expand(message_[i]));
  }
  timer.lap(Phase::compress);

  for (const Sealed& sealed : sealed_) outbox_.post(sealed);
  timer.lap(Phase::encode);
}

void ClientSide::finish_round(std::uint32_t round, ConstView x) {
  parts_.work->finish_round(x, {seed_, Purpose::coin, 0, round});
  observe_gradients();
}

// Records the counts and norms of record gradients since the last call.
void ClientSide::observe_gradients() {
  if (parts_.notes == nullptr) return;
  GradientNotes& notes = *parts_.notes;
  parts_.metric_log->add(metrics_.not_finite, notes.not_finite);
  if (notes.bounded > 0) {
    parts_.metric_log->add(metrics_.clipped, notes.clipped);
    if (parts_.bound->clips())
      parts_.metric_log->observe_share(metrics_.clipped_share, notes.clipped,
                                       notes.bounded - notes.clipped);
    parts_.metric_log->observe(metrics_.norm_ratio, notes.ratios);
  }
  if (!std::isinf(notes.largest_norm))
    parts_.metric_log->observe(metrics_.record_norm, notes.largest_norm);
  notes = {};
}

}  // namespace trilemma
