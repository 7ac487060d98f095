#include "run/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "comm/node_map.hpp"
#include "comm/session.hpp"
#include "machine/variables.hpp"
#include "numeric/vectors.hpp"
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

bool is_narrow(const Processor& processor) { return processor.vector_bits == 128; }

// Portable numerics round alike for all widths with fused multiply-adds.
bool rounds_alike(const Processor& a, const Processor& b, bool is_portable) {
  return is_portable ? is_narrow(a) == is_narrow(b) : a == b;
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

Processor processor_in_use() {
  const VectorTarget target = vector_target();
  return {fmt::format("{}, {} bits; {}", target.name, target.bits, blas_in_use()), target.bits};
}

std::vector<Processor> gather_processors(Ranks& ranks) {
  const Processor own = processor_in_use();
  const auto descriptions = ranks.gather_text(own.description);
  const double own_bits = own.vector_bits;
  const auto bits = ranks.gather_by_rank({&own_bits, 1}, Use::control);
  std::vector<Processor> all;
  for (std::size_t r = 0; r < descriptions.size(); ++r)
    all.push_back({descriptions[r], static_cast<unsigned>(bits[r])});
  return all;
}

Processor recorded_processor(const RunHead& run) {
  // The file has a line for each rank.
  return {run.processors.substr(0, run.processors.find('\n')), run.vector_bits};
}

std::string difference_of_processors(const std::vector<Processor>& processors, bool is_portable) {
  const auto other = std::ranges::find_if(processors, [&](const Processor& one) {
    return !rounds_alike(one, processors.front(), is_portable);
  });
  if (other == processors.end()) return "";
  std::string text = fmt::format(
      "ranks compute with different instructions (rank 0: {}; rank {}: {}), so that results depend on where clients are hosted: rounds differ by rounding, and training can amplify that",
      processors.front().description, other - processors.begin(), other->description);
  if (std::ranges::none_of(processors, is_narrow))
    text += "; with --set numerics=portable they do not";
  return text;
}

std::string change_of_processors(const Processor& before, const std::vector<Processor>& processors,
                                 bool is_portable) {
  const auto other = std::ranges::find_if(
      processors, [&](const Processor& one) { return !rounds_alike(one, before, is_portable); });
  if (before.description.empty() || other == processors.end()) return "";
  std::string text = fmt::format(
      "the run began with other instructions ({}) than it continues with ({}), so that it will not be bit-identical to an uninterrupted run: rounds differ by rounding, and training can amplify that",
      before.description, other->description);
  if (!is_narrow(before) && !is_narrow(*other))
    text += "; runs with numerics = portable do not change";
  return text;
}

void report_processors(const std::vector<Processor>& processors, bool is_portable,
                       const std::string& resumed) {
  const auto note = [](const std::string& text) {
    if (!text.empty()) fmt::print(stderr, "trilemma: note: {}\n", text);
  };
  note(difference_of_processors(processors, is_portable));
  if (resumed.empty()) return;
  const RunHead head = read_run_head(resumed, h5::Reading::unlocked);
  note(change_of_processors(recorded_processor(head), processors, is_portable));
}

}  // namespace trilemma
