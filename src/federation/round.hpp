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

/// From where the participants of a round start, where that is not the server's model.
class Starts {
 public:
  virtual ~Starts() = default;
  /// The server's model has reached the clients.
  virtual void received(ConstView model) = 0;
  /// What a participant is given to do, but for its key.
  virtual Task task(std::uint32_t client) const = 0;
  /// Clients that get a model in this round.
  virtual std::uint64_t receivers() const = 0;
  /// What a participant's vector is close to, which its rank and the server know; empty = 0. Valid
  /// until the next call.
  virtual ConstView reference_model(std::uint32_t client) const = 0;
  /// Rank 0: the mean of the clients' vectors is relative to where they started; makes it relative
  /// to x.
  virtual void relate(ConstView x, std::span<double> mean) const = 0;
};

/// One round of a federation: the same for a run, an audit, a test and a benchmark.
class Round {
 public:
  /// All must outlive this; `tap` may be null.
  Round(const Plan& plan, Assembly& parts, Ranks& ranks, UplinkTap* tap = nullptr);

  /// Who takes part, ascending; valid until the next call. Collective.
  Coordinates participants(std::uint32_t round);
  /// From the state after `round` rounds to the next one, which rank 0 has. Every rank works for
  /// the participants in this order, in which those of a rank are side by side and the ranks
  /// ascend. Without `starts` all start at the server's model. Collective.
  void run(std::uint32_t round, Coordinates participants, PhaseTimer& timer,
           Starts* starts = nullptr);
  /// In real time: sends what a hosted client's task has led to, as a message of the round. Not
  /// collective.
  void answer(std::uint32_t round, std::uint32_t client, const Task& task, PhaseTimer& timer);
  /// In real time, on rank 0: takes the server's step when the participants have answered, those of
  /// a rank in the order of their messages, the ranks ascending. So many clients have got a model;
  /// `relate` is as in Starts.
  void take(std::uint32_t round, Coordinates participants, std::uint64_t receivers,
            PhaseTimer& timer, const std::function<void(std::span<double>)>& relate);
  /// What a restart must find again beside the parts, equal on every rank.
  void persist(State& common) { downlink_->persist(common); }

 private:
  ConstView reference_model(std::uint32_t client) const;
  void step(std::uint32_t round, Coordinates participants, std::span<double> sum, PhaseTimer& timer,
            const std::function<void(std::span<double>)>& relate);

  const Plan& plan_;
  Assembly& parts_;
  Ranks& ranks_;
  UplinkTap* tap_;
  BitMetrics metrics_;
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<Downlink> downlink_;
  std::unique_ptr<Schedule> schedule_;
  StateShape shape_;
  Starts* starts_ = nullptr;  ///< of the round that is run
  std::vector<std::uint32_t> participants_;
  Bytes drawn_;  ///< participants on their way to the other ranks
};

}  // namespace trilemma
