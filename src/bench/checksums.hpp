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
    {"latency", "S", 4, "3640975bfde6b69fb0540df65269df100c4375d5517127d6ef5cb4fd17208f58"},
    {"latency", "S", 8, "b2fa5f59fd532e0bf72331fa9388d4fe7ef65e2a2d9ba5f3e13294fd38eac76c"},
    {"latency", "S", 12, "50833f54dc5c55c799b6a469f3e30468650b045d2bfa950ded7977d30b946c9f"},
    {"latency", "S", 16, "2dcd27ba3af3d01dd97522075e2fb687f173663d45922c4ed5bf49ab9e9a346c"},
    {"latency", "S", 60, "24b42a257b1c9af5c0b95b0f0c7288708dfa662a9dfa2ec1f75221ae761f4f2f"},
    {"latency", "W", 15, "872c73f2f9b697701d0715c473f9d8f9adfced645ee382a99634929a5c205713"},
    {"latency", "W", 30, "c16a3567665a0372e8beaf4de9c6c8cee30d045c95817a33cb5ddb32ff36742e"},
    {"compute", "S", 4, "a1e0e964b45c1b5b87366a02dd598f3ed151a76b7ce6ad20a6aac4fe1cd8da4b"},
    {"compute", "S", 8, "671d0d662986ff15ff9459d3e7e30a81c46c7aa7792ebba05170212eb525504f"},
    {"compute", "S", 12, "14812418274c431f4a3b4f98bea4a0560056f76bc4616a3da161ea9355d1f7df"},
    {"compute", "S", 16, "3f2391699928d09f628207f08f5c1973b74fdbf62284791605236f164f9a6f16"},
    {"compute", "S", 60, "a1b9972db04e01e74d10a2089f5828e5f9fe1f597be7acbb4466453e6f64c424"},
    {"compute", "W", 15, "fc5ef820c8a40d6c34e43e2032abea39142ca085e340de9b081cd99671f801b8"},
    {"compute", "W", 30, "b23fb620c432cda6d4fca0c3357d8c60390c5fb0fc6a907652a61c9bf5fbb775"},
    {"bandwidth", "S", 4, "68b701b63773c4f5709f81935635392de152ac29a234ac08ae3d90aeb961e284"},
    {"bandwidth", "S", 8, "58527d261c3096488df1ea01448f2afa9e0a16254aac33801d21d3c3d86695c8"},
    {"bandwidth", "S", 12, "747a7c0a1afd942b662bb692582222b41948347d2145662bb4480867440056ed"},
    {"bandwidth", "S", 16, "55be8479006e47ef3e0ca5ed0a6d8501703aab80b452505438e05613235cbe8d"},
    {"bandwidth", "S", 60, "fc0b9867f34991187b994cbb7e2522c4ee2282f4eeda18e75753436dd07eade7"},
    {"bandwidth", "W", 4, "3b101974d0dcd235e0d4a15a82330ebf6ebcb1fe1ff4c836ad55465dfadd7fde"},
    {"bandwidth", "W", 8, "d2b76a285a28f17fe18b28c56f5d6fd26deb563d023156a541c052aafb2b4fe4"},
    {"compression", "S", 4, "1e8a66900b8df0965555700cd915a2ec073427133ad107cca500150cc7655aca"},
    {"compression", "S", 8, "46ec21323c413296e07afdb1fd7bb9e2645eb32b80c313005ef61e7fd8383d1b"},
    {"compression", "S", 12, "6e88b199bdea1b6123d3c1950180bc5c27dedfa9b9c52ebfda82cf96391e3437"},
    {"compression", "S", 16, "8e3685d555840236edc50deaf8e8ed6065b230d65e606d31da2e04f6a76f4fed"},
    {"compression", "S", 60, "de5965da1d94a8db2fb5b61699bf02a4a17b99057802a9f800e738a58ba09171"},
    {"compression", "W", 4, "c90b5230c44ddeb63a7605e382c4f17cd8983cfd7b5318e0e5c2aabc0f8f4279"},
    {"compression", "W", 8, "a98664c3af47a641e30e94308f436a282a9364992c9c99e0549bbec2edd048d6"},
    {"quantisation", "S", 4, "cd554865ab81321102459fb1874fb2dee3b851ff49693ca5b096686531c2a6b8"},
    {"quantisation", "S", 8, "d8e042a2545cee9607716a46a3b49a2de380026d4920e2604e83baa02cf8131a"},
    {"quantisation", "S", 12, "83df12ba59f2c00c32264571e266f7039105658efa5c28726ad758169a37fb12"},
    {"quantisation", "S", 16, "78b7c4549fe5cbf1db78aa0cf1e98f4f72871342cbc5a2795066f8e89608e302"},
    {"quantisation", "S", 60, "92c8ca4ef579f7a7bf9c339022031af6c47d70fe03ff490c3a78a7a4475da7ce"},
    {"quantisation", "W", 4, "4e771e4f1948256943e18f24195b82897142b473e1250b9f534f76f692a93e38"},
    {"quantisation", "W", 8, "20a190fce9dd75dd06b7b5097221071758df076583763084c8b38e5e2860a004"},
    {"aggregation", "S", 60, "32dd609afd214aec64ed73d159066be0a4ae3a949f87414fe52d08e5c91ea5c7"},
    {"aggregation", "S", 120, "d05ca2503f213a35c72894947e5d9eb5c1a189425e4df72c075c6b2113a0151e"},
    {"aggregation", "S", 180, "d22c801178b86807ac94a47896306084c5fe325fd855479f75ae403ce671b122"},
    {"aggregation", "S", 240, "c3d01fb50df62990e4682dce45491eebe51eeb1a3ba4944f96d3ee9ad0a72ea3"},
    {"aggregation", "S", 960, "571f22e87e16e12bda6991f4c83f5ede70bbdef38e4b1c3daca21ac8f2e577f2"},
    {"aggregation", "W", 240, "40d13e25a5843d6b32fb2bdd3d1819bee98c9ae7eab55d9b4eef88a67cea0b44"},
    {"aggregation", "W", 480, "b55902cabba62e9fd9630b452b79741196ea201bbcf17afb62247e064b90b6a7"},
    {"private", "S", 4, "03af9717667c903817a647d34dec68460d7954e497569ea89fd562d09d33e9df"},
    {"private", "S", 8, "a85d386b9c1f771f9d9388a9690c3fb122f5f2c284197651c3c1cf31f1a5e125"},
    {"private", "S", 12, "04af28f2964641701f23bddeb64109e4edfc12996de8a129b90597cf34d6acb8"},
    {"private", "S", 16, "3a97ec6c294a44243fac430747b36c71628401b14a390be3d336c2bbe12da174"},
    {"private", "S", 60, "5f05b52a4d3df6656eb30d4128132bd3e977db04cbc899e5a1de9ffcded9092c"},
    {"private", "W", 15, "2e28b55c8fa6a67aa554a740e4c522b4ef05c3ec7fa46db3eed201a1346b8633"},
    {"private", "W", 30, "40cb130b5a7494291e2ba7107008688ceb0e50692da88fcd8b6f69efa115b3a3"},
};
// clang-format on

}  // namespace trilemma
