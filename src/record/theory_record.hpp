#pragma once
// The bound of a method's theory on the utility of a run: attributes theory_* of the root.

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "record/field.hpp"

namespace trilemma {

/// Whether the theorem states a bound for a run, or why it does not.
enum class BoundStatus {
  holds,
  no_smoothness,     ///< L is not known
  no_suboptimality,  ///< no bound on f(x^0) - min f is known
  step_too_large,    ///< the step size exceeds that of the theorem
  other_bound,       ///< the gradients of single records are not bounded
  other_sampling,    ///< records are not drawn independently of each other
  other_shift_step,  ///< the step of the shifts is not that of the theorem
  compressed_down,   ///< clients do not get the exact model
};
/// Returns the value of the attribute: "holds", "no_smoothness", ...
const char* name(BoundStatus status);
/// Returns the status called `name`, or nullopt if there is none.
std::optional<BoundStatus> bound_status_named(std::string_view name);

/// The attributes. NaN = not known.
struct TheoryRecord {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  BoundStatus status = BoundStatus::no_smoothness;
  double bound = none;          ///< on the mean of the expected squared gradient norms
  double smoothness = none;     ///< L
  double suboptimality = none;  ///< bound on f(x^0) - min f
  double threshold = none;      ///< G
  double beta = none;
  double rate = none;          ///< eta
  double largest_rate = none;  ///< that the theorem allows
};
/// Returns the table of these attributes; only files of methods with a corollary have them.
const Fields<TheoryRecord>& theory_fields();

/// Reads the attributes; nullopt if the file has none, or a status that is unknown to this program.
std::optional<TheoryRecord> read_theory_record(const h5::Object& file);

/// Returns whether the bound holds for a run: the theorem states one, and it is not known that the
/// bound of the gradients shortened any. `largest_norm` as for in_words().
bool is_bounded(const TheoryRecord& record, double largest_norm);

/// Returns the bound, or why there is none, as a sentence. `largest_norm` is the largest norm of a
/// record's gradient after its bound, NaN if it is not known: the theorem is about gradients that
/// the bound leaves as they are.
std::string in_words(const TheoryRecord& record, double largest_norm);

}  // namespace trilemma
