#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trilemma {

/// Encoded messages, one after the other. Refers to them.
class Packets {
 public:
  Packets() = default;
  /// Of `each` bytes every one.
  static Packets equal(std::span<const std::byte> bytes, std::size_t each) {
    return {bytes, each, {}, false};
  }
  /// Message i ends before byte ends[i].
  static Packets varying(std::span<const std::byte> bytes, std::span<const std::uint64_t> ends) {
    return {bytes, 0, ends, true};
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  bool varies() const { return varies_; }
  /// Bytes of every message, where they do not vary.
  std::size_t each() const { return each_; }
  /// Where messages end, if they vary.
  std::span<const std::uint64_t> ends() const { return ends_; }
  /// Their number; 0 where they have no bytes.
  std::size_t count() const {
    if (varies_) return ends_.size();
    return each_ == 0 ? 0 : bytes_.size() / each_;
  }
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
