#pragma once
// Checks of an object in a file before any of its values is read.

#include <functional>

#include "h5/h5.hpp"
#include "h5/library.hpp"

namespace trilemma::h5 {

/// Returns the kind of values of `type`. Refuses `name` of `object` if the type is neither text nor
/// a number of at most 64 bits.
Kind kind_of(hid_t object, const std::string& name, const Handle& type);
/// Returns the extents of `dataset`. Refuses it if more than `most_missing` values are not on the
/// disk.
Extents stored_extents(hid_t dataset, std::uint64_t most_missing);
/// Returns the first part of the path `name` below `parent` that does not exist; empty if all parts
/// do. Refuses soft and external links, which may lead out of the file or in circles.
std::string missing(hid_t parent, const std::string& name);
/// Returns the name that `name` means in `file` after soft links; refuses links to other files.
std::string followed(hid_t file, std::string name);
/// Return whether a type is that of h5py for numbers of 16 bits, or for booleans.
bool is_half(const Handle& type);
bool is_boolean(const Handle& type);
/// Refuses `name` if it is missing() below `parent`.
void check_way(hid_t parent, const std::string& name);
/// Refuses data in other files, unknown filters, and chunks that are too large.
void check_layout(hid_t dataset);
/// Returns `count` texts of `type`. `read` is called with a type and a buffer for values of it.
std::vector<std::string> texts_of(const Handle& type, std::size_t count,
                                  const std::function<void(hid_t, void*)>& read);
/// Returns the names that `iterate` collects, sorted. Refuses `object` with `problem` if `iterate`
/// fails or finds more than `most_names`.
std::vector<std::string> sorted_names(
    const std::function<herr_t(std::vector<std::string>&)>& iterate, hid_t object,
    const std::string& problem);
/// Limit of the names of an object and of the texts of an attribute.
inline constexpr std::size_t most_names = 10000;

}  // namespace trilemma::h5
