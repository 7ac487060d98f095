#include "privacy/secure_sum.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"

namespace trilemma {
namespace {

constexpr std::size_t key_bytes = 32;
// Replace the client in addresses of the ring and of masks; clients have smaller numbers.
constexpr std::uint32_t ring_client = 0xFFFFFFFFU, mask_client = 0xFFFFFFFEU;
// A share of each of two keys, encrypted and authenticated.
constexpr std::size_t sealed_bytes = 2 * key_bytes + 16;

struct SecureSumOptions {
  double corrupt = 0;
  double dropouts = 0;
  void read(Reader& r) {
    r("corrupt", corrupt, {.low = 0, .high = 1, .high_open = true},
      "share of the clients that may work with the server against the others; their noise does "
      "not count");
    r("dropouts", dropouts, {.low = 0, .high = 1, .high_open = true},
      "share of the clients that may drop out of a round; the noise of the others suffices");
  }
};

SecureSum in_the_clear() { return {}; }
SecureSum with_masks(const SecureSumOptions& o) {
  return {.is_on = true, .corrupt = o.corrupt, .dropouts = o.dropouts};
}
SecureSum counted(const SecureSumOptions& o) {
  return {.is_on = true, .has_masks = false, .corrupt = o.corrupt, .dropouts = o.dropouts};
}

// Returns the number congruent to `word` modulo 2^b in [-2^(b-1), 2^(b-1)).
std::int32_t centred(std::uint32_t word, unsigned bits) {
  const std::uint32_t half = 1U << (bits - 1);
  return static_cast<std::int32_t>((word + half) & (2 * half - 1)) -
         static_cast<std::int32_t>(half);
}

// Calls visit(first, words) with the words of a mask, some at a time.
template <class Visit>
void each_piece(const Key& key, std::size_t count, const Visit& visit) {
  constexpr std::size_t piece = 1024;
  std::array<std::uint32_t, piece> words;
  for (std::size_t first = 0; first < count; first += piece) {
    const std::span<std::uint32_t> some(words.data(), std::min(piece, count - first));
    random_words(key, static_cast<std::uint32_t>(first / 4), some);
    visit(first, std::span<const std::uint32_t>(some));
  }
}

auto add_to(std::vector<std::uint32_t>& sum) {
  return [&sum](std::size_t first, std::span<const std::uint32_t> words) {
    for (std::size_t c = 0; c < words.size(); ++c) sum[first + c] += words[c];
  };
}
auto subtract_from(std::vector<std::uint32_t>& sum) {
  return [&sum](std::size_t first, std::span<const std::uint32_t> words) {
    for (std::size_t c = 0; c < words.size(); ++c) sum[first + c] -= words[c];
  };
}

}  // namespace

std::span<const Row<SecureSumMaker>> secure_sums() {
  static const Row<SecureSumMaker> table[] = {
      part_without_settings("none", "the server is trusted to look at sums only", in_the_clear),
      part_with_settings("masks", "masks between pairs of clients, which cancel in the sum",
                         with_masks),
      part_with_settings("counted", "the bits of such masks are counted, and none are added",
                         counted)};
  return table;
}

MaskTraffic mask_traffic(const accounting::MaskGraph& graph, std::uint64_t clients,
                         std::uint64_t survivors) {
  const std::uint64_t k = graph.degree;
  return {8 * (clients * (2 * key_bytes + k * sealed_bytes) + survivors * k * key_bytes),
          8 * (clients * k * (2 * key_bytes + sealed_bytes) + survivors * ((k + 7) / 8))};
}

PairMasks::PairMasks(std::uint64_t seed, std::uint32_t clients, accounting::MaskGraph graph,
                     unsigned bits)
    : seed_(seed), clients_(clients), graph_(graph), bits_(bits) {
  expect(bits >= 1 && bits <= 24 && graph.degree < clients, "masks of 1 to 24 bits for others");
}

// Orders the ring of the round: a random permutation (Fisher and Yates).
void PairMasks::order(std::uint32_t round) {
  if (ordered_round_ == round) return;
  ordered_round_ = round;
  ring_.resize(clients_);
  place_.resize(clients_);
  std::iota(ring_.begin(), ring_.end(), 0U);
  Stream stream({seed_, Purpose::secagg, ring_client, round});
  for (std::uint32_t i = clients_ - 1; i > 0; --i) std::swap(ring_[i], ring_[stream.below(i + 1)]);
  for (std::uint32_t p = 0; p < clients_; ++p) place_[ring_[p]] = p;
}

Coordinates PairMasks::neighbours(std::uint32_t round, std::uint32_t client) {
  neighbour_.clear();
  if (graph_.degree + 1 == clients_) {
    for (std::uint32_t j = 0; j < clients_; ++j)
      if (j != client) neighbour_.push_back(j);
    return neighbour_;
  }
  order(round);
  for (std::uint32_t step = 1; step <= graph_.degree / 2; ++step)
    for (const std::uint32_t offset : {step, clients_ - step})
      neighbour_.push_back(ring_[(place_[client] + offset) % clients_]);
  std::ranges::sort(neighbour_);
  return neighbour_;
}

// Returns the address of PRG(s_ij), or of PRG(b_i) if i = j: its seed is block j of the stream of
// client i < j.
Key PairMasks::mask_of(std::uint32_t round, std::uint32_t i, std::uint32_t j) const {
  std::array<std::uint32_t, 4> word{};
  random_words({seed_, Purpose::secagg, std::min(i, j), round}, std::max(i, j), word);
  return {std::uint64_t{word[1]} << 32U | word[0], Purpose::secagg, mask_client, round};
}

void PairMasks::add(std::uint32_t round, std::uint32_t client, std::span<std::int32_t> words) {
  neighbours(round, client);
  sum_.assign(words.begin(), words.end());
  each_piece(mask_of(round, client, client), words.size(), add_to(sum_));
  for (const std::uint32_t other : neighbour_)
    client < other ? each_piece(mask_of(round, client, other), words.size(), add_to(sum_))
                   : each_piece(mask_of(round, client, other), words.size(), subtract_from(sum_));
  for (std::size_t c = 0; c < words.size(); ++c) words[c] = centred(sum_[c], bits_);
}

void PairMasks::mark(Coordinates survivors) {
  is_left_.assign(clients_, false);
  for (const std::uint32_t client : survivors) is_left_[client] = true;
}

void PairMasks::remove(std::uint32_t round, Coordinates survivors, std::span<double> sum) {
  mark(survivors);
  sum_.assign(sum.size(), 0U);
  for (const std::uint32_t client : survivors)
    each_piece(mask_of(round, client, client), sum.size(), add_to(sum_));
  for (std::uint32_t gone = 0; gone < clients_; ++gone) {
    if (is_left_[gone]) continue;
    for (const std::uint32_t client : neighbours(round, gone)) {
      if (!is_left_[client]) continue;
      client < gone ? each_piece(mask_of(round, client, gone), sum.size(), add_to(sum_))
                    : each_piece(mask_of(round, client, gone), sum.size(), subtract_from(sum_));
    }
  }
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] -= centred(sum_[c], bits_);
}

std::optional<std::uint32_t> PairMasks::lost_client(std::uint32_t round, Coordinates survivors) {
  if (survivors.size() == clients_) return std::nullopt;
  mark(survivors);
  for (std::uint32_t client = 0; client < clients_; ++client)
    if (std::ranges::count_if(neighbours(round, client),
                              [&](auto other) { return is_left_[other]; }) < graph_.threshold)
      return client;
  return std::nullopt;
}

}  // namespace trilemma
