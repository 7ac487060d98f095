#pragma once
// Memories at both ends of the link: shifts of what is sent, and errors of what is bounded. The
// shift of [SOT] algorithm 2: a client sends C(g - s_i) and both ends learn the same reference, s_i
// += gamma v_i, s += gamma mean(v_i).

#include <memory>

#include "compress/compressor.hpp"
#include "core/state.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {

/// The clients' side, for the clients hosted by one process (addressed by slot).
class ClientMemory {
 public:
  virtual ~ClientMemory() = default;
  /// r = p - s at the coordinates of p.
  virtual void subtract(std::size_t slot, const Released& p) const = 0;
  /// The reverse of that in double, for who reads what is sent: values += s at these coordinates.
  virtual void add(std::size_t slot, Support at, std::span<double> values) const = 0;
  /// Takes in the vector that the client has sent.
  virtual void absorb(std::size_t slot, const SparseView& sent) = 0;
  /// What a restart must find again of one client.
  virtual void persist(std::size_t slot, State& state) = 0;
};

/// The server's side.
class ServerMemory {
 public:
  virtual ~ServerMemory() = default;
  /// Turns the mean of the received vectors into the update direction and takes the mean in.
  virtual void restore(std::span<double> mean) = 0;
  /// What a restart must find again.
  virtual void persist(State& state) = 0;
};

/// Nothing is remembered.
std::unique_ptr<ClientMemory> make_zero_client_memory();
std::unique_ptr<ServerMemory> make_zero_server_memory();

/// Shifts with step gamma, starting at 0.
std::unique_ptr<ClientMemory> make_shift_client_memory(std::size_t slots, std::size_t dimension,
                                                       double gamma);
std::unique_ptr<ServerMemory> make_shift_server_memory(std::size_t dimension, double gamma);

/// Error memories, before the bound ([NEC] algorithm 1, after EF21): every client, taking part or
/// not, keeps v_i and bounds the difference of its update to it.
class ErrorMemory {
 public:
  virtual ~ErrorMemory() = default;
  /// u -= v.
  virtual void subtract(std::size_t slot, View u) const = 0;
  /// Takes in what the bound has left.
  virtual void absorb(std::size_t slot, const Bounded& bounded) = 0;
  /// True where clients remember even in rounds in which they send nothing.
  virtual bool works_without_sending() const = 0;
  /// What a restart must find again of one client.
  virtual void persist(std::size_t slot, State& state) = 0;
};
std::unique_ptr<ErrorMemory> make_zero_error_memory();
/// v += beta * bounded, starting at 0; the server's end is make_error_server_memory.
std::unique_ptr<ErrorMemory> make_error_memory(std::size_t slots, std::size_t dimension,
                                               double beta);
/// vhat += beta * mean, and vhat is the direction.
std::unique_ptr<ServerMemory> make_error_server_memory(std::size_t dimension, double beta);

/// The theory's shift step sqrt((1 + 2 omega) / (2 (1 + omega)^3)) ([SOT] theorem 1).
double theory_shift_step(double omega);

}  // namespace trilemma
