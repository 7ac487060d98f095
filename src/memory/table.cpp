#include "memory/memory.hpp"

namespace trilemma {

// One declaration and one row for each kind defined in another file.
Row<MemoryKind> shift_memory();
Row<MemoryKind> ef21_memory();
Row<MemoryKind> error_before_bound_memory();
Row<MemoryKind> error_feedback_memory();
Row<MemoryKind> residual_memory();
Row<MemoryKind> marina_memory();

namespace {

Row<MemoryKind> no_memory() {
  return {"none", "no memory", {.traits = {.moves = StateMoves::never, .is_free = true}}};
}

}  // namespace

std::span<const Row<MemoryKind>> memories() {
  static const Row<MemoryKind> table[] = {
      no_memory(),
      shift_memory(),
      ef21_memory(),
      error_before_bound_memory(),
      error_feedback_memory(),
      residual_memory(),
      marina_memory(),
  };
  return table;
}

}  // namespace trilemma
