#include "federation/node_side.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "federation/sum_over_clients.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

void add_times(double weight, const SparseView& sent, std::span<double> sum) {
  double* const values = sum.data();
  sent.at.each(sum.size(), [&](std::size_t i, std::size_t j) {
    values[j] += weight * static_cast<double>(sent.value[i]);
  });
}

}  // namespace

std::uint64_t copies_in_a_step(const Plan& plan, const Placement& place) {
  const Graph& graph = *plan.graph;
  std::uint64_t pairs = 0;
  int host = 0;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    while (static_cast<std::uint32_t>(place.first(host) + place.count(host)) <= node) ++host;
    int rank = 0;
    int last = host;
    for (const std::uint32_t other : graph.neighbours(node)) {
      while (static_cast<std::uint32_t>(place.first(rank) + place.count(rank)) <= other) ++rank;
      if (rank != host && rank != last) ++pairs;
      last = rank;
    }
  }
  return row(node_exchanges(), plan.node_exchange).make.copies(pairs, place);
}

NodeSide::NodeSide(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap)
    : plan_(plan),
      parts_(parts),
      ranks_(ranks),
      graph_(*plan.graph),
      first_(static_cast<std::uint32_t>(ranks.place().first(ranks.place().rank))),
      hosted_(static_cast<std::uint32_t>(ranks.place().count(ranks.place().rank))),
      method_(plan.method.node.make()),
      sender_(plan.compressor.make()),
      receiving_(plan.compressor.make()),
      receiver_(*receiving_),
      outboxes_(method_->channels(), Outbox(sender_->layout())),
      factor_(method_->compensates() ? contractive_step(sender_->traits().omega) : 1),
      exchange_(row(node_exchanges(), plan.node_exchange).make.make({ranks, peer_lists()})),
      models_(hosted_, parts.x),
      vectors_(hosted_, std::vector<Doubles>(method_->vectors(), Doubles(parts.x.size()))),
      own_(hosted_, std::vector<Doubles>(method_->hears_itself() ? outboxes_.size() : 0,
                                         Doubles(parts.x.size()))),
      mixed_(hosted_, std::vector<Doubles>(outboxes_.size(), Doubles(parts.x.size()))),
      everyone_(hosted_),
      tap_(tap),
      inputs_(hosted_),
      bits_(*parts.metric_log, Metric::Kind::sum),
      edges_{*parts.metric_log} {
  std::iota(everyone_.begin(), everyone_.end(), first_);
  for (std::uint32_t slot = 0; slot < hosted_; ++slot) {
    inputs_[slot] = {.client = first_ + slot, .task = {.model = models_[slot]}};
    Node own = node(slot, 0);
    method_->start(own);
  }
}

Node NodeSide::node(std::size_t slot, std::uint32_t round) {
  return {.model = models_[slot],
          .vectors = vectors_[slot],
          .own = own_[slot],
          .mixed = mixed_[slot],
          .own_weight = graph_.own_weight(first_ + static_cast<std::uint32_t>(slot)),
          .round = round};
}

// Lists are filled in ascending order of the nodes.
PeerLists NodeSide::peer_lists() const {
  const Placement& place = ranks_.place();
  const auto ranks = static_cast<std::size_t>(place.size);
  PeerLists lists{std::vector<std::vector<std::uint32_t>>(ranks),
                  std::vector<std::vector<std::uint32_t>>(ranks)};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto begin = static_cast<std::uint32_t>(place.first(static_cast<int>(rank)));
    const auto end = begin + static_cast<std::uint32_t>(place.count(static_cast<int>(rank)));
    if (static_cast<int>(rank) == place.rank) continue;
    const auto reaches = [this](std::uint32_t node, std::uint32_t from, std::uint32_t to) {
      const Coordinates others = graph_.neighbours(node);
      const auto at = std::ranges::lower_bound(others, from);
      return at != others.end() && *at < to;
    };
    for (std::uint32_t slot = 0; slot < hosted_; ++slot)
      if (reaches(first_ + slot, begin, end)) lists.slots[rank].push_back(slot);
    for (std::uint32_t node = begin; node < end; ++node)
      if (reaches(node, first_, first_ + hosted_)) lists.nodes[rank].push_back(node);
  }
  return lists;
}

