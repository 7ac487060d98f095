#pragma once
// What a run promises about privacy, as values: the attributes `claim_status` and `dp_claim`.

#include <optional>
#include <string_view>

namespace trilemma {

/// Whether a run is private as it says.
enum class ClaimStatus {
  holds,         ///< an accountant covers what runs, or nothing leaves a client
  nominal_only,  ///< a published formula says so, and the accountant finds more
  not_private,   ///< no theorem covers what runs, or its noise is missing
};

/// What a claim rests on.
enum class DpClaim {
  none,                ///< not private
  paper_nominal_only,  ///< a published formula
  nothing_released,    ///< nothing leaves a client
  accounted,           ///< an accountant
};

/// Returns the value in the run file: "holds", "accounted", ...
const char* name(ClaimStatus status);
const char* name(DpClaim claim);

/// Returns the status with this name; nothing if there is none.
std::optional<ClaimStatus> claim_status_named(std::string_view name);

/// Returns the status of a claim that rests on `claim`.
ClaimStatus status_of(DpClaim claim);

}  // namespace trilemma
