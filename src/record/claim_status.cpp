#include "record/claim_status.hpp"

namespace trilemma {

const char* name(ClaimStatus status) {
  switch (status) {
    case ClaimStatus::holds:
      return "holds";
    case ClaimStatus::nominal_only:
      return "nominal_only";
    case ClaimStatus::not_private:
      return "not_private";
  }
  return "";
}

const char* name(DpClaim claim) {
  switch (claim) {
    case DpClaim::none:
      return "none";
    case DpClaim::paper_nominal_only:
      return "paper_nominal_only";
    case DpClaim::nothing_released:
      return "nothing_released";
    case DpClaim::accounted:
      return "accounted";
  }
  return "";
}

std::optional<ClaimStatus> claim_status_named(std::string_view wanted) {
  for (const ClaimStatus status :
       {ClaimStatus::holds, ClaimStatus::nominal_only, ClaimStatus::not_private})
    if (wanted == name(status)) return status;
  return {};
}

ClaimStatus status_of(DpClaim claim) {
  switch (claim) {
    case DpClaim::none:
      return ClaimStatus::not_private;
    case DpClaim::paper_nominal_only:
      return ClaimStatus::nominal_only;
    case DpClaim::nothing_released:
    case DpClaim::accounted:
      return ClaimStatus::holds;
  }
  return ClaimStatus::not_private;
}

}  // namespace trilemma
