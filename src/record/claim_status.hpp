#pragma once
// The privacy claim of a run as values: the attributes `claim_status` and `dp_claim`.

#include <optional>
#include <string_view>

namespace trilemma {

/// Whether the privacy claim of a run holds.
enum class ClaimStatus {
  holds,         ///< an accountant covers the run, or nothing leaves a client
  nominal_only,  ///< by a published formula; the accounted epsilon is larger
  not_private,   ///< no theorem covers the run, or its noise is missing
};

/// The basis of a claim.
enum class DpClaim {
  none,                ///< not private
  paper_nominal_only,  ///< a published formula
  nothing_released,    ///< nothing leaves a client
  accounted,           ///< an accountant
};

/// Return the value of the attribute in the run file: "holds", "accounted", ...
const char* name(ClaimStatus status);
const char* name(DpClaim claim);

/// Returns the status called `name`, or nullopt if there is none.
std::optional<ClaimStatus> claim_status_named(std::string_view name);

/// Returns the status of a claim with the basis `claim`.
ClaimStatus status_of(DpClaim claim);

}  // namespace trilemma
