#pragma once
// Interface of memories: state that a client and the server keep about previous messages, to
// compensate compression. Each file of this room holds both halves of one memory.

#include <memory>
#include <optional>

#include "base/state.hpp"
#include "compress/compressor.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {

/// The clients' half, for the clients hosted by one process (addressed by slot). The calls are
/// declared in the order of a round; by default each does nothing.
class ClientMemory {
 public:
  virtual ~ClientMemory() = default;
  /// Starts a round; called with its seed and number, which determine its coins, before the first
  /// client.
  virtual void begin_round(std::uint64_t, std::uint32_t) {}
  /// May change the update u of the client in `slot` before it is bounded.
  virtual void before_bound(std::size_t, View) {}
  /// Receives C(bounded): the compressed bounded vector, with the coins of the message and without
  /// the client's noise.
  virtual void take_in_bounded(std::size_t, const SparseView&) {}
  /// May change the released vector, at its coordinates, before it is compressed.
  virtual void before_sending(std::size_t, const Released&) {}
  /// Receives the vector that the client has sent.
  virtual void after_sending(std::size_t, const SparseView&) {}
  /// Reverts before_sending() in double at the given coordinates, for an audit that reads messages.
  virtual void undo(std::size_t, Support, std::span<double>) const {}
  /// Saves or restores the state of one client.
  virtual void persist(std::size_t, State&) {}
};

/// Client half that keeps one vector per client, initially 0.
class VectorOfEachClient : public ClientMemory {
 public:
  /// `step` is the step size of the memory.
  VectorOfEachClient(std::size_t slots, std::size_t dimension, double step)
      : step_(static_cast<real>(step)), vector_(slots, Vector(dimension)) {}
  void persist(std::size_t slot, State& state) final { state.values(vector_[slot]); }

 protected:
  real step_;
  std::vector<Vector> vector_;  ///< by slot
};

/// The server's half.
class ServerMemory {
 public:
  virtual ~ServerMemory() = default;
  /// Replaces the mean of the received vectors by the update direction and updates the state with
  /// it.
  virtual void restore(std::span<double>) {}
  /// Saves or restores the state.
  virtual void persist(State&) {}
};

/// Server half that estimates the mean of the clients' vectors, starting at 0: estimate += step *
/// mean of the messages; the estimate is the update direction.
class EstimateServer : public ServerMemory {
 public:
  EstimateServer(std::size_t dimension, double step) : step_(step), estimate_(dimension) {}
  void restore(std::span<double> mean) final {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = estimate_[j] += step_ * mean[j];
  }
  void persist(State& state) final { state.values(estimate_); }

 private:
  double step_;
  std::vector<double> estimate_;
};

/// Properties of a memory that other stages and claims depend on.
struct MemoryTraits {
  /// When the state that a client's persist() saves changes.
  StateMoves moves;
  /// before_sending() changes the vector: what is sent is not bounded, and only noise added earlier
  /// covers it.
  bool changes_released = false;
  /// Changes vectors before the bound, which must then apply to the whole vector.
  bool needs_client_bound = false;
  /// take_in_bounded() changes the state.
  bool takes_in_bounded = false;
  /// Clients process every model, also in rounds in which they send nothing.
  bool works_without_sending = false;
  /// Both halves agree only if every client sends in every round.
  bool needs_everyone = false;
  /// Remembers the compression residual; vectors must be released as a whole, and a reader of the
  /// messages cannot revert before_sending().
  bool needs_whole_vectors = false;
  /// Compensates the residual of a biased compressor; for an unbiased one with omega >= 1, the step
  /// scales it down to contract.
  bool takes_biased = false;
  /// Remembers only coordinates that were not sent, and nothing that was lost at coordinates that
  /// were sent (CompressorTraits::chooses_coordinates).
  bool remembers_coordinates_only = false;
  /// May be combined with methods that have no memory of their own.
  bool is_free = false;
};

/// A kind of memory: a row of memories().
struct MemoryKind {
  MemoryTraits traits;
  /// Reads the step size, unless the method has chosen it; nullopt = usual_step. Null where there
  /// is no such setting.
  std::optional<double> (*read_step)(Settings& experiment) = nullptr;
  /// Returns the default step size for a compressor with this omega.
  double (*usual_step)(double omega) = [](double) { return 1.0; };
  std::unique_ptr<ClientMemory> (*client)(std::size_t slots, std::size_t dimension, double step) =
      [](std::size_t, std::size_t, double) { return std::make_unique<ClientMemory>(); };
  std::unique_ptr<ServerMemory> (*server)(std::size_t dimension, double step) =
      [](std::size_t, double) { return std::make_unique<ServerMemory>(); };
};

/// Returns `kind` with the given halves, which are constructed from the numbers above.
template <class Client, class Server>
MemoryKind with_halves(MemoryKind kind) {
  kind.client = [](std::size_t slots, std::size_t dimension,
                   double step) -> std::unique_ptr<ClientMemory> {
    return std::make_unique<Client>(slots, dimension, step);
  };
  kind.server = [](std::size_t dimension, double step) -> std::unique_ptr<ServerMemory> {
    return std::make_unique<Server>(dimension, step);
  };
  return kind;
}

/// Returns the table of all memories; the first one remembers nothing.
std::span<const Row<MemoryKind>> memories();

/// Returns the shift step size of the theory, sqrt((1 + 2 omega) / (2 (1 + omega)^3)) ([SOT]
/// theorem 1).
double theory_shift_step(double omega);

}  // namespace trilemma
