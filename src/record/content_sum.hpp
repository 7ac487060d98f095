#pragma once
// The checksum of what a run file says, by which damage and later changes are noticed. It is not a
// signature: whoever changes a file on purpose can compute it again.

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

inline constexpr const char* content_sum_attribute = "content_sha256";

/// SHA-256 over attributes and values of the file in a form that does not depend on how HDF5 stores
/// them (docs/run-file.md): the root's attributes but the sum itself, and all groups and data sets
/// of a run file with theirs.
std::string content_sum(const h5::Group& file);

/// What the recorded sum says of a file; `unsummed`: it has none, because its run did not end or
/// was made by an older program.
enum class Content { whole, changed, unsummed };
const char* name(Content content);
Content content_of(const h5::Group& file);
/// The sentence about a file that has changed.
std::string changed_content(const std::string& path);

}  // namespace trilemma
