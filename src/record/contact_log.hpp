#pragma once

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

/// Whom the server of a run in real time has met, as in the group /contacts of its run file; a
/// value of every list for each contact, in the order of the server steps.
struct ContactLog {
  std::vector<std::uint64_t> round;   ///< that the contact belongs to, from 1 on
  std::vector<std::uint64_t> client;  ///< ascending within a round
  std::vector<std::uint64_t> number;  ///< of the client's pieces of work
  std::vector<std::uint64_t> start;   ///< server steps behind the model that it worked at
  std::vector<std::uint64_t> steps;   ///< local steps
  std::vector<double> factor, weight, time;

  std::size_t size() const { return round.size(); }
};

void write_contacts(const h5::Group& file, const ContactLog& log);
/// Reads the contacts of an open run file; refuses a list that holds anything but whole numbers
/// below 2^32 (or, in a list of real numbers, anything but numbers), and lists of different
/// lengths.
ContactLog read_contacts_of(const h5::Group& file);
/// Reads them in a process of its own; refuses a file without.
ContactLog read_contacts(const std::string& path);

}  // namespace trilemma
