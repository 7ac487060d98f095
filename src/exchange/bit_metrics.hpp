#pragma once

#include "core/journal.hpp"

namespace trilemma {

/// A count, in bits, of what travels.
inline Journal::Id declare_bits(Journal& journal, const char* name, const char* description) {
  return journal.declare({name, "bit", description, Made::released, Metric::Kind::count});
}

}  // namespace trilemma
