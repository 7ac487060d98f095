#include "run/machine.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "comm/node_map.hpp"
#include "comm/session.hpp"
#include "machine/variables.hpp"
#include "problem/kernels/blas.hpp"

namespace trilemma {
namespace {

// What a rank sends to rank 0.
struct Sent {
  RankFacts rank;
  NodeFacts node;
  void persist(State& state) {
    rank.persist(state);
    node.persist(state);
  }
};

// What rank 0 tells all ranks.
struct Told {
  std::vector<std::string> variables;  ///< its own
  std::vector<std::int64_t> node;      ///< of each rank
  void persist(State& state) {
    persist_value(state, variables);
    state.values(node);
  }
};

Told told_by_rank_0(Ranks& ranks, Told told) {
  Bytes bytes;
  State saving = State::saving(bytes);
  told.persist(saving);
  ranks.broadcast_bytes(bytes);
  Told received;
  State state = State::restoring(bytes);
  received.persist(state);
  return received;
}

// The facts of a node, which are in many files, are read by its first rank alone.
Sent own_facts(std::int64_t rank, const std::vector<std::string>& variables, const Told& told) {
  Sent own;
  const std::int64_t node = told.node[static_cast<std::size_t>(rank)];
  own.rank = rank_facts(usable_processors());
  if (std::ranges::find(told.node, node) - told.node.begin() == rank) own.node = node_facts();
  own.rank.host = own.node.host = Session::host();
  own.rank.blas_threads = blas_threads();
  own.rank.other_variables = differing_variables(variables, told.variables);
  if (!is_simulated()) own.node.energy = energy_counters().source();
  return own;
}

}  // namespace

MachineRecord gather_machine(Ranks& ranks, const std::vector<std::string>& hosts) {
  MachineRecord record;
  record.variables = recorded_variables();
  const Told told = told_by_rank_0(ranks, {record.variables, nodes_of(hosts)});
  Sent own = own_facts(ranks.place().rank, record.variables, told);
  Bytes packed;
  State saving = State::saving(packed);
  own.persist(saving);
  const auto all = ranks.gather_text({reinterpret_cast<const char*>(packed.data()), packed.size()});
  if (ranks.place().rank != 0) return {};
  for (std::size_t r = 0; r < all.size(); ++r) {
    Sent sent;
    State state = State::restoring(std::as_bytes(std::span(all[r])));
    sent.persist(state);
    state.finish();
    record.ranks.push_back(sent.rank);
    if (static_cast<std::size_t>(told.node[r]) == record.nodes.size())
      record.nodes.push_back(sent.node);
  }
  return record;
}

}  // namespace trilemma
