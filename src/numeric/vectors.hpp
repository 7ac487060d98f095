#pragma once
// The vector instructions of kernels. Each kernel is compiled for several sets of them, as Google
// Highway has it; the widest that the processor knows is taken at run time, unless it is limited.

#include <string>

namespace trilemma {

/// A set of vector instructions, and the bits of its registers.
struct VectorTarget {
  std::string name;  ///< as Highway calls it: SSSE3, AVX2, AVX3 (AVX-512), NEON
  unsigned bits;
};

/// What kernels use now.
VectorTarget vector_target();

/// From now on kernels use registers of `bits` at most; 0 = no limit. Where the program has nothing
/// that narrow (TRILEMMA_NATIVE), it is the narrowest that there is. Not while kernels run.
void limit_vectors(unsigned bits);

/// Sets the limit that the environment variable TRILEMMA_VECTOR_BITS names, if there is one. Throws
/// UserError unless it is 128, 256 or 512. Programs call it when they start.
void limit_vectors_by_environment();

}  // namespace trilemma
