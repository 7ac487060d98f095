// Checks of columns that follow from the configuration and its seed alone.

#include <algorithm>
#include <cmath>

#include "experiment/budget.hpp"
#include "federation/node_side.hpp"
#include "run/contacts.hpp"
#include "run/file_check.hpp"

namespace trilemma {
namespace {

// A range of possible values.
struct Range {
  double least = 0, most = 0;
};

// Events of each round.
struct Rounds {
  std::vector<Range> participants, receivers;
  std::vector<TimedStep> server_steps;  ///< for a method on a clock, if known
};

// Bits of one message to or from a client.
struct Bits {
  Range model, payload;
};

Range exactly(double value) { return {value, value}; }

Range draws_of(const FileCheck& check, Schedule& schedule, std::uint32_t round,
               std::vector<std::uint32_t>& room) {
  const Plan& plan = check.plan;
  const Draw draw = plan.schedule->draw();
  if (draw == Draw::everyone || draw == Draw::fixed_size) return exactly(plan.schedule->expected());
  if (plan.draws_secretly()) return {0, static_cast<double>(plan.clients)};
  schedule.participants(round, room);
  return exactly(static_cast<double>(room.size()));
}

Rounds synchronous_rounds(const FileCheck& check) {
  const Plan& plan = check.plan;
  Rounds out;
  const auto schedule = plan.schedule.make();
  std::vector<std::uint32_t> room;
  const bool is_for_all = plan.reaches_everyone();
  for (std::uint32_t round = 0; round + 1 < check.rows; ++round) {
    out.participants.push_back(draws_of(check, *schedule, round, room));
    out.receivers.push_back(is_for_all ? exactly(static_cast<double>(plan.clients))
                                       : out.participants.back());
  }
  return out;
}

// On a clock each contact is a message, and its client receives the next model.
void add_server_steps(Rounds& out, std::uint64_t handed_out) {
  for (std::size_t step = 0; step < out.server_steps.size(); ++step) {
    const auto contacts = static_cast<double>(out.server_steps[step].contacts.size());
    out.participants.push_back(exactly(contacts));
    out.receivers.push_back(exactly(contacts + (step == 0 ? static_cast<double>(handed_out) : 0)));
  }
}

Rounds timed_rounds(const FileCheck& check) {
  Rounds out;
  const auto clock = check.plan.clock.make();
  const std::uint64_t handed_out = clock->handed_out();
  out.server_steps.resize(check.rows - 1);
  for (TimedStep& server_step : out.server_steps) clock->next(server_step);
  add_server_steps(out, handed_out);
  return out;
}

// In real time the contacts come from the record, unless the run is a replay, whose contacts are
// those of another file.
Rounds real_rounds(FileCheck& check) {
  Rounds out;
  if (check.is_replay) {
    const Range any{0, static_cast<double>(check.plan.clients)};
    out.participants.assign(check.rows - 1, any);
    out.receivers.assign(check.rows - 1, {0, no_limit});
    return out;
  }
  const ContactLog log = read_contacts_of(check.file);
  const auto problems = contact_problems(log, check.plan, check.rows - 1);
  for (const auto& problem : problems) check.report(problem);
  if (!problems.empty()) return {};
  out.server_steps = server_steps_of(log, check.rows - 1);
  add_server_steps(out, handed_out_by(check.plan));
  return out;
}

// Integers below 2^53 are compared exactly.
std::optional<Difference> increment_problem(double value, double before, const Range& more) {
  return outside_of(value, before + more.least, before + more.most, 1e-15);
}

void check_increments(FileCheck& check, const std::string& name, const std::vector<Range>& rounds,
                      const Range& each) {
  if (!check.has(name)) return;
  const ColumnValues values = check.column(name);
  check.check_rows(name, values.size(), [&](std::size_t row) -> std::optional<Difference> {
    if (row == 0) return outside_of(values[0], 0, 0);
    if (row > rounds.size()) return {};
    const Range& clients = rounds[row - 1];
    const Range more{clients.least * each.least, clients.most * each.most};
    return increment_problem(values[row], values[row - 1], more);
  });
}

// If message sizes vary, each coordinate takes at most a value and an index of 64 bits.
Bits bits_of(const Layout& layout, double bits_per_value) {
  const double model = std::floor(layout.model_bits(bits_per_value, layout.count));
  if (layout.is_equal()) return {exactly(model), exactly(static_cast<double>(layout.most_bits()))};
  const double most = 128 * static_cast<double>(layout.dimension + layout.scalars + 1);
  return {{0, model}, {0, most}};
}

// Returns the bits of an uncompressed model, or of the scalars that are sent instead.
Bits plain_bits(const FileCheck& check) {
  const auto values = static_cast<double>(check.plan.values_down());
  return {exactly(std::floor(check.plan.model_bits_per_value * values)),
          exactly(values * check.real_bits)};
}

void check_bits(FileCheck& check, const Rounds& rounds) {
  const Plan& plan = check.plan;
  const bool sends = plan.shape().up > 0;
  const Bits up = sends ? bits_of(plan.compressor->layout(), plan.model_bits_per_value) : Bits{};
  const double messages = sends ? static_cast<double>(plan.messages()) : 0;
  const auto all = [&](const Range& each) {
    return Range{messages * each.least, messages * each.most};
  };
  check_increments(check, "rounds/messages", rounds.participants, exactly(messages));
  check_increments(check, "rounds/bits_up_model", rounds.participants, all(up.model));
  check_increments(check, "rounds/bits_up_payload", rounds.participants, all(up.payload));
  const Bits down = plan.down_compressor
                        ? bits_of(plan.down_compressor->layout(), plan.model_bits_per_value)
                        : plain_bits(check);
  check_increments(check, "rounds/bits_down_model", rounds.receivers, down.model);
  check_increments(check, "rounds/bits_down_payload", rounds.receivers, down.payload);
}

// Checks the bits between nodes: each message counts once for every neighbour of its sender, and in
// /mpi for every rank to which it goes, in runs whose starts all had the same number of ranks.
void check_edges(FileCheck& check) {
  const Plan& plan = check.plan;
  if (!plan.is_decentralised()) return;
  const Bits message = bits_of(plan.compressor->layout(), plan.model_bits_per_value);
  const auto messages = static_cast<double>(plan.messages());
  const double directed = 2 * messages * static_cast<double>(plan.graph->edges());
  const std::vector<Range> rounds(check.rows - 1, exactly(directed));
  check_increments(check, "rounds/bits_edges_model", rounds, message.model);
  check_increments(check, "rounds/bits_edges_payload", rounds, message.payload);
  const bool are_alike =
      std::ranges::all_of(check.ranks, [&](double ranks) { return ranks == check.ranks.front(); });
  if (!are_alike || check.ranks.empty() || plan.hosts_by_records) return;
  const Placement place{.size = static_cast<int>(check.ranks.front()),
                        .clients = static_cast<int>(plan.clients),
                        .server_hosts = true};
  const double copies = messages * static_cast<double>(copies_in_a_step(plan, place));
  constexpr double bits_of_an_end = 64;
  const Layout& layout = plan.compressor->layout();
  const Range sent = layout.is_equal()
                         ? exactly(8 * static_cast<double>(layout.bytes()))
                         : Range{bits_of_an_end, message.payload.most + 8 + bits_of_an_end};
  check_increments(check, "mpi/bits_neighbours",
                   std::vector<Range>(check.rows - 1, exactly(copies)), sent);
}

// Returns the largest number of records that a client can draw for one message.
double most_drawn(const FileCheck& check) {
  const Plan& plan = check.plan;
  const double records = std::max(check.run.records_most, 1.0);
  if (!plan.takes_steps()) return records;
  const LocalSteps& steps = plan.method.steps;
  const double batches =
      steps.counts_epochs ? std::ceil(records / static_cast<double>(std::max(1L, plan.batch))) : 1;
  return records * static_cast<double>(std::max(1L, steps.count)) * (steps.is_pass ? 1 : batches);
}

// Clients that do not send may still do local work.
void check_drawn(FileCheck& check, const Rounds& rounds) {
  if (check.plan.policy) return;  // work is counted when it is done, not when it is sent
  std::vector<Range> workers = rounds.participants;
  if (check.plan.memory->traits.works_without_sending)
    for (Range& range : workers) range = exactly(static_cast<double>(check.plan.clients));
  check_increments(check, "rounds/batch_records", workers, {0, most_drawn(check)});
}

void check_server_steps(FileCheck& check, const std::vector<TimedStep>& server_steps) {
  const char* time_name = check.plan.policy ? "rounds/real_time" : "rounds/simulated_time";
  const ColumnValues time = check.column(time_name);
  const ColumnValues steps = check.column("rounds/local_steps");
  const ColumnValues contacts = check.column("rounds/contacts");
  const ColumnValues staleness = check.column("rounds/staleness");
  const ColumnValues oldest = check.column("rounds/staleness_most");
  double steps_so_far = 0;
  double contacts_so_far = 0;
  const auto each = [&](const std::string& name, const ColumnValues& values, const auto& follows) {
    check.check_rows(name, values.size(), [&](std::size_t row) -> std::optional<Difference> {
      const double expected = row == 0 ? follows(nullptr, 0) : follows(&server_steps[row - 1], row);
      if (same_number(values[row], expected)) return {};
      return wrong(Mismatch::configuration, values[row], expected);
    });
  };
  each(time_name, time, [](const TimedStep* m, std::size_t) { return m == nullptr ? 0 : m->time; });
  each("rounds/contacts", contacts, [&](const TimedStep* m, std::size_t) {
    return contacts_so_far += m == nullptr ? 0 : static_cast<double>(m->contacts.size());
  });
  each("rounds/local_steps", steps, [&](const TimedStep* m, std::size_t) {
    if (m != nullptr)
      for (const Contact& contact : m->contacts) steps_so_far += contact.steps;
    return steps_so_far;
  });
  each("rounds/staleness", staleness, [](const TimedStep* m, std::size_t row) {
    if (m == nullptr || m->contacts.empty()) return no_number;
    double sum = 0;
    for (const Contact& contact : m->contacts)
      sum += static_cast<double>(row - 1) - static_cast<double>(contact.base);
    return sum / static_cast<double>(m->contacts.size());
  });
  each("rounds/staleness_most", oldest, [](const TimedStep* m, std::size_t row) {
    if (m == nullptr || m->contacts.empty()) return no_number;
    std::uint32_t start = m->contacts.front().base;
    for (const Contact& contact : m->contacts) start = std::min(start, contact.base);
    return static_cast<double>(row - 1) - static_cast<double>(start);
  });
}

// Checks how often clients have been contacted, in evaluated rows.
void check_contacts_by_client(FileCheck& check, const std::vector<TimedStep>& server_steps) {
  const ColumnValues least = check.column("rounds/contacts_least");
  const ColumnValues most = check.column("rounds/contacts_most");
  const auto each = [&](const std::string& name, const ColumnValues& values, bool is_least) {
    std::vector<std::uint32_t> met(static_cast<std::size_t>(check.plan.clients), 0);
    check.check_rows(name, values.size(), [&](std::size_t row) -> std::optional<Difference> {
      if (row > 0)
        for (const Contact& contact : server_steps[row - 1].contacts) ++met[contact.client];
      if (std::isnan(values[row])) return {};
      const double follows = is_least ? *std::min_element(met.begin(), met.end())
                                      : *std::max_element(met.begin(), met.end());
      if (values[row] == follows) return {};
      return wrong(Mismatch::configuration, values[row], follows);
    });
  };
  each("rounds/contacts_least", least, true);
  each("rounds/contacts_most", most, false);
}

// Checks the models that rank 0 hands to MPI, one for each other rank, in runs whose starts all had
// the same number of ranks.
void check_mpi(FileCheck& check) {
  const Plan& plan = check.plan;
  const bool is_one = std::ranges::all_of(check.ranks, [](double ranks) { return ranks == 1; });
  const bool is_alike =
      std::ranges::all_of(check.ranks, [&](double ranks) { return ranks == check.ranks.front(); });
  const std::vector<Range> rounds(check.rows - 1, exactly(1));
  if (is_one && check.run.simulation.empty())
    for (const char* name : {"mpi/bits_up", "mpi/bits_down", "mpi/bits_up_between_nodes"})
      check_increments(check, name, rounds, {});
  else if (is_alike && !plan.down_compressor && !plan.policy)
    check_increments(check, "mpi/bits_down", rounds,
                     exactly((check.ranks.front() - 1) * static_cast<double>(plan.values_down()) *
                             check.real_bits));
}

}  // namespace

void check_foreseen(FileCheck& check) {
  if (check.rows == 0 || check.rows > static_cast<std::size_t>(check.plan.rounds) + 1) return;
  const Rounds rounds = check.plan.policy  ? real_rounds(check)
                        : check.plan.clock ? timed_rounds(check)
                                           : synchronous_rounds(check);
  check_mpi(check);
  if (rounds.participants.size() + 1 != check.rows) return;
  check_bits(check, rounds);
  check_edges(check);
  check_drawn(check, rounds);
  if (rounds.server_steps.empty()) return;
  check_server_steps(check, rounds.server_steps);
  check_contacts_by_client(check, rounds.server_steps);
}

}  // namespace trilemma
