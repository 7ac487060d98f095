#include "run/machine.hpp"

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

// Returns the variables of rank 0 on all ranks.
std::vector<std::string> of_rank_0(Ranks& ranks, std::vector<std::string> variables) {
  Bytes bytes;
  State saving = State::saving(bytes);
  persist_value(saving, variables);
  ranks.broadcast_bytes(bytes);
  State state = State::restoring(bytes);
  persist_value(state, variables);
  return variables;
}

Sent own_facts(const std::vector<std::string>& variables, const std::vector<std::string>& first) {
  Sent own{rank_facts(usable_processors()), node_facts()};
  own.rank.host = own.node.host = Session::host();
  own.rank.blas_threads = blas_threads();
  own.rank.other_variables = differing_variables(variables, first);
  if (!is_simulated()) own.node.energy = energy_counters().source();
  return own;
}

}  // namespace

MachineRecord gather_machine(Ranks& ranks, const std::vector<std::string>& hosts) {
  MachineRecord record;
  record.variables = recorded_variables();
  Sent own = own_facts(record.variables, of_rank_0(ranks, record.variables));
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
    if (static_cast<std::size_t>(node[r]) == record.nodes.size())
      record.nodes.push_back(sent.node);
  }
  return record;
}

}  // namespace trilemma
