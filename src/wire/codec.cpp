#include "base/check.hpp"
#include "wire/parts.hpp"

namespace trilemma {
namespace {

// Returns whether messages hold bare float32 or float64 values only: the common case, which needs
// no bit packing.
bool is_bare(const Layout& layout) {
  return (layout.index == IndexCode::all || layout.index == IndexCode::keyed) &&
         layout.scalars == 0 && layout.levels == 0 && bits_of(layout.value) >= 32;
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

unsigned header_bits(const Layout& layout) {
  return layout.has_header() ? bits_for(layout.count + 1) : 0U;
}

std::uint64_t scalar_bits(const Layout& layout) {
  return layout.scalars * std::uint64_t{bits_of(layout.scalar())};
}

// Returns the number of entries, which follows from the layout and, if it varies, from the size.
std::size_t entries_of(const Layout& layout, std::size_t bytes) {
  const std::uint64_t before =
      scalar_bits(layout) + (layout.levels == 0 ? wire::value_header_bits(layout.value) : 0U);
  const std::uint64_t bits = 8 * std::uint64_t{bytes};
  std::size_t found = layout.count;
  if (layout.varies)
    found =
        std::min<std::size_t>(layout.count, (bits - std::min(bits, before)) / layout.entry_bits());
  if (bytes == (before + found * layout.entry_bits() + 7) / 8) return found;
  throw RunFailure(
      layout.varies
          ? fmt::format("a message of {} bytes arrived, which no message of this layout can have",
                        bytes)
          : fmt::format("a message of {} bytes arrived where {} were declared", bytes,
                        layout.bytes()));
}

}  // namespace

bool Layout::has_equal_fields() const {
  const bool indices =
      index == IndexCode::all || index == IndexCode::keyed || index == IndexCode::fixed;
  return indices && (levels == 0 || wire::level_bits(*this) > 0);
}

unsigned Layout::entry_bits() const {
  const unsigned entry = levels > 0 ? wire::level_bits(*this) : bits_of(value);
  return entry + (index == IndexCode::fixed ? std::max(1U, bits_for(dimension)) : 0U);
}

bool Layout::is_equal() const {
  const bool has_equal_indices = index != IndexCode::rice && index != IndexCode::smallest;
  const bool has_equal_levels =
      level != LevelCode::gamma && level != LevelCode::runs && level != LevelCode::rans;
  return !varies && has_equal_indices && (levels == 0 || has_equal_levels);
}

std::uint64_t Layout::most_bits() const {
  expect(is_equal(), "messages of any size have no common one");
  const std::uint64_t number = count;
  std::uint64_t bits = scalar_bits(*this);
  if (index == IndexCode::fixed) bits += number * std::max(1U, bits_for(dimension));
  if (index == IndexCode::bitmap) bits += dimension;
  if (levels == 0) return bits + wire::value_header_bits(value) + number * bits_of(value);
  return bits +
         (level == LevelCode::trits ? wire::trit_bits(count) : number * wire::level_bits(*this));
}

double Layout::model_bits(double value_bits, std::size_t entries) const {
  const auto wide = static_cast<double>(bits_of(value));
  double entry = bits_of(value) < 32 ? std::min(value_bits, wide) : value_bits;
  if (levels > 0 && level == LevelCode::trits) entry = wire::bits_of_a_trit;
  if (levels > 0 && (level == LevelCode::sign || level == LevelCode::words))
    entry = static_cast<double>(wire::level_bits(*this));
  else if (levels > 0 && level != LevelCode::trits)
    entry = static_cast<double>(bits_for(2 * std::uint64_t{levels} + 1));
  return static_cast<double>(scalars) * value_bits + static_cast<double>(entries) * entry;
}

Measure measure(const Layout& layout, const Message& message) {
  expect(layout.varies ? message.entries() <= layout.count : message.entries() == layout.count,
         "encode: wrong number of entries");
  Measure measured;
  if (is_bare(layout)) {
    measured.bits = message.value.size() * std::uint64_t{bits_of(layout.value)};
    return measured;
  }
  measured.bits = header_bits(layout) + scalar_bits(layout);
  wire::measure_indices(layout, message.index, measured);
  measured.bits += layout.levels > 0
                       ? wire::measure_levels(layout, message.level)
                       : wire::value_header_bits(layout.value) +
                             message.value.size() * std::uint64_t{bits_of(layout.value)};
  return measured;
}

void encode(const Layout& layout, const Message& message, const Measure& measured,
            std::span<std::byte> out) {
  expect(out.size() == measured.bytes(), "encode: wrong size of the buffer");
  if (is_bare(layout)) {
    layout.value == ValueFormat::float32 ? copy_out<float>(message.value, out)
                                         : copy_out<double>(message.value, out);
    return;
  }
  BitWriter bits(out);
  bits.put(layout.has_header() ? message.entries() : 0, header_bits(layout));
  wire::put_values(bits, layout.scalar(), message.scalar);
  wire::put_indices(bits, layout, measured, message.index);
  if (layout.levels > 0)
    wire::put_levels(bits, layout, message.level);
  else
    wire::put_values(bits, layout.value, message.value);
  bits.finish();
}

std::uint64_t decode(const Layout& layout, std::span<const std::byte> bytes, Message& message,
                     std::size_t entries) {
  BitReader bits(bytes);
  if (!layout.is_keyed)
    entries = layout.has_header()         ? bits.get(header_bits(layout))
              : layout.has_equal_fields() ? entries_of(layout, bytes.size())
                                          : layout.count;
  if (entries > layout.count) bits.refuse();
  const bool has_indices = layout.index != IndexCode::all && layout.index != IndexCode::keyed;
  message.scalar.resize(layout.scalars);
  message.index.resize(has_indices ? entries : 0);
  message.level.resize(layout.levels > 0 ? entries : 0);
  message.value.resize(layout.levels > 0 ? 0 : entries);
  if (is_bare(layout)) {
    layout.value == ValueFormat::float32 ? copy_in<float>(bytes, message.value)
                                         : copy_in<double>(bytes, message.value);
    return 8 * std::uint64_t{bytes.size()};
  }
  wire::get_values(bits, layout.scalar(), message.scalar);
  wire::get_indices(bits, layout, message.index);
  if (layout.levels > 0)
    wire::get_levels(bits, layout, message.level);
  else
    wire::get_values(bits, layout.value, message.value);
  return bits.finish();
}

ConstView values_in_place(const Layout& layout, std::span<const std::byte> bytes) {
  const bool is_ours =
      layout.value == (sizeof(real) == sizeof(float) ? ValueFormat::float32 : ValueFormat::float64);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(real) == 0;
  if (!is_bare(layout) || layout.index != IndexCode::all || layout.varies || !is_ours ||
      !is_aligned || bytes.size() != layout.count * sizeof(real))
    return {};
  return {reinterpret_cast<const real*>(bytes.data()), layout.count};
}

}  // namespace trilemma
