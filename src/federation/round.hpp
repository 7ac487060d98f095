#pragma once
// The round: participants, model down, clients' work, messages up, server step.
//
// Values read and written by each stage, for a model of d values, messages of k values, P
// participants, and minibatches of b records with n entries. If the compressor depends on the
// vector, or with debug.staged, k = d before `compress`:
//
//   model down        rank 0 reads d, every other rank writes d
//   local work        per client: reads b n entries and d, writes d. A sum of gradients that no
//                     part bounds or stores as a whole is correct at k coordinates only; with
//                     debug.staged, the others are NaN
//   memory before     per client, if any: reads 2 d, writes d
//   bound             per client: reads d; writes d if the norm of the update exceeds the bound.
//                     Bounds of records and of estimators are part of the local work instead
//   perturb           per client: reads k, writes k
//   memory, compress  per client: reads 2 k, writes 2 k, with the memory before sending, if any
//   encode            per client: reads k, writes k entries of the wire format
//   exchange          rank 0 receives P k entries
//   decode, sum       writes d sums in double; per message: reads k entries, adds to k sums. All
//                     of this happens twice if the binary exponent of the largest value differs
//                     from that of the last round
//   mean, noise       reads and writes d sums three times
//   server            reads and writes d sums, d of its memory and d of the model

#include "comm/ranks.hpp"
#include "exchange/downlink.hpp"
#include "exchange/uplink.hpp"
#include "experiment/plan.hpp"
#include "federation/assembly.hpp"

namespace trilemma {

/// The round of a federation, in runs, audits, tests and benchmarks.
class Round {
 public:
  /// All arguments must outlive this object; `tap` may be null.
  Round(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap = nullptr);

  /// Returns the participants, ascending; valid until the next call. Collective.
  Coordinates participants(std::uint32_t round);
  /// Takes the federation from the state after `round` rounds to the next one, which rank 0 holds.
  /// All participants start at the server's model. `participants` are grouped by rank, ranks
  /// ascending; every rank works in this order. Collective.
  void run(std::uint32_t round, Coordinates participants, PhaseTimer& timer);

  // The stages of run(), for drivers whose clients start at other models. `inputs` must then have
  // an entry for every participant.

  /// Broadcasts the server's model, and charges it to `receivers` clients. Returns the model as the
  /// clients decode it, valid until the next call. Collective.
  ConstView broadcast(std::uint32_t round, std::uint64_t receivers, PhaseTimer& timer);
  /// Works for the hosted participants; their messages leave at once or in step(), by the uplink.
  /// `model` is the server's model as the clients know it. In real time a rank calls this alone,
  /// and finish() after it.
  void work(std::uint32_t round, Coordinates participants, ConstView model, RoundInputs inputs,
            PhaseTimer& timer);
  /// Ends the hosted clients' round, after their messages have left.
  void finish();
  /// Sums the messages of all participants and takes the server step. Collective, except in real
  /// time: there rank 0 calls it alone after the messages have left, and `participants` of one rank
  /// are in the order in which they were sent.
  void step(std::uint32_t round, Coordinates participants, RoundInputs inputs, PhaseTimer& timer);
  /// Counts the bits of models that rank 0 sent to `receivers` clients one by one, in real time.
  void count_models(std::uint64_t receivers);
  /// Saves or restores the state that is not in the parts; it is equal on every rank.
  void persist(State& common) { downlink_->persist(common); }

 private:
  ConstView reference(std::uint32_t client);
  void require_survivors(std::uint32_t round, Coordinates survivors);

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  UplinkTap* tap_;
  BitMetrics metrics_;
  UplinkChoice choice_;
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<Downlink> downlink_;
  std::unique_ptr<Schedule> schedule_;
  StateShape shape_;
  Outbox no_messages_;
  // State of the current round.
  RoundInputs inputs_;
  const Outbox* own_ =
      nullptr;       ///< messages of the hosted participants between work() and finish()
  ConstView model_;  ///< the model as the hosted clients know it
  std::uint32_t round_ = 0;
  Vector reference_;  ///< scratch memory
  std::vector<std::uint32_t> participants_;
  Bytes drawn_;  ///< drawn participants for the broadcast
};

}  // namespace trilemma
