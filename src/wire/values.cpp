#include <cmath>

#include "wire/half.hpp"
#include "wire/parts.hpp"

namespace trilemma {

unsigned bits_of(ValueFormat format) {
  switch (format) {
    case ValueFormat::float64:
      return 64;
    case ValueFormat::float32:
      return 32;
    case ValueFormat::bfloat16:
    case ValueFormat::float16:
      return 16;
    case ValueFormat::natural:
      return 9;
  }
  return 0;
}

namespace wire {
namespace {

constexpr unsigned fraction_bits = 23, exponent_bits = 8;

std::uint32_t float_bits(real value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
real from_float_bits(std::uint64_t bits) {
  return static_cast<real>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

// Calls visit with the function from a value to its bits. `exponent` is the common exponent of
// float16.
template <class Visit>
void with_writer(ValueFormat format, int exponent, Visit&& visit) {
  switch (format) {
    case ValueFormat::float64:
      return visit([](real v) { return std::bit_cast<std::uint64_t>(static_cast<double>(v)); });
    case ValueFormat::float32:
      return visit([](real v) { return std::uint64_t{float_bits(v)}; });
    case ValueFormat::bfloat16:
      return visit([](real v) { return std::uint64_t{float_bits(v) >> 16U}; });
    case ValueFormat::natural:
      return visit([](real v) { return std::uint64_t{float_bits(v) >> fraction_bits}; });
    case ValueFormat::float16: {
      const double scale = std::ldexp(1.0, -exponent);
      return visit([scale](real v) {
        return std::uint64_t{half_bits(static_cast<float>(scale * static_cast<double>(v)))};
      });
    }
  }
}

template <class Visit>
void with_reader(ValueFormat format, int exponent, Visit&& visit) {
  switch (format) {
    case ValueFormat::float64:
      return visit([](std::uint64_t b) { return static_cast<real>(std::bit_cast<double>(b)); });
    case ValueFormat::float32:
      return visit([](std::uint64_t b) { return from_float_bits(b); });
    case ValueFormat::bfloat16:
      return visit([](std::uint64_t b) { return from_float_bits(b << 16U); });
    case ValueFormat::natural:
      return visit([](std::uint64_t b) { return from_float_bits(b << fraction_bits); });
    case ValueFormat::float16: {
      const double scale = std::ldexp(1.0, exponent);
      return visit([scale](std::uint64_t b) {
        return static_cast<real>(
            scale * static_cast<double>(from_half_bits(static_cast<std::uint16_t>(b))));
      });
    }
  }
}

}  // namespace

unsigned value_header_bits(ValueFormat format) {
  return format == ValueFormat::float16 ? exponent_bits : 0U;
}

void put_values(BitWriter& out, ValueFormat format, ConstView values) {
  int exponent = 0;
  if (format == ValueFormat::float16) {
    exponent = half_exponent(values);
    out.put(static_cast<std::uint64_t>(exponent - least_half_exponent), exponent_bits);
  }
  const unsigned bits = bits_of(format);
  with_writer(format, exponent, [&](auto&& bits_of_value) {
    write(out, [&](BitWriter& to) {
      for (const real value : values) to.put(bits_of_value(value), bits);
    });
  });
}

void get_values(BitReader& in, ValueFormat format, View values) {
  int exponent = 0;
  if (format == ValueFormat::float16)
    exponent = static_cast<int>(in.get(exponent_bits)) + least_half_exponent;
  const unsigned bits = bits_of(format);
  with_reader(format, exponent, [&](auto&& value_of) {
    for (auto& value : values) value = value_of(in.get(bits));
  });
}

}  // namespace wire
}  // namespace trilemma
