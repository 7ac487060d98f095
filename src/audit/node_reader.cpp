#include "audit/node_reader.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace trilemma {

NodeReader::NodeReader(const Plan& plan)
    : plan_(plan),
      method_(plan.method.node.make()),
      compressor_(plan.compressor.make()),
      receiver_(*compressor_),
      sent_(method_->channels(), std::vector<Doubles>(plan.graph->nodes())) {
  const std::size_t dimension = plan.shape().up;
  const std::vector<Doubles> channels(method_->channels(), Doubles(dimension));
  nodes_.assign(plan.graph->nodes(),
                {.model = Vector(dimension),
                 .vectors = std::vector<Doubles>(method_->vectors(), Doubles(dimension)),
                 .own = channels,
                 .mixed = channels,
                 .gradient = Doubles(dimension)});
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    Node twin = node(i, nodes_[i], 0);
    method_->start(twin);
  }
}

Node NodeReader::node(std::uint32_t number, Twin& twin, std::uint32_t round) const {
  return {.model = twin.model,
          .vectors = twin.vectors,
          .own = twin.own,
          .mixed = twin.mixed,
          .own_weight = plan_.graph->own_weight(number),
          .round = round};
}

bool NodeReader::read(std::uint32_t step, const Packets& all) {
  const std::size_t channel = step % sent_.size();
  const auto round = static_cast<std::uint32_t>(step / sent_.size());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const SparseView sent = receiver_.open(all[i], {plan_.seed, Purpose::mask, i, step});
    expect(sent.at.is_all(), "all coordinates are sent");
    sent_[channel][i].assign(sent.value.begin(), sent.value.end());
  }
  if (channel + 1 < sent_.size()) return false;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    find_gradient(i, round);
    offer(i, round);
    for (std::size_t at = 0; at < sent_.size(); ++at) mix(i, at);
    Node twin = node(i, nodes_[i], round);
    method_->combine(twin);
  }
  return true;
}

// The copy of the node leaves the node itself as it was.
void NodeReader::find_gradient(std::uint32_t number, std::uint32_t round) {
  const Reveal reveal = reveal_of(*method_, round);
  expect(reveal.slope != 0, "the gradient is sent in its round");
  Twin copy = nodes_[number];
  Node twin = node(number, copy, round);
  Vector message;
  for (std::size_t channel = 0; channel <= reveal.channel; ++channel) {
    message.assign(copy.model.size(), real{0});
    method_->offer(channel, twin, message);
  }
  Doubles& gradient = nodes_[number].gradient;
  for (std::size_t j = 0; j < gradient.size(); ++j)
    gradient[j] =
        (sent_[reveal.channel][number][j] - static_cast<double>(message[j])) / reveal.slope;
}

void NodeReader::offer(std::uint32_t number, std::uint32_t round) {
  Node twin = node(number, nodes_[number], round);
  for (std::size_t channel = 0; channel < sent_.size(); ++channel) {
    Vector y;
    for (const double value : nodes_[number].gradient) y.push_back(static_cast<real>(value));
    method_->offer(channel, twin, y);
  }
}

void NodeReader::mix(std::uint32_t number, std::size_t channel) {
  const Graph& graph = *plan_.graph;
  Doubles& own = nodes_[number].own[channel];
  Doubles& mixed = nodes_[number].mixed[channel];
  const std::vector<Doubles>& sent = sent_[channel];
  const Coordinates others = graph.neighbours(number);
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (!method_->keeps_sums()) own[j] = mixed[j] = 0;
    own[j] += sent[number][j];
    mixed[j] += graph.own_weight(number) * sent[number][j];
    for (std::size_t at = 0; at < others.size(); ++at)
      mixed[j] += graph.weight(number, at) * sent[others[at]][j];
  }
}

// A node of which everything is 0 and that gets the gradient 1 sends the slope.
Reveal reveal_of(const NodeMethod& method, std::uint32_t round) {
  Vector model(1);
  std::vector<Node::Doubles> vectors(method.vectors(), Node::Doubles(1));
  std::vector<Node::Doubles> own(method.channels(), Node::Doubles(1)), mixed = own;
  Node node{.model = model, .vectors = vectors, .own = own, .mixed = mixed, .round = round};
  for (std::size_t channel = 0; channel < method.channels(); ++channel) {
    Vector y{1};
    method.offer(channel, node, y);
    if (y[0] != 0) return {channel, static_cast<double>(y[0])};
  }
  return {};
}

}  // namespace trilemma