void NodeSide::run(std::uint32_t round, PhaseTimer& timer) {
  for (Outbox& outbox : outboxes_) {
    outbox.clear();
    outbox.make_room(hosted_);
  }
  parts_.clients->release(round, everyone_, parts_.x, timer, inputs_,
                          [&](std::uint32_t slot, const Released& y) { send(round, slot, y); });
  if (plan_.separate_wait) {
    ranks_.barrier();
    timer.lap(Phase::wait);
  }
  for (std::size_t channel = 0; channel < outboxes_.size(); ++channel) {
    const Packets mine = outboxes_[channel].packets();
    if (tap_ != nullptr) show(step(round, channel), mine);
    const auto messages = exchange_->deliver(step(round, channel), mine);
    timer.lap(Phase::exchange);
    mix(round, channel, messages);
    timer.lap(Phase::decode);
  }
  parts_.metric_log->add(edges_.mpi_bits, 8 * (exchange_->sent_bytes() - counted_bytes_));
  counted_bytes_ = exchange_->sent_bytes();
  parts_.clients->finish_round(round, parts_.x);
  timer.lap(Phase::decode);
}

void NodeSide::send(std::uint32_t round, std::uint32_t slot, const Released& y) {
  Node own = node(slot, round);
  if (outboxes_.size() > 1) gradient_.assign(y.values().begin(), y.values().end());
  for (std::size_t channel = 0; channel < outboxes_.size(); ++channel) {
    if (channel > 0) std::ranges::copy(gradient_, y.values().begin());
    method_->offer(channel, own, y.values());
    const Key key = mask(first_ + slot, round, channel);
    try {
      outboxes_[channel].post(sender_->seal(y, key, message_));
    } catch (const RunFailure& error) {  // a value that the compressor cannot represent
      notice({round, first_ + slot, error.what()});
      std::ranges::fill(y.values(), real{0});
      outboxes_[channel].post(sender_->seal(y, key, message_));
    }
  }
}

void NodeSide::notice(NodeFailure failure) {
  if (!failure_ || (failure_->round == failure.round && failure.node < failure_->node))
    failure_ = std::move(failure);
}

void NodeSide::check_finite(std::uint32_t round, std::uint32_t node, const SparseView& sent) {
  if (std::isfinite(static_cast<double>(largest_size(sent.value)))) return;
  notice({round, node,
          "its message holds a NaN or an infinite value; look at the node's records, or lower "
          "gossip.rate or gossip.consensus"});
}

std::optional<NodeFailure> NodeSide::failure() {
  constexpr int none = std::numeric_limits<int>::max();
  NodeFailure first;
  const int round = ranks_.smallest(failure_ ? static_cast<int>(failure_->round) : none);
  if (round == none) return std::nullopt;
  first.round = static_cast<std::uint32_t>(round);
  const bool is_first = failure_ && failure_->round == first.round;
  first.node = static_cast<std::uint32_t>(
      ranks_.smallest(is_first ? static_cast<int>(failure_->node) : none));
  const bool is_mine = is_first && failure_->node == first.node;
  for (const std::string& reason : ranks_.gather_text(is_mine ? failure_->reason : ""))
    first.reason += reason;
  return first;
}

void NodeSide::show(std::uint32_t step, const Packets& mine) {
  std::vector<std::uint32_t> nodes(graph_.nodes());
  std::iota(nodes.begin(), nodes.end(), 0U);
  const Packets all = ranks_.gather_messages(mine, nodes);
  if (ranks_.place().rank == 0) tap_->messages(step, nodes, all);
}

