#pragma once
// Sources of recorded values. Everything that a run file records declares its provenance;
// experiment/disclosures.cpp decides for each value whether the claim of a run covers it.

#include <cstdint>
#include <initializer_list>

namespace trilemma {

/// What a recorded value may reveal.
enum class Provenance : std::uint8_t {
  released,             ///< settings, and what a mechanism has released: every claim covers it
  environment,          ///< clocks and memory of the machines, and the course of this run
  objective,            ///< private records, without noise: the objective and its gradient
  client_scores,        ///< records that clients hold out, without noise
  test_scores,          ///< test records, which may be private records
  drawn_records,        ///< the minibatches, through the number of records drawn
  updates,              ///< gradients and updates of clients, without noise
  own_models,           ///< models that clients keep for themselves, without noise
  message_sizes,        ///< client updates, through the length of their encoding
  message_values,       ///< client updates, through the traffic of the ranks that sum them
  participant_numbers,  ///< the number of participants of a round
  participants,         ///< the participants, through the ranks where their traffic arises
  labels,               ///< labels of private records, without noise
  incomplete_records,   ///< the number of private records that lack a value
  checksums,            ///< checksums of private records and of their partition
};

inline constexpr Provenance last_provenance = Provenance::checksums;

/// Returns the name in the attribute `provenance` of a column: "released", "drawn_records", ...
constexpr const char* name(Provenance provenance) {
  constexpr const char* names[] = {"released",       "environment",         "objective",
                                   "client_scores",  "test_scores",         "drawn_records",
                                   "updates",        "own_models",          "message_sizes",
                                   "message_values", "participant_numbers", "participants",
                                   "labels",         "incomplete_records",  "checksums"};
  static_assert(sizeof names / sizeof *names == static_cast<unsigned>(last_provenance) + 1U);
  return names[static_cast<unsigned>(provenance)];
}

/// A set of provenances. It has no default, so that a table entry without one does not compile.
class Provenances {
 public:
  Provenances() = delete;                                     // otherwise {} would be the empty set
  constexpr Provenances(Provenance one) : mask_(bit(one)) {}  // NOLINT: reads well in tables
  constexpr Provenances(std::initializer_list<Provenance> several) : mask_(0) {
    for (const Provenance one : several) mask_ |= bit(one);
  }
  static constexpr Provenances none() { return Provenances(std::initializer_list<Provenance>{}); }

  constexpr bool holds(Provenance one) const { return (mask_ & bit(one)) != 0; }
  /// Returns whether the two sets have a provenance in common.
  constexpr bool meets(Provenances other) const { return (mask_ & other.mask_) != 0; }
  constexpr void add(Provenance one) { mask_ |= bit(one); }
  constexpr bool operator==(const Provenances&) const = default;

 private:
  static constexpr std::uint32_t bit(Provenance one) { return 1U << static_cast<unsigned>(one); }
  std::uint32_t mask_;
};

}  // namespace trilemma
