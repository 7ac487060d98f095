// What every row of compressors() must keep (src/compress/compressor.hpp): what it says of itself,
// the size it declares, and that both ends continue with the same vector. A new row is tested
// without an edit; the example of tests/examples is tested as well.

#include "tests/support/compressors.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::compressors_test {

constexpr std::size_t dimension = 60;

Key key(std::uint32_t round) { return {5, Purpose::mask, 2, round}; }

struct Kind {
  std::string name;
  ValueFormat format;
  std::string settings = {};
};

const std::pair<ValueFormat, const char*> formats[] = {{ValueFormat::float32, "32"},
                                                       {ValueFormat::float64, "64"},
                                                       {ValueFormat::bfloat16, "bf16"},
                                                       {ValueFormat::float16, "fp16"},
                                                       {ValueFormat::natural, "natural"}};

// Some send what only numbers of full length can carry.
bool takes(const char* name, ValueFormat format) {
  try {
    testing::make_compressor(name, dimension, "", format);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const auto& row : compressors())
    for (const auto& [format, name] : formats)
      if (takes(row.name, format)) all.push_back({row.name, format});
  for (const auto& [name, settings] : std::initializer_list<std::pair<const char*, const char*>>{
           {"rand-k", "k = 7\nmask = \"shared\""},
           {"rand-k", "k = 59\nmask = \"explicit\""},
           {"rand-k", "k = 7\nscaled = false"},
           {"rand-seq-k", "k = 47\nmask = \"shared\""},
           {"perm-k", "parts = 7"},
           {"qsgd", "levels = 1\nbucket = 7\ncode = \"runs\""},
           {"qsgd", "levels = 200\nbucket = 0\nnorm = \"max\"\ncode = \"gamma\""},
           {"qsgd", "levels = 3\nnorm = \"max\""},
           {"qsgd", "levels = 9\nnorm = \"max\"\ncode = \"rans\""},
           {"natural-dithering", "levels = 1\nbucket = 1"},
           {"natural-dithering", "levels = 30\nbucket = 11\ncode = \"gamma\""},
           {"natural-dithering", "levels = 3\ncode = \"runs\""},
           {"ternary", "bucket = 8"},
           {"grid", "step = 0.5"},
           {"grid", "step = 3"},
           {"lattice", "step = 0.5\nbits = 6"},
           {"top-k", "k = 60"},
           {"top-k", "k = 31\nindex = \"fixed\""},
           {"top-k", "k = 13\nindex = \"rice\""},
           {"top-k", "k = 13\nindex = \"bitmap\""},
           {"threshold", "threshold = 0.7\nindex = \"rice\""},
           {"threshold", "threshold = 50"},
           {"adaptive-threshold", "k = 20\nindex = \"fixed\""},
           {"sign", "bucket = 9"},
           {"count-sketch", "k = 30\nrows = 1"},
           {"count-sketch", "k = 40\nrows = 5"},
           {"low-rank", "rank = 3\nrows = 5"},
           {"low-rank", "rows = 20\ncolumns = 2"},
           {"low-rank", "rank = 7"},
           {"composition", "k = 20\nlevels = 200"},
           {"composition", "outer = \"rand-k\"\nk = 30\nmask = \"explicit\"\nbucket = 7"},
           {"composition", "outer = \"rand-seq-k\"\ninner = \"ternary\"\nk = 30\nbucket = 9"},
           {"composition",
            "inner = \"natural-dithering\"\nk = 30\ncode = \"rans\"\nindex = \"rice\""},
           {"largest-share", ""},
           {"largest-share", "share = 0.9"}})
    all.push_back({name, ValueFormat::float32, settings});
  all.push_back({"largest-share", ValueFormat::bfloat16});
  return all;
}

class EveryCompressor : public ::testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Compressor> make() {
    const Kind& kind = GetParam();
    return testing::make_compressor(kind.name, dimension, kind.settings, kind.format);
  }
  std::unique_ptr<Compressor> made_ = make();
  Vector z_ = testing::random_vector(dimension, 7);
};

