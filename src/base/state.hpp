#pragma once
// What a part must keep across a restart, as bytes.

#include <cstring>
#include <type_traits>

#include "base/check.hpp"
#include "base/types.hpp"

namespace trilemma {

/// Walks over the state of a part: appends it to bytes, or sets it from bytes written that way. A
/// part names its members once for both directions, so the two cannot drift apart. The bytes are
/// those of this machine and program; who keeps them checks the width of `real`.
class State {
 public:
  /// Saves: values are appended to `out`.
  static State saving(Bytes& out) { return {&out, {}}; }
  /// Restores from `in`. Throws LibraryError where the bytes do not fit what is asked for.
  static State restoring(std::span<const std::byte> in) { return {nullptr, in}; }

  template <class T>
  void value(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof(T));
  }

  /// A vector; one that is empty before it is restored gets the length that was saved, any other
  /// has its length from the settings, which the saved one must agree with.
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

  /// Ends a restoration: nothing may be left over.
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

}  // namespace trilemma
