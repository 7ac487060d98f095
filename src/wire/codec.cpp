#include <bit>
#include <cstring>

#include "core/check.hpp"
#include "wire/layout.hpp"

namespace trilemma {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> out) : out_(out) {}

  void put(std::uint64_t field, unsigned bits) {
    for (unsigned done = 0; done < bits;) {
      const auto room = static_cast<unsigned>(8 - at_ % 8);
      const unsigned take = std::min(room, bits - done);
      const auto part = (field >> done) & ((1U << take) - 1U);
      out_[at_ / 8] |= static_cast<std::byte>(part << (at_ % 8));
      at_ += take;
      done += take;
    }
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> in) : in_(in) {}

  std::uint64_t get(unsigned bits) {
    std::uint64_t field = 0;
    for (unsigned done = 0; done < bits;) {
      const auto room = static_cast<unsigned>(8 - at_ % 8);
      const unsigned take = std::min(room, bits - done);
      const auto byte = std::to_integer<std::uint64_t>(in_[at_ / 8]);
      field |= ((byte >> (at_ % 8)) & ((1U << take) - 1U)) << done;
      at_ += take;
      done += take;
    }
    return field;
  }

 private:
  std::span<const std::byte> in_;
  std::size_t at_ = 0;
};

std::uint64_t value_bits(ValueFormat format, real value) {
  return format == ValueFormat::float32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                        : std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

real value_of(ValueFormat format, std::uint64_t bits) {
  return format == ValueFormat::float32
             ? static_cast<real>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
             : static_cast<real>(std::bit_cast<double>(bits));
}

// Messages of bare values are the common case and need no bit packing.
bool bare(const Layout& layout) {
  return layout.index != IndexCode::explicit_ && layout.scalars == 0 && layout.level_bits == 0;
}

template <class Wire>
void copy_out(const Vector& values, std::span<std::byte> out) {
  if constexpr (std::is_same_v<Wire, real>) {
    if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Wire wire = static_cast<Wire>(values[i]);
      std::memcpy(out.data() + i * sizeof(Wire), &wire, sizeof(Wire));
    }
  }
}

template <class Wire>
void copy_in(std::span<const std::byte> bytes, Vector& values) {
  if constexpr (std::is_same_v<Wire, real>) {
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Wire wire;
      std::memcpy(&wire, bytes.data() + i * sizeof(Wire), sizeof(Wire));
      values[i] = static_cast<real>(wire);
    }
  }
}

}  // namespace

unsigned Layout::index_bits() const {
  return dimension <= 2 ? 1U : static_cast<unsigned>(std::bit_width(dimension - 1));
}

unsigned Layout::entry_bits() const {
  const unsigned entry = level_bits > 0 ? level_bits : bits_of(value);
  return entry + (index == IndexCode::explicit_ ? index_bits() : 0);
}

std::uint64_t Layout::payload_bits(std::size_t entries) const {
  return scalars * std::uint64_t{bits_of(value)} + entries * std::uint64_t{entry_bits()};
}

std::size_t Layout::entries(std::size_t size) const {
  std::size_t found = count;
  if (varies) {
    expect(entry_bits() >= 8, "the size of a message says how many entries it has");
    const std::size_t rest = size - std::min(size, bytes(0));
    found = std::min<std::size_t>(count, 8 * rest / entry_bits());
  }
  if (size != bytes(found))
    throw RunFailure(
        varies
            ? fmt::format("a message of {} bytes arrived, which is the size of none", size)
            : fmt::format("a message of {} bytes arrived where {} were declared", size, bytes()));
  return found;
}

void round_to(ValueFormat format, View values) {
  if (format == ValueFormat::float64) return;
  for (auto& value : values) value = static_cast<real>(static_cast<float>(value));
}

void encode(const Layout& layout, const Message& message, std::span<std::byte> out) {
  expect(layout.varies ? message.entries() <= layout.count : message.entries() == layout.count,
         "encode: wrong number of entries");
  expect(out.size() == layout.bytes(message.entries()), "encode: wrong size of the buffer");
  if (bare(layout)) {
    layout.value == ValueFormat::float32 ? copy_out<float>(message.value, out)
                                         : copy_out<double>(message.value, out);
    return;
  }
  std::fill(out.begin(), out.end(), std::byte{0});
  BitWriter bits(out);
  for (const real value : message.scalar)
    bits.put(value_bits(layout.value, value), bits_of(layout.value));
  if (layout.index == IndexCode::explicit_)
    for (const auto index : message.index) bits.put(index, layout.index_bits());
  if (layout.level_bits > 0)
    for (const auto level : message.level) bits.put(level, layout.level_bits);
  else
    for (const real value : message.value)
      bits.put(value_bits(layout.value, value), bits_of(layout.value));
}

void decode(const Layout& layout, std::span<const std::byte> bytes, Message& message) {
  const std::size_t entries = layout.entries(bytes.size());
  message.scalar.resize(layout.scalars);
  message.index.clear();
  message.level.resize(layout.level_bits > 0 ? entries : 0);
  message.value.resize(layout.level_bits > 0 ? 0 : entries);
  if (bare(layout)) {
    layout.value == ValueFormat::float32 ? copy_in<float>(bytes, message.value)
                                         : copy_in<double>(bytes, message.value);
    return;
  }
  BitReader bits(bytes);
  for (auto& value : message.scalar)
    value = value_of(layout.value, bits.get(bits_of(layout.value)));
  if (layout.index == IndexCode::explicit_) {
    message.index.resize(entries);
    for (auto& index : message.index) {
      index = static_cast<std::uint32_t>(bits.get(layout.index_bits()));
      if (index >= layout.dimension)
        throw RunFailure(
            fmt::format("a message names coordinate {} of {}", index, layout.dimension));
    }
  }
  for (auto& level : message.level) level = static_cast<std::uint32_t>(bits.get(layout.level_bits));
  for (auto& value : message.value) value = value_of(layout.value, bits.get(bits_of(layout.value)));
}

}  // namespace trilemma
