#pragma once

#include "h5/h5.hpp"
#include "record/privacy_record.hpp"

namespace trilemma {

/// Reads the record of a run file; `problem` is what keeps it from being checked (a field missing
/// or unknown), empty if nothing.
PrivacyRecord read_privacy(const h5::Group& file, std::string& problem);
/// Writes the group /privacy.
void write_privacy(const h5::Group& file, const PrivacyRecord& record);
/// Sets what is known only at the end.
void write_privacy_end(const h5::Group& file, const PrivacyRecord& record);

}  // namespace trilemma
