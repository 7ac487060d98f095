#pragma once

#include "comm/placement.hpp"
#include "experiment/assembly.hpp"
#include "experiment/claim.hpp"
#include "experiment/commands.hpp"
#include "record/run_file.hpp"

namespace trilemma {

/// Where data files are looked for: --data-dir, else $TRILEMMA_DATA_DIR, else data.
std::string data_folder(const std::string& given);

/// What must be the same on all ranks, for same_everywhere().
std::string shape_and_settings(const Plan& plan);

/// Where the records come from and what was done to them, in words.
std::string records_in_words(const Plan& plan, const std::string& scaling);

/// The noise of a run of standard deviation `sigma` per coordinate, and who adds it.
std::string noise_in_words(const Plan& plan, double sigma);

/// What the run file says of a run before its first round; `hosts` has one line per rank.
RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const std::vector<std::string>& hosts,
                     const RunOptions& options);

}  // namespace trilemma
