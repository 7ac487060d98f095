#pragma once
// The round: who takes part, the model down, what the clients do, messages up, the server's step.
//
// Values read and written by each stage, for a model of d values, messages of k of them, P
// participants, and batches of b records of n entries; where the compressor looks at the vector or
// debug.staged is set, k = d until `compress`:
//
//   model down        rank 0 reads d, every other rank writes d
//   local work        per client: reads b n records and d, writes d; sums of gradients that nobody
//                     bounds or keeps as a whole are right at k, with debug.staged NaN elsewhere
//   memory before     per client, where there is one: reads 2 d, writes d
//   bound             per client: reads d; writes d where the update is longer than the bound;
//                     of records or estimators: nothing, it is part of the local work
//   perturb           per client: reads k, writes k
//   memory, compress  per client: reads 2 k, writes 2 k; the memory before sending, if any
//   encode            per client: reads k, writes k entries of the wire format
//   exchange          rank 0 receives P k entries
//   decode, sum       writes d sums in double; per message: reads k entries, adds to k sums; all
//                     of it twice where the largest value has another binary order than before
//   mean, noise       reads and writes d sums three times
//   server            reads and writes d sums, d of its memory and d of the model

#include "comm/ranks.hpp"
#include "exchange/downlink.hpp"
#include "exchange/uplink.hpp"
#include "federation/assembly.hpp"

namespace trilemma {

/// One round of a federation: the same for a run, an audit, a test and a benchmark.
class Round {
 public:
  /// All must outlive this; `tap` may be null.
  Round(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap = nullptr);

  /// Who takes part, ascending; valid until the next call. Collective.
  Coordinates participants(std::uint32_t round);
  /// Goes from the state after `round` rounds to the next one, which rank 0 has. Every rank works
  /// for the participants in this order, in which those of a rank are side by side and the ranks
  /// ascend. All start at the server's model. Collective.
  void run(std::uint32_t round, Coordinates participants, PhaseTimer& timer);

  // The stages of run(), for drivers whose clients start elsewhere. Those that take inputs need
  // them for every participant.

  /// Sends the server's model to `receivers` clients; returns what the clients have then, valid
  /// until the next call. Collective.
  ConstView broadcast(std::uint32_t round, std::uint64_t receivers, PhaseTimer& timer);
  /// The hosted participants work, and their messages leave or wait for step(). `model` is the
  /// server's model as they know it. In real time a rank calls this by itself, and finish() next.
  void work(std::uint32_t round, Coordinates participants, ConstView model, RoundInputs inputs,
            PhaseTimer& timer);
  /// Ends the hosted clients' round, after their messages have left.
  void finish();
  /// Sums the messages of all participants and takes the server's step. Collective, but in real
  /// time, where rank 0 calls it by itself when the participants' messages have left: those of a
  /// rank are in the order in which they were sent.
  void step(std::uint32_t round, Coordinates participants, RoundInputs inputs, PhaseTimer& timer);
  /// Counts models that rank 0 has sent one by one, in real time, to `receivers` clients.
  void count_models(std::uint64_t receivers);
  /// What a restart must find again beside the parts, equal on every rank.
  void persist(State& common) { downlink_->persist(common); }

 private:
  ConstView reference(std::uint32_t client);

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  UplinkTap* tap_;
  BitMetrics metrics_;
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<Downlink> downlink_;
  std::unique_ptr<Schedule> schedule_;
  StateShape shape_;
  Outbox no_messages_;
  // Of the round under way.
  RoundInputs inputs_;
  const Outbox* own_ = nullptr;  ///< the hosted participants' messages, from work() to finish()
  ConstView model_;              ///< as the hosted clients know it
  std::uint32_t round_ = 0;
  Vector reference_;  ///< scratch
  std::vector<std::uint32_t> participants_;
  Bytes drawn_;  ///< participants on their way to the other ranks
};

}  // namespace trilemma
