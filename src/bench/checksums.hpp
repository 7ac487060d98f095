#pragma once
// Checksums of the final models of `trilemma bench`. Written by scripts/bench_checksums; do not
// edit.

#include <string_view>

namespace trilemma {

/// Checksum of the final model of a kernel in a class, for a number of clients.
struct ShippedChecksum {
  std::string_view kernel, size;
  long clients;
  std::string_view sha256;
};

// clang-format off
inline constexpr ShippedChecksum shipped_checksums[] = {
    {"latency", "S", 4, "8495c4b022b028c4f64cae423c1376b98a7aa754fe7a9552017fe92bf0b93303"},
    {"latency", "S", 8, "fe7e5fcae9a973433bea3b13ea7392ab3b5ec5b655f810d25655ea8456b09714"},
    {"latency", "S", 12, "40c1366a27feafa8e09b8cb16522d35f134a273f5365d07ba78f88e2dabde28f"},
    {"latency", "S", 16, "8b554b58ae502792cc37c5c3d92f5890bc405f4641dbb2c3c8d551a94aa4e3a6"},
    {"compute", "S", 4, "a1e0e964b45c1b5b87366a02dd598f3ed151a76b7ce6ad20a6aac4fe1cd8da4b"},
    {"compute", "S", 8, "671d0d662986ff15ff9459d3e7e30a81c46c7aa7792ebba05170212eb525504f"},
    {"compute", "S", 12, "14812418274c431f4a3b4f98bea4a0560056f76bc4616a3da161ea9355d1f7df"},
    {"compute", "S", 16, "3f2391699928d09f628207f08f5c1973b74fdbf62284791605236f164f9a6f16"},
    {"bandwidth", "S", 4, "68b701b63773c4f5709f81935635392de152ac29a234ac08ae3d90aeb961e284"},
    {"bandwidth", "S", 8, "58527d261c3096488df1ea01448f2afa9e0a16254aac33801d21d3c3d86695c8"},
    {"bandwidth", "S", 12, "747a7c0a1afd942b662bb692582222b41948347d2145662bb4480867440056ed"},
    {"bandwidth", "S", 16, "55be8479006e47ef3e0ca5ed0a6d8501703aab80b452505438e05613235cbe8d"},
    {"compression", "S", 4, "1e8a66900b8df0965555700cd915a2ec073427133ad107cca500150cc7655aca"},
    {"compression", "S", 8, "46ec21323c413296e07afdb1fd7bb9e2645eb32b80c313005ef61e7fd8383d1b"},
    {"compression", "S", 12, "6e88b199bdea1b6123d3c1950180bc5c27dedfa9b9c52ebfda82cf96391e3437"},
    {"compression", "S", 16, "8e3685d555840236edc50deaf8e8ed6065b230d65e606d31da2e04f6a76f4fed"},
    {"quantisation", "S", 4, "cd554865ab81321102459fb1874fb2dee3b851ff49693ca5b096686531c2a6b8"},
    {"quantisation", "S", 8, "d8e042a2545cee9607716a46a3b49a2de380026d4920e2604e83baa02cf8131a"},
    {"quantisation", "S", 12, "83df12ba59f2c00c32264571e266f7039105658efa5c28726ad758169a37fb12"},
    {"quantisation", "S", 16, "78b7c4549fe5cbf1db78aa0cf1e98f4f72871342cbc5a2795066f8e89608e302"},
    {"aggregation", "S", 60, "32dd609afd214aec64ed73d159066be0a4ae3a949f87414fe52d08e5c91ea5c7"},
    {"aggregation", "S", 120, "d05ca2503f213a35c72894947e5d9eb5c1a189425e4df72c075c6b2113a0151e"},
    {"aggregation", "S", 180, "d22c801178b86807ac94a47896306084c5fe325fd855479f75ae403ce671b122"},
    {"aggregation", "S", 240, "c3d01fb50df62990e4682dce45491eebe51eeb1a3ba4944f96d3ee9ad0a72ea3"},
    {"private", "S", 4, "5c40c5b5b45aeab77519dab043cdbf09c1129bb1549301a3bc7d96e240cc6c2f"},
    {"private", "S", 8, "cc73558168aa800972f1429d143cf74fd729ac4bc75e79cf288f4bc2e7220f92"},
    {"private", "S", 12, "b7eada38248f0c3b53cbaff0deddb3b0d391ac986cac9e825da77ccbdd065a56"},
    {"private", "S", 16, "a625300fda936870d889468ff9b26d03cf3900cadfa668e3c9c920eaae617ea1"},
};
// clang-format on

}  // namespace trilemma
