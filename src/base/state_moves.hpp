#pragma once

#include <cstdint>

namespace trilemma {

/// When the state that a part stores for a client changes. State that changes only in rounds in
/// which its client participates depends on the draws of participants, so not every theorem covers
/// such draws in combination with it (claim/theorems.cpp). It has no default: a part that does not
/// declare it does not compile.
class StateMoves {
 public:
  enum When : std::uint8_t {
    never,           ///< no state is kept from round to round
    in_every_round,  ///< in every round, for any participants, from what all clients have received
    with_participation  ///< only in rounds in which the client participates
  };
  constexpr StateMoves(When when) : when_(when) {}   // NOLINT: reads well in tables
  constexpr operator When() const { return when_; }  // NOLINT: compares as the plain value

 private:
  When when_;
};

}  // namespace trilemma
