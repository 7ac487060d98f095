#pragma once

#include "local/local_work.hpp"

namespace trilemma {

/// Full-gradient steps of linear models in the span of the client's records, where these are few;
/// equal to `plain`, which stays for everything else, up to rounding.
std::unique_ptr<LocalWork> in_span(const LocalSetup& setup, std::unique_ptr<LocalWork> plain);

}  // namespace trilemma
