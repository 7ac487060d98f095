#pragma once
// The checksum of what a run file says, by which damage and later changes are noticed. It is not a
// signature: whoever changes a file on purpose can compute it again.

#include <string>

#include "h5/h5_read.hpp"

namespace trilemma {

inline constexpr const char* content_sum_attribute = "content_sha256";

/// SHA-256 over attributes and values of the file in a form that does not depend on how HDF5 stores
/// them (docs/run-file.md): the root's attributes but the sum itself, and all groups and data sets
/// of a run file with theirs.
std::string content_sum(hid_t file);

/// What the recorded sum says of a file; `unsummed`: it has none, because its run did not end or
/// was made by an older program.
enum class Content { whole, changed, unsummed };
const char* name(Content content);
Content content_of(hid_t file);
/// The sentence about a file that has changed.
std::string changed_content(const std::string& path);

/// Sums a run file in a process of its own: a sentence where its content has changed since it was
/// written, or cannot be read; else empty.
std::string check_content(const std::string& path);

}  // namespace trilemma
