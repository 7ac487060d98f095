#pragma once
// Checks of what a file has before anything of it is read.

#include <functional>

#include "h5/h5.hpp"
#include "h5/library.hpp"

namespace trilemma::h5 {

/// Kind of the values of a type; refuses all but the usual numbers and text.
Kind kind_of(hid_t object, const std::string& name, const Handle& type);
/// Extents of a data set all of whose values are on the disk, except `most_missing` of them.
Extents stored_extents(hid_t dataset, std::uint64_t most_missing);
/// Returns the name of the member, or of the group on the way to it, that is missing; empty if
/// there is none. Refuses every way but hard links: others lead out of the file, or in circles.
std::string missing(hid_t parent, const std::string& name);
/// Refuses a member that is missing.
void check_way(hid_t parent, const std::string& name);
/// Refuses data of other files and filters that are not of this library.
void check_layout(hid_t dataset);
/// Returns `count` texts that `read` reads into a buffer with values of the type that it is given.
std::vector<std::string> texts_of(const Handle& type, std::size_t count,
                                  const std::function<void(hid_t, void*)>& read);
/// Names that `iterate` hands to its callback, sorted; refuses where it fails or finds too many.
std::vector<std::string> sorted_names(
    const std::function<herr_t(std::vector<std::string>&)>& iterate, hid_t object,
    const std::string& problem);
/// Most names of an object, and most texts of an attribute.
inline constexpr std::size_t most_names = 10000;

}  // namespace trilemma::h5
