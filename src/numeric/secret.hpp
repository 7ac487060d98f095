#pragma once
// A secret of 256 bits and the random words that follow from it: ChaCha20 (RFC 8439), computed by
// libsodium.

#include <array>

#include "base/state.hpp"

namespace trilemma {

/// Key of a ChaCha20 generator. It cannot be read or printed, leaves its place only into a
/// checkpoint, and is wiped at its end.
class Secret {
 public:
  static constexpr std::size_t size = 32;

  /// Drawn from the operating system.
  Secret();
  /// Given, so that tests can repeat what follows from it.
  explicit Secret(std::span<const std::uint8_t, size> bytes);
  ~Secret();
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  /// Words of the keystream from block `first_block` on, 16 words a block (RFC 8439, 2.3). The
  /// three words of the nonce are the address of the stream; it has 2^32 blocks.
  void keystream(const std::array<std::uint32_t, 3>& nonce, std::uint32_t first_block,
                 std::span<std::uint32_t> out) const;
  /// A resumed run must draw what it would have drawn: other noise for a round that was
  /// released already would be a second release.
  void persist(State& state) { state.value(bytes_); }

 private:
  std::array<std::uint8_t, size> bytes_{};
};

}  // namespace trilemma
