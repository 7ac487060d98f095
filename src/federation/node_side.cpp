#include "federation/node_side.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "federation/sum_over_clients.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

MetricLog::Id declare_bits(MetricLog& metric_log, const char* name, const char* description,
                           bool depends_on_ranks = false) {
  return metric_log.declare({.name = name,
                             .units = "bit",
                             .description = description,
                             .provenance = Provenance::message_sizes,
                             .kind = Metric::Kind::sum,
                             .depends_on_ranks = depends_on_ranks,
                             .better = Metric::Better::lower});
}

}  // namespace

NodeSide::NodeSide(const Plan& plan, Assembly& parts, Ranks& ranks)
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
      outbox_(sender_->layout()),
      factor_(method_->compensates() ? contractive_step(sender_->traits().omega) : 1),
      exchange_(row(node_exchanges(), plan.node_exchange).make({ranks, peer_lists()})),
      models_(hosted_, parts.x),
      vectors_(hosted_, std::vector<Vector>(method_->vectors(), Vector(parts.x.size()))),
      mixed_(hosted_, std::vector<double>(parts.x.size())),
      everyone_(hosted_),
      inputs_(hosted_),
      bits_(*parts.metric_log, Metric::Kind::sum),
      edge_model_bits_(declare_bits(*parts.metric_log, "bits_edges_model",
                                    "node to neighbour, each message counted for every neighbour, "
                                    "the papers' own accounting")),
      edge_payload_bits_(declare_bits(*parts.metric_log, "bits_edges_payload",
                                      "node to neighbour, each message counted for every "
                                      "neighbour, exact encoding")),
      mpi_bits_(declare_bits(*parts.metric_log, "bits_neighbours",
                             "messages between nodes that left a rank through MPI", true)) {
  std::iota(everyone_.begin(), everyone_.end(), first_);
  for (std::uint32_t slot = 0; slot < hosted_; ++slot) {
    inputs_[slot] = {.client = first_ + slot, .task = {.model = models_[slot]}};
    Node own = node(slot);
    method_->start(own);
  }
}

Node NodeSide::node(std::size_t slot) {
  return {.model = models_[slot],
          .vectors = vectors_[slot],
          .mixed = mixed_[slot],
          .own_weight = graph_.own_weight(first_ + static_cast<std::uint32_t>(slot))};
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
  outbox_.clear();
  outbox_.make_room(hosted_);
  parts_.clients->release(round, everyone_, parts_.x, timer, inputs_,
                          [&](std::uint32_t slot, const Released& y) { send(round, slot, y); });
  if (plan_.separate_wait) {
    ranks_.barrier();
    timer.lap(Phase::wait);
  }
  const auto messages = exchange_->deliver(round, outbox_.packets());
  timer.lap(Phase::exchange);
  parts_.metric_log->add(mpi_bits_, 8 * (exchange_->sent_bytes() - counted_bytes_));
  counted_bytes_ = exchange_->sent_bytes();
  mix(round, messages);
  parts_.clients->finish_round(round, parts_.x);
  timer.lap(Phase::decode);
}

void NodeSide::send(std::uint32_t round, std::uint32_t slot, const Released& y) {
  Node own = node(slot);
  method_->offer(own, y.values());
  outbox_.post(sender_->seal(y, mask(first_ + slot, round), message_));
}

void NodeSide::mix(std::uint32_t round, std::span<const NodeMessage> messages) {
  if (!method_->keeps_sums())
    for (auto& sum : mixed_) std::ranges::fill(sum, 0.0);
  for (const auto& [sender, bytes] : messages) {
    const SparseView sent = scaled(receiver_.open(bytes, mask(sender, round)));
    if (!std::isfinite(static_cast<double>(largest_size(sent.value))))
      throw RunFailure(fmt::format(
          "round {}: the message of node {} holds a NaN or an infinite value; look at the node's "
          "records, or lower gossip.rate or gossip.consensus",
          round + 1, sender));
    add(sender, sent);
    if (sender - first_ >= hosted_) continue;
    Node own = node(sender - first_);
    method_->sent(own, sent);
    count_bits(sender);
  }
  for (std::uint32_t slot = 0; slot < hosted_; ++slot) {
    Node own = node(slot);
    method_->combine(own);
  }
}

SparseView NodeSide::scaled(const SparseView& sent) {
  if (factor_ == 1) return sent;
  scaled_.assign(sent.value.begin(), sent.value.end());
  for (real& value : scaled_) value *= static_cast<real>(factor_);
  return {sent.at, scaled_};
}

// Adds a message to the sums of the sender, if this rank hosts it, and of its hosted neighbours.
void NodeSide::add(std::uint32_t sender, const SparseView& sent) {
  if (sender - first_ < hosted_) add_to(sender - first_, graph_.own_weight(sender), sent);
  const Coordinates others = graph_.neighbours(sender);
  auto at = static_cast<std::size_t>(std::ranges::lower_bound(others, first_) - others.begin());
  for (; at < others.size() && others[at] < first_ + hosted_; ++at)
    add_to(others[at] - first_, graph_.weight(sender, at), sent);
}

void NodeSide::add_to(std::uint32_t slot, double weight, const SparseView& sent) {
  double* const sum = mixed_[slot].data();
  sent.at.each(mixed_[slot].size(), [&](std::size_t i, std::size_t j) {
    sum[j] += weight * static_cast<double>(sent.value[i]);
  });
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
  metric_log.add(edge_model_bits_, degree * model);
  metric_log.add(edge_payload_bits_, degree * receiver_.bits());
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
  for (Vector& vector : vectors_[slot]) state.values(vector);
  if (method_->keeps_sums()) state.values(mixed_[slot]);
}

}  // namespace trilemma
