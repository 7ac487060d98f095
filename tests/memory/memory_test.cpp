// Shift memories (src/memory/memory.hpp; spec algorithms.md 6.2 and 6.6).

#include "memory/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compressors.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::memory_test {

const MemoryKind& shift() { return row(memories(), "shift").make; }

class Through final : public Bound {
 public:
  Bounds what() const override { return Bounds::nothing; }
  std::string description() const override { return "test"; }
  double threshold() const override { return 1; }
};

// p - s of a client's memory for p at the given coordinates.
Vector difference(ClientMemory& memory, std::size_t slot, Vector p, Support at = Support::all()) {
  Vector out;
  memory.before_sending(slot, make_gaussian(0)->release(Through().apply(p), at, {}, out));
  return out;
}

TEST(ShiftMemory, ClientByHand) {
  EXPECT_TRUE(shift().traits.changes_released && shift().traits.needs_everyone);
  const auto memory = shift().client(2, 3, 0.5);
  EXPECT_EQ(difference(*memory, 0, {1, 2, 3}), (Vector{1, 2, 3}));  // s = 0 at first
  const Vector whole{4, 6, 8};
  memory->after_sending(0, {Support::all(), whole});  // s = (2, 3, 4)
  EXPECT_EQ(difference(*memory, 0, {1, 2, 3}), (Vector{-1, -1, -1}));
  const std::vector<std::uint32_t> at{2};
  const Vector value{10};
  memory->after_sending(0, {Support::of(at), value});  // s = (2, 3, 9)
  EXPECT_EQ(difference(*memory, 0, {1, 2, 3}), (Vector{-1, -1, -6}));
  const std::vector<std::uint32_t> some{1, 2};
  EXPECT_EQ(difference(*memory, 0, {1, 2, 3}, Support::of(some)), (Vector{-1, -6}));
  EXPECT_EQ(difference(*memory, 0, {1, 2, 3}, Support::of({})), Vector{});  // none is not all
  std::vector<double> values{1, 1};
  memory->undo(0, Support::of(some), values);
  EXPECT_EQ(values, (std::vector<double>{4, 10}));
  EXPECT_EQ(difference(*memory, 1, {1, 2, 3}), (Vector{1, 2, 3}));  // slots are apart
}

// v uses the old s.
TEST(ShiftMemory, ServerByHand) {
  const auto memory = shift().server(2, 0.25);
  std::vector<double> mean{4, 8};
  memory->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{4, 8}));  // s = (1, 2) from here on
  mean = {4, 0};
  memory->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{5, 2}));  // s = (2, 2)
  mean = {0, 0};
  memory->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{2, 2}));
}

// g_i is the sum of all that was sent, and the direction the mean of the new g_i.
TEST(Ef21Memory, ByHand) {
  const MemoryKind& kind = row(memories(), "ef21").make;
  EXPECT_TRUE(kind.traits.takes_biased && kind.traits.changes_released &&
              kind.traits.needs_everyone);
  EXPECT_EQ(kind.usual_step(19.0), 0.05);
  EXPECT_EQ(kind.usual_step(0.125), 1.0);
  EXPECT_EQ(kind.usual_step(std::nan("")), 1.0);
  const auto client = kind.client(1, 2, 1);
  const auto server = kind.server(2, 1);
  EXPECT_EQ(difference(*client, 0, {3, 1}), (Vector{3, 1}));
  const std::vector<std::uint32_t> at{0};
  const Vector sent{3};
  client->after_sending(0, {Support::of(at), sent});
  EXPECT_EQ(difference(*client, 0, {3, 1}), (Vector{0, 1}));
  std::vector<double> mean{3, 0};
  server->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{3, 0}));
  mean = {0, 1};
  server->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{3, 1}));
}

// The first round is whole: g = p. Later ones send what has changed, whatever g is.
TEST(DifferenceMemory, ByHand) {
  const MemoryKind& kind = row(memories(), "marina").make;
  EXPECT_TRUE(kind.traits.needs_everyone && kind.traits.needs_whole_vectors);
  EXPECT_FALSE(kind.traits.takes_biased || kind.traits.is_free);
  const auto client = kind.client(1, 2, 1e-9);
  client->begin_round(1, 0);
  EXPECT_EQ(difference(*client, 0, {3, 1}), (Vector{3, 1}));
  client->after_sending(0, {Support::all(), Vector{3, 1}});
  client->begin_round(1, 1);
  EXPECT_EQ(difference(*client, 0, {5, 0}), (Vector{2, -1}));
  const std::vector<std::uint32_t> at{0};
  const Vector sent{4};
  client->after_sending(0, {Support::of(at), sent});  // g = (7, 1)
  client->begin_round(1, 2);
  EXPECT_EQ(difference(*client, 0, {5, 2}), (Vector{0, 2}));
  // Where the coin falls the difference is to g, and corrects it.
  const auto whole = kind.client(1, 2, 1);
  whole->begin_round(1, 0);
  difference(*whole, 0, {3, 1});
  whole->after_sending(0, {Support::of(at), sent});  // g = (4, 0)
  whole->begin_round(1, 1);
  EXPECT_EQ(difference(*whole, 0, {5, 2}), (Vector{1, 2}));
  const auto server = kind.server(2, 1);
  std::vector<double> mean{3, 1};
  server->restore(mean);
  mean = {2, -1};
  server->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{5, 0}));
}

