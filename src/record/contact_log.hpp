#pragma once

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

/// The contacts of a run in real time, as in the group /contacts of its run file. Every list has
/// one value for each contact, in the order of the server steps.
struct ContactLog {
  std::vector<std::uint64_t> round;   ///< server step, counted from 1
  std::vector<std::uint64_t> client;  ///< ascending within a server step
  std::vector<std::uint64_t> number;  ///< number of the client's local job
  std::vector<std::uint64_t> start;   ///< base version
  std::vector<std::uint64_t> steps;   ///< local steps behind the update
  std::vector<double> factor, weight, time;

  std::size_t size() const { return round.size(); }
};

/// Writes /contacts, in place of an existing group.
void write_contacts(const h5::Group& file, const ContactLog& log);
/// Reads the contacts of an open run file. Throws h5::FileError for values of integer lists that
/// are not whole numbers below 2^32, and for lists of different lengths.
ContactLog read_contacts_of(const h5::Group& file);
/// Reads the contacts of the run file at `path` in a separate process. Throws UserError if it has
/// none.
ContactLog read_contacts(const std::string& path);

}  // namespace trilemma
