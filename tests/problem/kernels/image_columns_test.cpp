// Single coordinates of A^T e for images (src/problem/kernels/image_columns.hpp) against a plain
// sum, for numbers of columns and rows that fill tiles and that do not.

#include "problem/kernels/image_columns.hpp"

#include <gtest/gtest.h>

#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::image_columns_test {

TEST(ImageColumns, EveryCoordinateByAPlainSum) {
  constexpr std::size_t units = 3;
  ImageColumns scratch;  // kept, so that what was there before shows
  for (const std::size_t columns : {1U, 15U, 16U, 33U, 49U, 70U, 784U})
    for (const std::size_t records : {40U, 1U, 16U, 33U}) {
      const Dataset images = testing::byte_records(records, columns, 3, 5, 0.3);
      const auto& rows = std::get<DenseRows>(images.rows);
      const Vector e = testing::random_vector(records * units, 6, 1.0);
      std::vector<std::uint32_t> at;
      for (std::uint32_t c = 0; c < columns * units; ++c) at.push_back(c);
      Vector found(at.size(), real{0.25});
      image_transpose_product_at(rows, testing::all_rows(records), real{0.5},
                                 matrix(e.data(), records, units, units), at, scratch, found);
      for (std::size_t c = 0; c < at.size(); ++c) {
        double expected = 0;
        for (std::size_t r = 0; r < records; ++r)
          expected += (rows.scale * rows.byte[r * columns + c / units] + rows.shift) *
                      static_cast<double>(e[r * units + c % units]);
        ASSERT_NEAR(static_cast<double>(found[c]), 0.25 + 0.5 * expected, 300 * testing::rounding)
            << columns << " columns, " << records << " records, coordinate " << c;
      }
    }
}

}  // namespace trilemma::image_columns_test
