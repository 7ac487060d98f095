#pragma once
// What rank 0 and the ranks that host clients tell each other in real time.

#include <cstring>
#include <span>

#include "schedule/async_policy.hpp"

namespace trilemma {

/// From rank 0; a model may come behind it.
struct Instruction {
  /// `alive` says only that rank 0 is at work.
  enum class Kind : std::uint32_t { begin, ask, meet, alive } kind = Kind::meet;
  std::uint32_t step = 0;  ///< server steps that are done
  LocalJob job = {};       ///< that begins; what is behind the letter is its model, if any
  Request request = {};    ///< to one that is at work; behind it is the server's model, if any
};

/// To rank 0.
struct Event {
  enum class Kind : std::uint32_t { done, report, met } kind = Kind::met;
  std::uint32_t client = 0;
  std::uint32_t steps = 0;  ///< local steps of the report
};

template <class Letter>
std::span<const std::byte> bytes_of(const Letter& letter) {
  return std::as_bytes(std::span(&letter, 1));
}

/// The letter at the front of the bytes.
template <class Letter>
Letter letter_in(std::span<const std::byte> bytes) {
  Letter letter;
  std::memcpy(&letter, bytes.data(), sizeof(letter));
  return letter;
}

}  // namespace trilemma
