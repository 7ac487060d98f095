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
    {"latency", "W", 45, "78d3d20d13dfc67e4441727b0b482210214f4454ab9add728f8ebaf59d7d9167"},
    {"latency", "W", 60, "7c5805ad89e32699caca16d9d7d0822bbcb54cd5abcdcb79dae3032f506a927e"},
    {"latency", "A", 120, "5109f9d330ecff2db06b9fbeeacf6be17ef65e3e0743dea1214083969b84147d"},
    {"compute", "S", 4, "a1e0e964b45c1b5b87366a02dd598f3ed151a76b7ce6ad20a6aac4fe1cd8da4b"},
    {"compute", "S", 8, "671d0d662986ff15ff9459d3e7e30a81c46c7aa7792ebba05170212eb525504f"},
    {"compute", "S", 12, "14812418274c431f4a3b4f98bea4a0560056f76bc4616a3da161ea9355d1f7df"},
    {"compute", "S", 16, "3f2391699928d09f628207f08f5c1973b74fdbf62284791605236f164f9a6f16"},
    {"compute", "S", 60, "a1b9972db04e01e74d10a2089f5828e5f9fe1f597be7acbb4466453e6f64c424"},
    {"compute", "W", 15, "fc5ef820c8a40d6c34e43e2032abea39142ca085e340de9b081cd99671f801b8"},
    {"compute", "W", 30, "b23fb620c432cda6d4fca0c3357d8c60390c5fb0fc6a907652a61c9bf5fbb775"},
    {"compute", "W", 45, "f85ec4f1cd0ef04a6aa29f1fc74ed5af55dcf0f0cb731651cc63d068d29d2c7c"},
    {"compute", "W", 60, "5ac52d42d0298423db4e62cdd287b4a242f1d0864fd29242e576d48c39e44016"},
    {"compute", "A", 120, "b3251eab4bf8bf0f96e9877ba744cf2077736d02016bf110973fadc50738d961"},
    {"bandwidth", "S", 4, "68b701b63773c4f5709f81935635392de152ac29a234ac08ae3d90aeb961e284"},
    {"bandwidth", "S", 8, "58527d261c3096488df1ea01448f2afa9e0a16254aac33801d21d3c3d86695c8"},
    {"bandwidth", "S", 12, "747a7c0a1afd942b662bb692582222b41948347d2145662bb4480867440056ed"},
    {"bandwidth", "S", 16, "55be8479006e47ef3e0ca5ed0a6d8501703aab80b452505438e05613235cbe8d"},
    {"bandwidth", "S", 60, "fc0b9867f34991187b994cbb7e2522c4ee2282f4eeda18e75753436dd07eade7"},
    {"bandwidth", "W", 4, "3b101974d0dcd235e0d4a15a82330ebf6ebcb1fe1ff4c836ad55465dfadd7fde"},
    {"bandwidth", "W", 8, "d2b76a285a28f17fe18b28c56f5d6fd26deb563d023156a541c052aafb2b4fe4"},
    {"bandwidth", "W", 12, "3eaa5bca4c2a9f4a3f032ed41b3cfa09dbe4791bf101d5d9bf135a7eccd0049e"},
    {"bandwidth", "W", 16, "661dfb171ad4834bdc71dff3fb35d906df6163810e10bcb2d2af18664716d31b"},
    {"bandwidth", "A", 8, "4e5c2dcac56144cfe55db0fb7592120e71135c405f317b5f6470eed9f26745e1"},
    {"compression", "S", 4, "1e8a66900b8df0965555700cd915a2ec073427133ad107cca500150cc7655aca"},
    {"compression", "S", 8, "46ec21323c413296e07afdb1fd7bb9e2645eb32b80c313005ef61e7fd8383d1b"},
    {"compression", "S", 12, "6e88b199bdea1b6123d3c1950180bc5c27dedfa9b9c52ebfda82cf96391e3437"},
    {"compression", "S", 16, "8e3685d555840236edc50deaf8e8ed6065b230d65e606d31da2e04f6a76f4fed"},
    {"compression", "S", 60, "de5965da1d94a8db2fb5b61699bf02a4a17b99057802a9f800e738a58ba09171"},
    {"compression", "W", 4, "c90b5230c44ddeb63a7605e382c4f17cd8983cfd7b5318e0e5c2aabc0f8f4279"},
    {"compression", "W", 8, "a98664c3af47a641e30e94308f436a282a9364992c9c99e0549bbec2edd048d6"},
    {"compression", "W", 12, "df378afcd41e5d8bfcb3281c8a88f0e4f93f8f683411d90809717749a41cb211"},
    {"compression", "W", 16, "3f0ecbfb8510c3e80f49abe00083e54152bce8df6461ea97a823ac937e703bf0"},
    {"compression", "A", 8, "e47f4557154210d5ef63e909e776acf626c0992a52b9982622a61cb9144a1466"},
    {"quantisation", "S", 4, "cd554865ab81321102459fb1874fb2dee3b851ff49693ca5b096686531c2a6b8"},
    {"quantisation", "S", 8, "d8e042a2545cee9607716a46a3b49a2de380026d4920e2604e83baa02cf8131a"},
    {"quantisation", "S", 12, "83df12ba59f2c00c32264571e266f7039105658efa5c28726ad758169a37fb12"},
    {"quantisation", "S", 16, "78b7c4549fe5cbf1db78aa0cf1e98f4f72871342cbc5a2795066f8e89608e302"},
    {"quantisation", "S", 60, "92c8ca4ef579f7a7bf9c339022031af6c47d70fe03ff490c3a78a7a4475da7ce"},
    {"quantisation", "W", 4, "4e771e4f1948256943e18f24195b82897142b473e1250b9f534f76f692a93e38"},
    {"quantisation", "W", 8, "20a190fce9dd75dd06b7b5097221071758df076583763084c8b38e5e2860a004"},
    {"quantisation", "W", 12, "368edab0889661a53523c0c164715cc3c850348d6b40a279e75a5ea18a1511c6"},
    {"quantisation", "W", 16, "caee58a27dcb87649466fa802a3f61e7e93151139ac9db9fdc313a9daad6b4bb"},
    {"quantisation", "A", 8, "cda0d16617b2bcb28ff7302487620bdfdfa57d94f876ebaed3c94dcefb0616fd"},
    {"aggregation", "S", 60, "32dd609afd214aec64ed73d159066be0a4ae3a949f87414fe52d08e5c91ea5c7"},
    {"aggregation", "S", 120, "d05ca2503f213a35c72894947e5d9eb5c1a189425e4df72c075c6b2113a0151e"},
    {"aggregation", "S", 180, "d22c801178b86807ac94a47896306084c5fe325fd855479f75ae403ce671b122"},
    {"aggregation", "S", 240, "c3d01fb50df62990e4682dce45491eebe51eeb1a3ba4944f96d3ee9ad0a72ea3"},
    {"aggregation", "S", 960, "571f22e87e16e12bda6991f4c83f5ede70bbdef38e4b1c3daca21ac8f2e577f2"},
    {"aggregation", "W", 240, "40d13e25a5843d6b32fb2bdd3d1819bee98c9ae7eab55d9b4eef88a67cea0b44"},
    {"aggregation", "W", 480, "b55902cabba62e9fd9630b452b79741196ea201bbcf17afb62247e064b90b6a7"},
    {"aggregation", "W", 720, "a61a0d35a7aa00c0f8cbc8bda9a8852c3127840a1cbae8fadf265aa31fc1f89d"},
    {"aggregation", "W", 960, "7b5baa74f0cc284347c27a277afeff0dc749e4603dd19c465ec7a2a1e78dac6b"},
    {"aggregation", "A", 1920, "bb350c3bd02f7496c0c3ebf49b5ab8578de9061c968ad6e9bf213c5c242b4245"},
    {"private", "S", 4, "03af9717667c903817a647d34dec68460d7954e497569ea89fd562d09d33e9df"},
    {"private", "S", 8, "a85d386b9c1f771f9d9388a9690c3fb122f5f2c284197651c3c1cf31f1a5e125"},
    {"private", "S", 12, "04af28f2964641701f23bddeb64109e4edfc12996de8a129b90597cf34d6acb8"},
    {"private", "S", 16, "3a97ec6c294a44243fac430747b36c71628401b14a390be3d336c2bbe12da174"},
    {"private", "S", 60, "5f05b52a4d3df6656eb30d4128132bd3e977db04cbc899e5a1de9ffcded9092c"},
    {"private", "W", 15, "2e28b55c8fa6a67aa554a740e4c522b4ef05c3ec7fa46db3eed201a1346b8633"},
    {"private", "W", 30, "40cb130b5a7494291e2ba7107008688ceb0e50692da88fcd8b6f69efa115b3a3"},
    {"private", "W", 45, "5e83343f00a24d8f08bd81966acb67420860030b2d6c71b14f42c960daa8658e"},
    {"private", "W", 60, "ca9592ecba37d9c69223c688b803d25bfb29a13867e51d1137ac78aaa04ed978"},
    {"private", "A", 120, "55e80bf19230d51ef5f2608085945e55d440d4fba2d8300d1c4c9846cb161a9f"},
};
// clang-format on

}  // namespace trilemma
