#pragma once
// Choice of vector instructions for kernels. Each kernel is compiled for several instruction sets
// by Google Highway; the widest set that the processor supports is chosen at run time, unless it is
// limited.

#include <string>

namespace trilemma {

/// A vector instruction set and the width of its registers.
struct VectorTarget {
  std::string name;  ///< Highway's name: SSSE3, AVX2, AVX3 (AVX-512), NEON
  unsigned bits;
};

/// Returns the instruction set that kernels currently use.
VectorTarget vector_target();

/// Limits kernels to registers of `bits` bits from now on; 0 = no limit. If no compiled instruction
/// set is that narrow (TRILEMMA_NATIVE), the narrowest one is used. Must not be called while
/// kernels run.
void limit_vectors(unsigned bits);

/// Applies the limit in the environment variable TRILEMMA_VECTOR_BITS, if it is set. Throws
/// UserError unless its value is 128, 256 or 512. Programs call this once at start.
void limit_vectors_by_environment();

}  // namespace trilemma
