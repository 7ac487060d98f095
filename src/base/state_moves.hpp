#pragma once

#include <cstdint>

namespace trilemma {

/// When the state that a part stores for a client changes. State that changes only in the rounds of
/// its client remembers the draws of participants, so not every theorem covers such draws together
/// with it (claim/theorems.cpp). Has no default: a part that does not declare it does not compile.
class StateMoves {
 public:
  enum When : std::uint8_t {
    never,              ///< no state is kept from round to round
    in_every_round,     ///< whichever clients take part, from what all have received
    with_participation  ///< only in the rounds in which the client takes part
  };
  constexpr StateMoves(When when) : when_(when) {}   // NOLINT: reads well in tables
  constexpr operator When() const { return when_; }  // NOLINT: compares as the plain value

 private:
  When when_;
};

}  // namespace trilemma