TEST(NoMemory, RemembersNothing) {
  const MemoryKind& none = row(memories(), "none").make;
  EXPECT_FALSE(none.traits.changes_released || none.traits.works_without_sending ||
               none.traits.needs_everyone || none.traits.needs_whole_vectors);
  const auto client = none.client(1, 2, 1);
  Vector u{3, 4};
  client->take_in_bounded(0, {Support::all(), u});
  client->before_bound(0, u);
  EXPECT_EQ(u, (Vector{3, 4}));
  const Vector sent{1, 1};
  client->after_sending(0, {Support::all(), sent});
  EXPECT_EQ(difference(*client, 0, {3, 4}), (Vector{3, 4}));
  const auto server = none.server(2, 1);
  std::vector<double> mean{1, 2};
  server->restore(mean);
  server->restore(mean);
  EXPECT_EQ(mean, (std::vector<double>{1, 2}));
}

// spec 6.6: s^t = mean_i s_i^t for all t and any compressor, up to rounding.
TEST(ShiftMemory, ServerShiftIsTheMeanOfTheClientShifts) {
  constexpr std::size_t clients = 5;
  constexpr std::size_t d = 40;
  for (const auto& row : compressors()) {
    const auto compressor = testing::make_compressor(row.name, d);
    const double omega = compressor->traits().omega;
    const double gamma = theory_shift_step(std::isnan(omega) ? 0.0 : omega);
    const auto client = shift().client(clients, d, gamma);
    const auto server = shift().server(d, gamma);
    for (std::uint32_t round = 0; round < 40; ++round) {
      std::vector<double> mean(d, 0.0);
      for (std::uint32_t c = 0; c < clients; ++c) {
        const Vector p = testing::random_vector(d, 100 * round + c);
        Message message;
        compressor->compress(difference(*client, c, p), {1, Purpose::mask, c, round}, message);
        client->after_sending(c, compressor->expand(message));
        const auto sent = testing::dense(compressor->expand(message), d);
        for (std::size_t j = 0; j < d; ++j) mean[j] += sent[j] / clients;
      }
      server->restore(mean);
      std::vector<double> known(d, 0.0);
      server->restore(known);  // a mean of 0 shows s and leaves it alone
      std::vector<double> own(d, 0.0);
      for (std::uint32_t c = 0; c < clients; ++c) {
        const Vector s = difference(*client, c, Vector(d, real{0}));
        for (std::size_t j = 0; j < d; ++j) own[j] -= static_cast<double>(s[j]) / clients;
      }
      for (std::size_t j = 0; j < d; ++j)
        ASSERT_NEAR(known[j], own[j], 200 * testing::rounding) << row.name << ' ' << round;
    }
  }
}

// spec 6.6.
TEST(TheoryShiftStep, PublishedValues) {
  EXPECT_NEAR(theory_shift_step(124.0 / 6.0 - 1.0), 0.04779819, 5e-9);
  EXPECT_NEAR(theory_shift_step(50890.0 / 2544.0 - 1.0), 0.04936147, 5e-9);
  EXPECT_NEAR(theory_shift_step(51675.0 / 2583.0 - 1.0), 0.04935690, 5e-9);
  EXPECT_DOUBLE_EQ(theory_shift_step(0.0), std::sqrt(0.5));
}

// spec 6.6: with the theory's step the contraction 1 - 2g + g^2 (1+w) is at most 1 - 1/(2(1+w)).
TEST(TheoryShiftStep, Contracts) {
  for (const double omega : {0.0, 0.5, 1.0, 5.0, 19.66667, 100.0}) {
    const double g = theory_shift_step(omega);
    EXPECT_LE(1 - 2 * g + g * g * (1 + omega), 1 - 1 / (2 * (1 + omega)) + 1e-12) << omega;
  }
  const double g = theory_shift_step(124.0 / 6.0 - 1.0);
  EXPECT_NEAR(1 - 2 * g + g * g * 124.0 / 6.0, 0.95162, 5e-6);
  EXPECT_NEAR(1 - 1 / (2 * 124.0 / 6.0), 0.97581, 5e-6);
}

}  // namespace trilemma::memory_test
