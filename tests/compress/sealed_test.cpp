// The order of a client's stages is one of types: what was not bounded is not perturbed, what was
// not released is not sealed, and what was not sealed is not posted.

#include <gtest/gtest.h>

#include "compress/outbox.hpp"

namespace trilemma::sealed_test {

template <class What>
concept CanBeReleased = requires(Mechanism& mechanism, const What& what, const Key& key,
                                 Vector& out) {
  mechanism.release(what, Support::all(), key, out);
};
template <class What>
concept CanBeSealed = requires(Compressor& compressor, const What& what, const Key& key,
                               Message& out) {
  compressor.seal(what, key, out);
};
template <class What>
concept CanBeSealedAtSupport = requires(ObliviousCompressor& compressor, const What& what,
                                        const Key& key, Message& out) {
  compressor.seal_at_support(what, key, out);
};
template <class What>
concept CanBePosted = requires(Outbox& outbox, const What& what) {
  outbox.post(what);
};

static_assert(CanBeReleased<Bounded>);
static_assert(!CanBeReleased<Vector> && !CanBeReleased<View> && !CanBeReleased<Released>);
static_assert(CanBeSealed<Released> && CanBeSealedAtSupport<Released>);
static_assert(!CanBeSealed<Vector> && !CanBeSealed<View> && !CanBeSealed<Bounded>);
static_assert(!CanBeSealedAtSupport<View> && !CanBeSealedAtSupport<Bounded>);
static_assert(CanBePosted<Sealed>);
static_assert(!CanBePosted<Message> && !CanBePosted<Vector> && !CanBePosted<Released>);

// No code outside the friends can construct any of the three types.
static_assert(!std::is_constructible_v<Bounded, View, Sensitivity, double>);
static_assert(!std::is_constructible_v<Released, Support, View>);
static_assert(!std::is_constructible_v<Sealed, const Message&>);

TEST(Sealed, IsPostedAsTheCompressorMadeIt) {
  Settings none = Settings::empty();
  Vector u{1, -2, 3};
  const auto bound = row(bounds(), "none").make(none);
  const Bounded bounded = bound->apply(u);
  Vector out;
  const auto mechanism = make_gaussian(0);
  const Released released = mechanism->release(bounded, Support::all(), {}, out);
  const auto compressor = row(compressors(), "identity").make(none, u.size(), ValueFormat::float64);
  Message message;
  Outbox outbox(compressor->layout());
  for (int i = 0; i < 2; ++i) {
    outbox.clear();
    outbox.post(compressor->seal(released, {}, message));
    outbox.post(compressor->seal(released, {}, message));
    ASSERT_EQ(outbox.packets().bytes().size(), 48U);
  }
  Message read;
  decode(compressor->layout(), outbox.packets()[1], read);
  EXPECT_EQ(read.value, u);
}

}  // namespace trilemma::sealed_test