TEST_P(EveryCompressor, DeclaredSizeIsTheEncodedSizeAndBothEndsAgree) {
  const Layout layout = made_->layout();
  EXPECT_EQ(layout.dimension, dimension);
  const auto receiver = make();
  for (std::uint32_t round = 0; round < 50; ++round) {
    Message sent;
    made_->compress(round == 0 ? Vector(dimension) : z_, key(round), sent);
    EXPECT_EQ(sent.scalar.size(), layout.scalars);
    const Measure measured = measure(layout, sent);
    if (layout.is_equal()) {
      EXPECT_EQ(measured.bits, layout.most_bits());
    }
    Bytes bytes(measured.bytes());
    encode(layout, sent, measured, bytes);
    Message got;
    EXPECT_EQ(decode(receiver->layout(), bytes, got), measured.bits);
    receiver->recall(key(round), got);
    ASSERT_EQ(testing::dense(receiver->expand(got), dimension),
              testing::dense(made_->expand(sent), dimension));
  }
}

// For people; programs read `equal_messages`.
TEST_P(EveryCompressor, WhoseMessagesDifferInSizeSaysSo) {
  const bool says = made_->description().find("messages of any size") != std::string::npos;
  EXPECT_EQ(says, !made_->layout().is_equal());
}

TEST_P(EveryCompressor, BeginsItsDescriptionWithItsLabel) {
  const std::string label = made_->label();
  EXPECT_FALSE(label.empty());
  EXPECT_TRUE(made_->description().starts_with(label)) << made_->description();
  // A legend has no room for more.
  EXPECT_LE(label.size(), 50U) << label;
}

// The server must be able to name the client.
TEST_P(EveryCompressor, WhatIsNotFiniteIsSeenOrRefused) {
  const real inf = std::numeric_limits<real>::infinity();
  for (const real bad : {inf, -inf, std::numeric_limits<real>::quiet_NaN()}) {
    Message sent;
    try {
      made_->compress(Vector(dimension, bad), key(1), sent);
    } catch (const RunFailure&) {
      continue;
    }
    const Layout layout = made_->layout();
    const Measure measured = measure(layout, sent);
    Bytes bytes(measured.bytes());
    encode(layout, sent, measured, bytes);
    Message got;
    decode(layout, bytes, got);
    made_->recall(key(1), got);
    double sum = 0;
    for (const double v : testing::dense(made_->expand(got), dimension)) sum += v;
    EXPECT_FALSE(std::isfinite(sum)) << bad;
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
  const Bounded bounded = bound->apply(u);
  const auto mechanism = make_gaussian(0);
  for (std::uint32_t round = 0; round < 50; ++round) {
    Message staged;
    made_->compress(z_, key(round), staged);
    Message fused;
    const Support at = oblivious->support(key(round), fused.index);
    EXPECT_EQ(fused.index, staged.index);
    const auto released = mechanism->release(bounded, at, {}, fused.value);
    EXPECT_EQ(&oblivious->seal_at_support(released, key(round), fused).message(), &fused);
    EXPECT_EQ(fused.value, staged.value);
  }
}

// Vectors that are hard in different ways; in those before `rare` no coordinate is so small that
// what it is rounded up to is never seen.
constexpr std::size_t rare = 4;
std::vector<Vector> hard_vectors() {
  std::vector<Vector> all{testing::random_vector(dimension, 7), Vector(dimension, real{1})};
  const auto fill = [&all](auto&& value) {
    Vector z(dimension);
    for (std::size_t j = 0; j < dimension; ++j) z[j] = static_cast<real>(value(j));
    all.push_back(std::move(z));
  };
  fill([](std::size_t j) { return j == 17 ? -3.0 : 0.0; });
  fill([](std::size_t j) { return j == 17 ? 1.0 : 0.1141; });  // 1 / (1 + sqrt(60))
  fill([](std::size_t j) { return std::ldexp(j % 2 == 0 ? 1.5 : -1.3333, -static_cast<int>(j)); });
  fill([](std::size_t j) { return 1e-20 * (j % 3 == 0 ? 1.41 : 1.01); });
  fill([](std::size_t j) { return 1e15 * static_cast<double>(j % 7) - 1e3; });
  return all;
}

// E C(z) = z in every coordinate within five standard errors (a right row fails with probability
// 4e-5 over the 60 coordinates of a vector), and E||C(z)-z||^2 <= omega ||z||^2 within the same
// error, or (1 - delta) ||z||^2 where it is biased.
TEST_P(EveryCompressor, KeepsItsPromises) {
  const CompressorTraits traits = made_->traits();
  EXPECT_EQ(traits.unbiased || std::isnan(traits.omega), true);
  EXPECT_TRUE(traits.delta >= 0 && traits.delta <= 1 && traits.share > 0 && traits.share <= 1);
  const double relative = traits.unbiased ? traits.omega : 1 - traits.delta;
  constexpr double float_rounding = 1e-6;
  std::uint32_t round = 0;
  std::uint32_t turns = 20'000;
  std::size_t number = 0;
  for (const Vector& z : hard_vectors()) {
    const bool tells_bias = number++ < rare;
    std::vector<testing::Sample> coordinate(dimension);
    testing::Sample error;
    double square = 0;
    for (const double v : z) square += v * v;
    if (traits.needs_reference()) made_->reference_model(z);
    const bool fits = square < 1e6 || (GetParam().name != "grid" && GetParam().name != "lattice");
    for (std::uint32_t turn = 0; fits && turn < turns; ++turn) {
      Message message;
      made_->compress(z, key(++round), message);
      const auto out = testing::dense(made_->expand(message), dimension);
      double distance = 0;
      double length = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        coordinate[j].add(out[j]);
        length += out[j] * out[j];
        distance += std::pow(out[j] - static_cast<double>(z[j]), 2);
      }
      error.add(distance);
      // The noise of a trusted server rests on this bound.
      if (!std::isnan(traits.gain)) {
        ASSERT_LE(length, traits.gain * traits.gain * square * (1 + float_rounding)) << round;
      }
    }
    for (std::size_t j = 0; tells_bias && traits.unbiased && j < dimension; ++j)
      testing::expect_mean(coordinate[j], static_cast<double>(z[j]),
                           float_rounding * std::abs(static_cast<double>(z[j])));
    if (fits && !std::isnan(relative)) {
      EXPECT_LE(error.mean() - testing::five_sigma * error.error(),
                (relative + float_rounding) * square);
    }
    turns = 2'000;
  }
}

