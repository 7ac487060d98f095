#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trilemma {

/// A view of encoded messages that follow each other in memory.
class Packets {
 public:
  Packets() = default;
  /// Returns a view of messages of `each` bytes.
  static Packets equal(std::span<const std::byte> bytes, std::size_t each) {
    return {bytes, each, {}, false};
  }
  /// Returns a view of messages of varying size; message i ends before byte ends[i].
  static Packets varying(std::span<const std::byte> bytes, std::span<const std::uint64_t> ends) {
    return {bytes, 0, ends, true};
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  bool varies() const { return varies_; }
  /// Returns the size of every message in bytes, if sizes do not vary.
  std::size_t each() const { return each_; }
  /// Returns the ends of the messages, if sizes vary.
  std::span<const std::uint64_t> ends() const { return ends_; }
  /// Returns the number of messages; 0 if they have no bytes.
  std::size_t count() const {
    if (varies_) return ends_.size();
    return each_ == 0 ? 0 : bytes_.size() / each_;
  }
  /// Returns message i.
  std::span<const std::byte> operator[](std::size_t i) const {
    if (!varies_) return bytes_.subspan(i * each_, each_);
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends_[i - 1]);
    return bytes_.subspan(begin, static_cast<std::size_t>(ends_[i]) - begin);
  }

 private:
  Packets(std::span<const std::byte> bytes, std::size_t each, std::span<const std::uint64_t> ends,
          bool varies)
      : bytes_(bytes), each_(each), ends_(ends), varies_(varies) {}

  std::span<const std::byte> bytes_;
  std::size_t each_ = 0;
  std::span<const std::uint64_t> ends_;
  bool varies_ = false;
};

}  // namespace trilemma
