#pragma once
// The checksum of the content of a run file, which reveals damage and later changes. It is not a
// signature: anyone who changes a file on purpose can compute it again.

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

inline constexpr const char* content_sum_attribute = "content_sha256";

/// Returns the SHA-256 over the content of a run file, in a form that does not depend on how HDF5
/// stores it (docs/reference/run-file.md): the attributes of the root except the checksum itself,
/// and all groups and data sets with their attributes.
std::string content_sum(const h5::Group& file);

/// Result of comparing the content of a file with its recorded checksum.
enum class Content {
  whole,    ///< the checksum is right
  changed,  ///< the checksum is wrong
  unsummed  ///< there is no checksum: the run did not end
};
/// Returns "whole", "changed" or "unsummed".
const char* name(Content content);
/// Compares the content of `file` with its recorded checksum.
Content content_of(const h5::Group& file);
/// Returns the message about a file whose content has changed.
std::string changed_content(const std::string& path);

}  // namespace trilemma
