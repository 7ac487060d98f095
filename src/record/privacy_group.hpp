#pragma once

#include <optional>
#include <string>

#include "h5/h5.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// What keeps a record from being checked: a field that is missing, or that this program does not
/// know.
struct PrivacyProblem {
  std::string field;  ///< "/privacy/view"
  bool is_missing = true;
};
/// Returns the problem as a sentence.
std::string in_words(const PrivacyProblem& problem);

/// Reads the record of a run file, as far as there is no `problem`.
PrivacyRecord read_privacy(const h5::Group& file, std::optional<PrivacyProblem>& problem);
/// Writes the group /privacy.
void write_privacy(const h5::Group& file, const PrivacyRecord& record);
/// Sets what is known only at the end.
void write_privacy_end(const h5::Group& file, const PrivacyRecord& record);

}  // namespace trilemma
