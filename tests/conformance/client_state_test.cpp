// When the state that parts store for a client moves (StateMoves, src/base/state.hpp): their
// declarations against the state that their persist() saves, for every row of the tables.

#include <gtest/gtest.h>

#include <map>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"

namespace trilemma::client_state_test {

using testing::Federation;

// What happens to the state of the clients in some rounds with two of four clients each.
struct Seen {
  bool is_kept = false;          ///< there is state
  bool moves_here = false;       ///< in a round of its client
  bool moves_elsewhere = false;  ///< in a round without its client
};

Bytes state_of(Federation& f, std::size_t slot) {
  Bytes bytes;
  State state = State::saving(bytes);
  f.parts.clients->persist(slot, state);
  return bytes;
}

Seen watch(Federation& f, std::uint32_t rounds) {
  Seen seen;
  const auto schedule = f.plan.schedule.make();
  std::vector<std::uint32_t> participants;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<Bytes> before;
    for (std::size_t slot = 0; slot < 4; ++slot) before.push_back(state_of(f, slot));
    schedule->participants(round, participants);
    f.round();
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
      seen.is_kept = seen.is_kept || !before[slot].empty();
      if (state_of(f, slot) == before[slot]) continue;
      const bool is_here = std::ranges::find(participants, slot) != participants.end();
      (is_here ? seen.moves_here : seen.moves_elsewhere) = true;
    }
  }
  return seen;
}

// What the parts of a plan declare in total: the moves of those parts that have state.
struct Declared {
  StateMoves work, memory;
  bool has(StateMoves::When when) const { return work == when || memory == when; }
};

Declared declared(const Plan& plan) {
  return {plan.takes_steps() ? row(solvers(), plan.method.steps.solver).make.moves
                             : plan.estimator.moves,
          plan.memory->traits.moves};
}

// Read as a file, where a key that a method does not read is no error. Messages of one coordinate
// leave something for memories to store; under a narrow bound all snapshots of SVRG would be alike.
std::string experiment(const char* method, const char* memory, const char* solver, bool is_scaled,
                       bool is_partial) {
  return fmt::format(
      R"(
method = "{}"
clients = 4
rounds = 10
memory.kind = "{}"
[data]
rows = 60
features = 15
nonzeros = 4
[local]
batch = 5
snapshot_probability = 0.9
{}
[participation]
{}
[bound]
threshold = 50
[privacy]
sigma = 0.05
[compressor]
kind = "rand-k"
k = 1
{}
[shift]
step = 0.5
)",
      method, memory, *solver == 0 ? "" : fmt::format("solver = \"{}\"", solver),
      is_partial ? "kind = \"fixed-size\"\nsize = 2" : "", is_scaled ? "" : "scaled = false");
}

// Returns nothing if the settings are refused, a clock decides who takes part, or a method does not
// read the memory or the solver, so that the experiment equals that of another row.
std::unique_ptr<Federation> federation(const std::string& toml, std::string_view memory,
                                       std::string_view solver) {
  try {
    const Plan plan = read_plan(Settings::from_text(toml, "test.toml"));
    if (plan.clock || plan.method.steps.solver != solver || plan.method.memory != memory)
      return nullptr;
    return std::make_unique<Federation>(toml);
  } catch (const UserError&) {
    return nullptr;
  }
}

// Visits all accepted experiments, one at a time.
template <class Visit>
void each_experiment(Visit visit) {
  std::vector<std::string> solver_names = names(solvers());
  solver_names.emplace_back("");
  for (const auto& method : methods())
    for (const auto& memory : memories())
      for (const auto& solver : solver_names)
        for (const bool is_scaled : {true, false})
          for (const bool is_partial : {true, false}) {
            const std::string toml =
                experiment(method.name, memory.name, solver.c_str(), is_scaled, is_partial);
            const auto f = federation(toml, memory.name, solver);
            if (f != nullptr) visit(*f, toml);
          }
}

TEST(ClientState, MovesWhenItsPartsSay) {
  std::map<std::string, int> partly;  // experiments with partial participation, by what moves
  int tried = 0;
  each_experiment([&](Federation& f, const std::string& toml) {
    ++tried;
    const Declared parts = declared(f.plan);
    const Seen seen = watch(f, 5);
    const bool is_partial = f.plan.schedule->draw() != Draw::everyone;
    EXPECT_EQ(seen.is_kept, parts.work != StateMoves::never || parts.memory != StateMoves::never)
        << toml;
    if (is_partial) {
      EXPECT_EQ(seen.moves_elsewhere, parts.has(StateMoves::in_every_round)) << toml;
    }
    if (!parts.has(StateMoves::with_participation)) return;
    // Without compression a memory has nothing to store.
    const bool must_move =
        parts.work == StateMoves::with_participation || f.plan.compressor->traits().omega != 0;
    EXPECT_TRUE(seen.moves_here || !must_move) << toml;
    if (is_partial)
      ++partly[parts.memory == StateMoves::never ? f.plan.method.steps.solver
                                                 : f.plan.method.memory];
  });
  EXPECT_GT(tried, 60);
  for (const char* kind : {"personal-gd", "additive-sgd", "scaffold-gd", "residual"})
    EXPECT_GT(partly[kind], 0) << kind;
}

}  // namespace trilemma::client_state_test