// Memories of coordinates rely on this: a compressor that chooses coordinates loses nothing of
// those that it sends except by unbiased rounding; all others send something of every coordinate.
TEST_P(EveryCompressor, LosesCoordinatesOnlyWhereItSaysSo) {
  const CompressorTraits traits = made_->traits();
  std::vector<testing::Sample> coordinate(dimension);
  std::vector<int> times(dimension, 0);
  for (std::uint32_t turn = 0; turn < 4'000; ++turn) {
    Message message;
    made_->compress(z_, key(turn), message);
    const SparseView sent = made_->expand(message);
    if (!traits.chooses_coordinates) {
      ASSERT_TRUE(sent.at.is_all());
      continue;
    }
    sent.at.each(dimension, [&](std::size_t i, std::size_t j) {
      coordinate[j].add(static_cast<double>(sent.value[i]));
      ++times[j];
    });
  }
  for (std::size_t j = 0; j < dimension; ++j)
    if (times[j] > 100 && !traits.unbiased)
      testing::expect_mean(coordinate[j], static_cast<double>(z_[j]),
                           1e-6 * std::abs(static_cast<double>(z_[j])));
}

INSTANTIATE_TEST_SUITE_P(Compressors, EveryCompressor, ::testing::ValuesIn(kinds()),
                         [](const auto& test) {
                           std::string name = test.param.name + "_" + test.param.settings;
                           for (const auto& [format, suffix] : formats)
                             if (format == test.param.format) name += suffix;
                           std::erase_if(name, [](char c) { return c == '"' || c == ' '; });
                           for (auto& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace trilemma::compressors_test
