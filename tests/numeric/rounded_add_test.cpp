// The kernels of the sums (src/numeric/rounded_add.hpp) against plain reference code.

#include "numeric/rounded_add.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/lanes.hpp"
#include "numeric/random.hpp"
#include "numeric/sum_units.hpp"

namespace trilemma::rounded_add_test {

struct Found {
  std::vector<double> sum, rest;
  double largest = 0;
  std::vector<std::uint32_t> inexact;
  bool operator==(const Found&) const = default;
};

Vector values_of(std::size_t count, double small) {
  Stream stream({count, Purpose::data});
  Vector values(count);
  for (auto& value : values) {
    const double size = stream.uniform() < small ? 1e-9 : 1;
    value = static_cast<real>(size * (2 * stream.uniform() - 1));
    if (stream.uniform() < 0.1) value = -real{0};
  }
  return values;
}

// Multiples of a unit by std::nearbyint, where the units are 2^unit.
Found plain(const Vector& values, Support at, std::size_t dimension, int unit, int fine_unit) {
  Found found{std::vector<double>(dimension), std::vector<double>(dimension), 0, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    const double coarse = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    double left = value - coarse;
    found.sum[at[i]] += coarse;
    if (fine_unit != 0) {
      const double fine = std::ldexp(std::nearbyint(std::ldexp(left, -fine_unit)), fine_unit);
      found.rest[at[i]] += fine;
      left -= fine;
    }
    found.largest = std::max(found.largest, std::abs(value));
    const auto block = static_cast<std::uint32_t>(i / rounding_block);
    if (left != 0 && (found.inexact.empty() || found.inexact.back() != block))
      found.inexact.push_back(block);
  }
  return found;
}

Found by_kernel(const Vector& values, Support at, std::size_t dimension, int unit, int fine_unit) {
  Found found{std::vector<double>(dimension), std::vector<double>(dimension), 0,
              std::vector<std::uint32_t>(values.size() / rounding_block + 1)};
  const RoundedAdd added =
      fine_unit == 0
          ? add_rounded(rounding_shift(unit), values, at, found.sum.data(), found.inexact.data())
          : add_rounded({rounding_shift(unit), rounding_shift(fine_unit)}, values, at,
                        found.sum.data(), found.rest.data(), found.inexact.data());
  found.largest = static_cast<double>(added.largest);
  found.inexact.resize(added.inexact);
  return found;
}

TEST(RoundedAdd, IsThatOfItsPlainTwin) {
  for (const std::size_t count : {0, 1, 7, 127, 128, 129, 1000})
    for (const double small : {0.0, 0.002, 0.5})
      for (const int fine_unit : {0, -55}) {
        const Vector values = values_of(count, small);
        EXPECT_EQ(by_kernel(values, Support::all(), count, -40, fine_unit),
                  plain(values, Support::all(), count, -40, fine_unit))
            << count << " " << small;
        std::vector<std::uint32_t> list(count);
        for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<std::uint32_t>(3 * i + 1);
        EXPECT_EQ(by_kernel(values, Support::of(list), 3 * count, -40, fine_unit),
                  plain(values, Support::of(list), 3 * count, -40, fine_unit))
            << count << " " << small;
      }
}

}  // namespace trilemma::rounded_add_test