void NodeSide::mix(std::uint32_t round, std::size_t channel,
                   std::span<const NodeMessage> messages) {
  for (const auto& [sender, bytes] : messages) {
    const SparseView sent = scaled(receiver_.open(bytes, mask(sender, round, channel)));
    add(round, channel, sender, sent);
    if (sender - first_ >= hosted_) continue;
    check_finite(round, sender, sent);
    count_bits(sender);
  }
}

SparseView NodeSide::scaled(const SparseView& sent) {
  if (factor_ == 1) return sent;
  scaled_.assign(sent.value.begin(), sent.value.end());
  for (real& value : scaled_) value *= static_cast<real>(factor_);
  return {sent.at, scaled_};
}

// Adds a message to the sums of the sender, if this rank hosts it, and of its hosted neighbours.
// Messages arrive in ascending order of the senders, so that the sums of a node are cleared before
// its first message and used after its last one, while they are in the cache.
void NodeSide::add(std::uint32_t round, std::size_t channel, std::uint32_t sender,
                   const SparseView& sent) {
  const auto deliver = [&](std::uint32_t receiver, double weight) {
    const std::uint32_t slot = receiver - first_;
    const Coordinates others = graph_.neighbours(receiver);
    Doubles& sum = mixed_[slot][channel];
    if (!method_->keeps_sums() && (others.empty() || sender <= std::min(receiver, others.front())))
      std::ranges::fill(sum, 0.0);
    add_times(weight, sent, sum);
    if (receiver == sender && method_->hears_itself()) {
      Doubles& own = own_[slot][channel];
      if (!method_->keeps_sums()) std::ranges::fill(own, 0.0);
      add_times(1, sent, own);
    }
    const bool is_last = others.empty() || sender >= std::max(receiver, others.back());
    if (!is_last || channel + 1 < outboxes_.size()) return;
    Node ended = node(slot, round);
    method_->combine(ended);
  };
  const Coordinates others = graph_.neighbours(sender);
  if (sender - first_ < hosted_) deliver(sender, graph_.own_weight(sender));
  auto at = static_cast<std::size_t>(std::ranges::lower_bound(others, first_) - others.begin());
  for (; at < others.size() && others[at] < first_ + hosted_; ++at)
    deliver(others[at], graph_.weight(sender, at));
}

// Counts the message that was decoded last.
void NodeSide::count_bits(std::uint32_t sender) {
  MetricLog& metric_log = *parts_.metric_log;
  const auto model = static_cast<std::uint64_t>(
      std::floor(receiving_->layout().model_bits(plan_.model_bits_per_value, receiver_.entries())));
  const std::uint64_t degree = graph_.degree(sender);
  metric_log.add(bits_.up.messages, 1);
  metric_log.add(bits_.up.model_bits, model);
  metric_log.add(bits_.up.payload_bits, receiver_.bits());
  metric_log.add(edges_.model_bits, degree * model);
  metric_log.add(edges_.payload_bits, degree * receiver_.bits());
}

void NodeSide::average() {
  TreeSum own(parts_.x.size());
  std::vector<double> model(parts_.x.size());
  for (std::uint32_t slot = 0; slot < hosted_; ++slot) {
    std::ranges::copy(models_[slot], model.begin());
    own.add({first_ + std::uint64_t{slot}, 1}, model);
  }
  sum_over_clients(own, ranks_, model);
  if (ranks_.place().rank != 0) return;
  for (std::size_t j = 0; j < model.size(); ++j)
    parts_.x[j] = static_cast<real>(model[j] / static_cast<double>(graph_.nodes()));
}

void NodeSide::persist(std::size_t slot, State& state) {
  state.values(models_[slot]);
  for (Doubles& vector : vectors_[slot]) state.values(vector);
  if (!method_->keeps_sums()) return;
  for (Doubles& sum : own_[slot]) state.values(sum);
  for (Doubles& sum : mixed_[slot]) state.values(sum);
}

}  // namespace trilemma
