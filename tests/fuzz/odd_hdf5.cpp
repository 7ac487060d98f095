#include "tests/fuzz/odd_hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tests/fuzz/change_bytes.hpp"

namespace trilemma::fuzz {

using h5::Handle;

Handle space_of(const std::vector<hsize_t>& extents) {
  if (extents.empty()) return {H5Screate(H5S_SCALAR), H5Sclose, "space"};
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose,
          "space"};
}

Handle odd_type(Stream& stream) {
  const hid_t plain[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64,   H5T_NATIVE_UINT8,
                         H5T_NATIVE_INT8,   H5T_STD_U64BE,    H5T_NATIVE_LDOUBLE, H5T_STD_REF_OBJ};
  const std::size_t choice = pick(stream, std::size(plain) + 5);
  if (choice < std::size(plain)) return {H5Tcopy(plain[choice]), H5Tclose, "type"};
  const hsize_t three = 3;
  switch (choice - std::size(plain)) {
    case 0:
      return {H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three), H5Tclose, "type"};
    case 1:
      return {H5Tvlen_create(H5T_NATIVE_DOUBLE), H5Tclose, "type"};
    case 2:
      return {H5Tcreate(H5T_OPAQUE, 1 + pick(stream, 5000)), H5Tclose, "type"};
    case 3: {
      Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
      H5Tset_size(type.get(), 1 + pick(stream, 3000));
      return type;
    }
    default: {
      Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
      H5Tset_size(type.get(), H5T_VARIABLE);
      return type;
    }
  }
}

std::vector<hsize_t> odd_extents(Stream& stream) {
  const std::vector<std::vector<hsize_t>> shapes = {{},
                                                    {0},
                                                    {1},
                                                    {2},
                                                    {3},
                                                    {41},
                                                    {5000},
                                                    {41, 1},
                                                    {0, 1ULL << 32U, 1ULL << 32U},
                                                    {1ULL << 20U},
                                                    {1ULL << 40U},
                                                    {1ULL << 62U},
                                                    {1ULL << 32U, 1ULL << 32U, 8},
                                                    {41, 2, 1ULL << 40U}};
  return one_of(shapes, stream);
}

double odd_number(Stream& stream) {
  const std::vector<double> numbers = {-1,  0,      1,      1e308, std::nan(""), INFINITY,
                                       2e9, 1e-320, 9.3e18, 0.5,   1e4};
  return one_of(numbers, stream);
}

std::string odd_text(const std::string& now, Stream& stream) {
  const std::vector<std::string> texts = {"",         "\x1b[2J",      std::string(70000, 'x'),
                                          "\xff\xfe", "trilemma-run", "chacha20"};
  return stream.below(2) == 0 ? one_of(texts, stream) : change_bytes(now, {now}, stream);
}

}  // namespace trilemma::fuzz
