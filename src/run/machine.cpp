#include "run/machine.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/state.hpp"
#include "comm/node_map.hpp"
#include "comm/session.hpp"
#include "problem/kernels/blas.hpp"

namespace trilemma {
namespace {

// What a rank sends to rank 0.
struct Sent {
  RankOnRecord rank;
  NodeOnRecord node;
  void persist(State& state) {
    rank.persist(state);
    node.persist(state);
  }
};

Bytes bytes_of(const std::vector<std::string>& lines) {
  Bytes bytes;
  for (const auto& line : lines) {
    const auto part = std::as_bytes(std::span(line));
    bytes.insert(bytes.end(), part.begin(), part.end());
    bytes.push_back(std::byte{0});
  }
  return bytes;
}

std::vector<std::string> lines_in(const Bytes& bytes) {
  std::vector<std::string> lines;
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t at = 0; at < bytes.size(); at += lines.back().size() + 1)
    lines.emplace_back(text + at);
  return lines;
}

Sent own_facts(const std::vector<std::string>& variables, const Bytes& first) {
  Sent own;
  own.rank.host = own.node.host = Session::host();
  own.rank.process = process_facts(usable_processors());
  own.rank.blas_threads = blas_threads();
  own.rank.other_variables = differing_variables(variables, lines_in(first));
  own.node.machine = machine_facts();
  if (!is_simulated()) own.node.energy = energy_counters().source();
  return own;
}

}  // namespace

MachineRecord gather_machine(Ranks& ranks, const std::vector<std::string>& hosts) {
  MachineRecord record;
  record.variables = recorded_variables();
  Bytes first = bytes_of(record.variables);
  ranks.broadcast_bytes(first);
  Sent own = own_facts(record.variables, first);
  Bytes packed;
  State saving = State::saving(packed);
  own.persist(saving);
  const auto all = ranks.gather_text({reinterpret_cast<const char*>(packed.data()), packed.size()});
  if (ranks.place().rank != 0) return {};
  const auto node = nodes_of(hosts);
  for (std::size_t r = 0; r < all.size(); ++r) {
    Sent sent;
    State state = State::restoring(std::as_bytes(std::span(all[r])));
    sent.persist(state);
    state.finish();
    record.ranks.push_back(sent.rank);
    if (static_cast<std::size_t>(node[r]) == record.nodes.size()) record.nodes.push_back(sent.node);
  }
  return record;
}

}  // namespace trilemma
