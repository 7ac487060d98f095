#pragma once
// Letters between rank 0 and the ranks that host clients, in real time.

#include <chrono>
#include <cstring>
#include <span>
#include <thread>

#include "schedule/async_policy.hpp"

namespace trilemma {

/// A letter of rank 0. The values of a model may follow it.
struct Instruction {
  enum class Kind : std::uint32_t {
    begin,  ///< begin `job`, whose start model may follow
    ask,    ///< send the update for `request`; the server's model may follow
    meet,   ///< come to a meeting of all ranks
    alive   ///< nothing to do: rank 0 is alive
  } kind = Kind::meet;
  std::uint32_t step = 0;  ///< server steps taken
  LocalJob job = {};
  Request request = {};
};

/// A letter to rank 0.
struct Event {
  enum class Kind : std::uint32_t {
    done,    ///< `client` has taken all steps of its job
    report,  ///< the update of `client`, of `steps` local steps, was given to the uplink
    met      ///< the sender has come to the meeting
  } kind = Kind::met;
  std::uint32_t client = 0;
  std::uint32_t steps = 0;
};

/// Returns the bytes of a letter.
template <class Letter>
std::span<const std::byte> bytes_of(const Letter& letter) {
  return std::as_bytes(std::span(&letter, 1));
}

/// Returns the letter at the start of `bytes`, which may be longer.
template <class Letter>
Letter letter_in(std::span<const std::byte> bytes) {
  Letter letter;
  std::memcpy(&letter, bytes.data(), sizeof(letter));
  return letter;
}

/// Sleeps for 20 microseconds: a rank without work or letters leaves the processor to others.
inline void back_off() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

}  // namespace trilemma
