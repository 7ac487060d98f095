#pragma once
// Memories at both ends of the link: what a client, and the server, keep of what was sent before.
// One file a row holds both halves of an idea.

#include <memory>
#include <optional>

#include "base/state.hpp"
#include "base/state_moves.hpp"
#include "compress/compressor.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {

/// The clients' half, for the clients hosted by one process (addressed by slot). The calls stand in
/// the order of a round; each does nothing unless the memory says otherwise.
class ClientMemory {
 public:
  virtual ~ClientMemory() = default;
  /// Before the first client of a round; both say which coins are its.
  virtual void begin_round(std::uint64_t, std::uint32_t) {}
  /// May change the update u before it is bounded.
  virtual void before_bound(std::size_t, View) {}
  /// Takes in C(bounded): what the compressor leaves of the bounded vector, with the coins of the
  /// message and without the client's noise.
  virtual void take_in_bounded(std::size_t, const SparseView&) {}
  /// May change what is released, at its coordinates, before it is compressed.
  virtual void before_sending(std::size_t, const Released&) {}
  /// The vector that the client has sent.
  virtual void after_sending(std::size_t, const SparseView&) {}
  /// The reverse of before_sending in double, for who reads what is sent, at these coordinates.
  virtual void undo(std::size_t, Support, std::span<double>) const {}
  /// What a restart must find again of one client.
  virtual void persist(std::size_t, State&) {}
};

/// The half of clients that keep one vector each, 0 at the start.
class VectorOfEachClient : public ClientMemory {
 public:
  /// `step` is the memory's.
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
  /// Turns the mean of the received vectors into the update direction and takes the mean in.
  virtual void restore(std::span<double>) {}
  /// What a restart must find again.
  virtual void persist(State&) {}
};

/// The half of a server that estimates the mean of the clients' vectors, starting at 0:
/// estimate += step * mean of the messages, and the estimate is the direction.
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

/// What others must know of a memory.
struct MemoryTraits {
  /// When the state changes that persist() of a client saves.
  StateMoves moves;
  /// before_sending() does something: what is sent is not bounded, and only noise that is already
  /// in it can cover it.
  bool changes_released = false;
  /// It changes vectors before the bound, which must then be of the whole vector.
  bool needs_client_bound = false;
  /// take_in_bounded() does something.
  bool takes_in_bounded = false;
  /// Clients take in every model, also in rounds in which they send nothing.
  bool works_without_sending = false;
  /// Both halves agree only where every client sends in every round.
  bool needs_everyone = false;
  /// It remembers what the compressor leaves out, so vectors are released as a whole, and who reads
  /// what is sent cannot undo what it does.
  bool needs_whole_vectors = false;
  /// What a biased compressor leaves out is not lost; of an unbiased one with omega >= 1 the step
  /// takes the share that contracts.
  bool takes_biased = false;
  /// The memory remembers only coordinates that were not sent, and nothing that was lost of the
  /// coordinates that were sent (CompressorTraits::chooses_coordinates).
  bool remembers_coordinates_only = false;
  /// Methods that have no memory of their own may be run with it.
  bool is_free = false;
};

/// A kind of memory: a row of memories().
struct MemoryKind {
  MemoryTraits traits;
  /// Reads the step, where the method has not chosen it. Without a value, usual_step.
  std::optional<double> (*read_step)(Settings& experiment) = [](Settings&) {
    return std::optional<double>();
  };
  /// For a compressor with this omega.
  double (*usual_step)(double omega) = [](double) { return 1.0; };
  std::unique_ptr<ClientMemory> (*client)(std::size_t slots, std::size_t dimension, double step) =
      [](std::size_t, std::size_t, double) { return std::make_unique<ClientMemory>(); };
  std::unique_ptr<ServerMemory> (*server)(std::size_t dimension, double step) =
      [](std::size_t, double) { return std::make_unique<ServerMemory>(); };
};

/// The kind with these halves, which are made from the numbers above.
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

/// All memories; the first one remembers nothing.
std::span<const Row<MemoryKind>> memories();

/// The theory's shift step sqrt((1 + 2 omega) / (2 (1 + omega)^3)) ([SOT] theorem 1).
double theory_shift_step(double omega);

}  // namespace trilemma
