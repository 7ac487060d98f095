#include "memory/memory.hpp"

namespace trilemma {

Row<MemoryKind> no_memory() {
  return {"none",
          "nothing is remembered",
          [](Settings&) {},
          {.traits = {.moves = StateMoves::never, .is_free = true}}};
}

}  // namespace trilemma
