#pragma once

#include <cmath>

#include "comm/placement.hpp"
#include "comm/session.hpp"
#include "experiment/claim.hpp"
#include "experiment/plan.hpp"
#include "federation/assembly.hpp"
#include "record/run_file.hpp"
#include "run/machine.hpp"
#include "run/options.hpp"

namespace trilemma {

/// Hosts of the ranks, one element per rank.
struct RankHosts {
  std::vector<std::string> hosts;  ///< names
  std::vector<Processor> processors;
  MachineRecord machine;
  UplinkChoice uplink;
};

/// What is known only where a run is made.
struct RunOrigin {
  const Assembly& parts;
  const Placement& place;
  const RankHosts& ranks;
  const RunOptions& options;
  std::string data_folder, data_files;  ///< the latter as recorded
  std::optional<Simulation> simulation;
};

/// What the attributes of the root and the texts of /environment are derived from: where a run is
/// made all of it, where a file is verified the plan and the claim alone.
struct RunFacts {
  const Plan& plan;
  const Claim& claim;
  double sigma = 0;                          ///< of the noise, where it is added
  long extended_from = 0;                    ///< rounds that the run had before more were added
  unsigned real_bits = 8 * sizeof(real);     ///< bits of a coordinate of the model
  std::string scaling = {}, partition = {};  ///< what was done to the records, in words
  const RunOrigin* origin = nullptr;         ///< nullptr: not known
};

/// The attributes of the root that concern the run. Those compared `exactly` do not need
/// RunFacts::origin.
const Fields<RunFacts>& identity_fields();
/// The texts of /environment, in the same way. A file has an optional one if it is not empty.
const Fields<RunFacts>& environment_fields();

/// What the run file says of a run before its first round. `extended_from`: as in RunFacts.
RunIdentity identify(const Plan& plan, const Assembly& parts, const Claim& claim,
                     const Placement& place, const RankHosts& ranks, const RunOptions& options,
                     long extended_from);

}  // namespace trilemma
