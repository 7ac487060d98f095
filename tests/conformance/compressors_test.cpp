// What every row of compressors() must keep (src/compress/compressor.hpp): what it says of itself,
// the size it declares, and that both ends continue with the same vector. A new row is tested
// without an edit.

#include "tests/support/compressors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::compressors_test {

constexpr std::size_t dimension = 60;

Key key(std::uint32_t round) { return {5, Purpose::mask, 2, round}; }

struct Kind {
  std::string name;
  ValueFormat format;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& row : compressors())
    for (const auto format : {ValueFormat::float32, ValueFormat::float64})
      all.push_back({row.name, format});
  return all;
}

class EveryCompressor : public ::testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Compressor> made_ =
      testing::make_compressor(GetParam().name, dimension, "", GetParam().format);
  Vector z_ = testing::random_vector(dimension, 7);
};

TEST_P(EveryCompressor, DeclaredSizeIsTheEncodedSizeAndBothEndsAgree) {
  const Layout layout = made_->layout();
  EXPECT_EQ(layout.dimension, dimension);
  EXPECT_EQ(layout.value, GetParam().format);
  const auto receiver = testing::make_compressor(GetParam().name, dimension, "", GetParam().format);
  for (std::uint32_t round = 0; round < 50; ++round) {
    Message sent;
    made_->compress(z_, key(round), sent);
    EXPECT_EQ(sent.scalar.size(), layout.scalars);
    if (!layout.varies) {
      EXPECT_EQ(sent.entries(), layout.count);
    }
    Bytes bytes(layout.bytes(sent.entries()));
    EXPECT_EQ(layout.entries(bytes.size()), sent.entries());
    encode(layout, sent, bytes);
    Message got;
    decode(receiver->layout(), bytes, got);
    receiver->recall(key(round), got);
    ASSERT_EQ(testing::dense(receiver->expand(got), dimension),
              testing::dense(made_->expand(sent), dimension));
  }
}

// The number of entries follows from the size only if no entry fits into the padding; and readers
// of run files know by these words that clients may have sent unequally much.
TEST_P(EveryCompressor, WhoseMessagesDifferInSizeSaysSo) {
  const Layout layout = made_->layout();
  const bool says = made_->description().find("messages of any size") != std::string::npos;
  EXPECT_EQ(says, layout.varies);
  if (layout.varies) {
    EXPECT_GE(layout.entry_bits(), 8U);
  }
}

TEST_P(EveryCompressor, IsAFunctionOfVectorAndKey) {
  Message first;
  made_->compress(z_, key(3), first);
  const auto expected = testing::dense(made_->expand(first), dimension);
  Message between;
  made_->compress(testing::random_vector(dimension, 8), key(4), between);
  Message again;
  made_->compress(z_, key(3), again);
  EXPECT_EQ(testing::dense(made_->expand(again), dimension), expected);
}

TEST_P(EveryCompressor, SaysWhetherItIsOblivious) {
  EXPECT_EQ(made_->is_oblivious(), made_->oblivious() != nullptr);
}

TEST_P(EveryCompressor, ZeroStaysZero) {
  Message message;
  made_->compress(Vector(dimension, real{0}), key(1), message);
  for (const double v : testing::dense(made_->expand(message), dimension)) EXPECT_EQ(v, 0.0);
}

TEST_P(EveryCompressor, ObliviousSupportIsTheCoordinatesSent) {
  ObliviousCompressor* oblivious = made_->oblivious();
  if (oblivious == nullptr) GTEST_SKIP() << GetParam().name << " looks at the vector";
  Settings none = Settings::empty();
  Vector u = z_;
  const auto bound = row(bounds(), "none").make(none);
  const Bounded bounded = bound->apply(u, {});
  const auto mechanism = make_gaussian(0);
  for (std::uint32_t round = 0; round < 50; ++round) {
    Message staged;
    made_->compress(z_, key(round), staged);
    Message fused;
    const Support at = oblivious->support(key(round), fused.index);
    EXPECT_EQ(fused.index, staged.index);
    const auto released = mechanism->release(bounded, at, {}, fused.value);
    EXPECT_EQ(&oblivious->seal_at_support(released, fused).message(), &fused);
    EXPECT_EQ(fused.value, staged.value);
  }
}

// E C(z) = z in every coordinate within five standard errors (a right row fails with probability
// 4e-5 over the 60 coordinates), and E||C(z)-z||^2 <= omega ||z||^2 likewise.
TEST_P(EveryCompressor, KeepsItsPromises) {
  const CompressorTraits traits = made_->traits();
  std::vector<testing::Sample> coordinate(dimension);
  testing::Sample error;
  constexpr double float_rounding = 1e-6;
  double square = 0;
  for (const double v : z_) square += v * v;
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    Message message;
    made_->compress(z_, key(round), message);
    const auto out = testing::dense(made_->expand(message), dimension);
    double distance = 0;
    double length = 0;
    for (std::size_t j = 0; j < dimension; ++j) {
      coordinate[j].add(out[j]);
      length += out[j] * out[j];
      distance += std::pow(out[j] - static_cast<double>(z_[j]), 2);
    }
    error.add(distance);
    // The noise of a trusted server rests on this bound.
    ASSERT_LE(length, traits.gain * traits.gain * square * (1 + float_rounding)) << round;
  }
  if (traits.unbiased) {
    for (std::size_t j = 0; j < dimension; ++j)
      testing::expect_mean(coordinate[j], z_[j], float_rounding * std::abs(z_[j]));
  }
  if (!std::isnan(traits.omega)) {
    EXPECT_LE(error.mean() - testing::five_sigma * error.error(),
              (traits.omega + float_rounding) * square);
  }
}

INSTANTIATE_TEST_SUITE_P(Compressors, EveryCompressor, ::testing::ValuesIn(kinds()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (auto& c : name)
                             if (c == '-') c = '_';
                           return name +
                                  (test.param.format == ValueFormat::float32 ? "_32" : "_64");
                         });

}  // namespace trilemma::compressors_test
