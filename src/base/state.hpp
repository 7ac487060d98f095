#pragma once
// Serialisation of the state that a part keeps across a restart.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/check.hpp"
#include "base/types.hpp"

namespace trilemma {

/// Visits the state of a part: appends it to bytes, or sets it from bytes written that way. A part
/// lists its members once for both directions, so that the two cannot diverge. The bytes are those
/// of this machine and program; whoever stores them must check the width of `real`.
class State {
 public:
  /// Returns a visitor that appends values to `out`.
  static State saving(Bytes& out) { return {&out, {}}; }
  /// Returns a visitor that restores from `in`. Throws LibraryError where the bytes do not match
  /// the requested values.
  static State restoring(std::span<const std::byte> in) { return {nullptr, in}; }

  /// Returns whether values are restored.
  bool restores() const { return out_ == nullptr; }

  /// Saves or restores a single value.
  template <class T>
  void value(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof(T));
  }

  /// Saves or restores a vector. A vector that is empty before it is restored gets the saved
  /// length; any other has a length given by the settings, which the saved length must equal.
  template <class Container>
  void values(Container& container) {
    using T = typename Container::value_type;
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t count = container.size();
    value(count);
    if (out_ == nullptr) {
      check(count <= in_.size() / sizeof(T));
      check(container.empty() || count == container.size());
      container.resize(static_cast<std::size_t>(count));
    }
    bytes(container.data(), container.size() * sizeof(T));
  }

  /// Ends restoring. Throws LibraryError if bytes are left.
  void finish() const { check(in_.empty()); }

 private:
  State(Bytes* out, std::span<const std::byte> in) : out_(out), in_(in) {}

  static void check(bool good) {
    if (!good) throw LibraryError("the saved state does not fit this program");
  }

  void bytes(void* data, std::size_t size) {
    if (size == 0) return;
    if (out_ != nullptr) {
      const auto* from = static_cast<const std::byte*>(data);
      out_->insert(out_->end(), from, from + size);
      return;
    }
    check(size <= in_.size());
    std::memcpy(data, in_.data(), size);
    in_ = in_.subspan(size);
  }

  Bytes* out_;
  std::span<const std::byte> in_;
};

/// When the state that a part stores for a client changes. State that changes only in rounds in
/// which its client participates depends on the draws of participants, so not every theorem covers
/// such draws in combination with it (claim/theorems.cpp). It has no default: a part that does not
/// declare it does not compile.
class StateMoves {
 public:
  enum When : std::uint8_t {
    never,           ///< no state is kept from round to round
    in_every_round,  ///< in every round, for any participants, from what all clients have received
    with_participation  ///< only in rounds in which the client participates
  };
  constexpr StateMoves(When when) : when_(when) {}   // NOLINT: reads well in tables
  constexpr operator When() const { return when_; }  // NOLINT: compares as the plain value

 private:
  When when_;
};

}  // namespace trilemma
