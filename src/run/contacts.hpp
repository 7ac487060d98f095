#pragma once

#include "record/contact_log.hpp"
#include "schedule/contact.hpp"

namespace trilemma {

/// Returns the contacts of server steps as one list; meetings_of() is the inverse, for `rounds`
/// server steps.
ContactLog contacts_of(std::span<const TimedStep> server_steps);
std::vector<TimedStep> server_steps_of(const ContactLog& log, std::uint64_t rounds);

}  // namespace trilemma
