#pragma once

#include "schedule/step_sequence.hpp"
#include "settings/choice.hpp"

namespace trilemma {

/// Returns the server steps of a recorded run, with the contacts and times of the record.
/// `expected` is the expected number of contacts in a server step, `handed_out` the number of
/// models handed out before the first server step.
Choice<StepSequence> recorded_steps(std::vector<TimedStep> server_steps, double expected,
                                    std::uint64_t handed_out);

}  // namespace trilemma
