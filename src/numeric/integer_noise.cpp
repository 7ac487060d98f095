#include "numeric/integer_noise.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace trilemma {
namespace {

// The recurrences below lose at most 40 of its 332 bits.
using Digits = boost::multiprecision::cpp_bin_float_100;

constexpr unsigned upper_bits = 63;
constexpr std::size_t chunk = 64;  // numbers whose words are computed at once
constexpr unsigned try_shift = 8;  // of the try in the purpose of a key

void refuse_large(bool fits, const char* law, double sigma) {
  require(fits, "a table of {} noise of sigma {} needs more than {} entries; use fewer bits", law,
          sigma, IntegerNoiseTable::most_entries);
}

// Returns an integer k with P[|X| > k] < 2^-250 by Chernoff's bound with the given exponent.
template <class Exponent>
std::size_t far_end(const char* law, double sigma, const Exponent& exponent) {
  require(sigma >= 0.01, "sigma of {} noise is {}; it must be at least 0.01", law, sigma);
  constexpr double wanted = 175;
  double k = sigma * std::sqrt(2 * wanted);
  refuse_large(k < 2.0 * IntegerNoiseTable::most_entries, law, sigma);
  while (exponent(k) < wanted) k *= 1.125;
  return static_cast<std::size_t>(std::ceil(k)) + 8;
}

IntegerNoiseTable::Threshold threshold_of(const Digits& probability) {
  const auto digits =
      static_cast<boost::multiprecision::cpp_int>(floor(ldexp(probability, 127) + Digits(0.5)));
  return {static_cast<std::uint64_t>(digits >> 64U),
          static_cast<std::uint64_t>(digits & ~std::uint64_t{0})};
}

// Returns the table of the law with masses proportional to mass[|k|].
IntegerNoiseTable table_of(const std::vector<Digits>& mass, const char* law, double sigma) {
  std::vector<Digits> beyond(mass.size());  // of |X| > k
  for (std::size_t k = mass.size() - 1; k > 0; --k) beyond[k - 1] = beyond[k] + 2 * mass[k];
  const Digits all = mass[0] + beyond[0];
  const Digits last = ldexp(all, -126);
  std::vector<IntegerNoiseTable::Threshold> thresholds;
  for (std::size_t k = 0;; ++k) {
    thresholds.push_back(threshold_of((all - beyond[k]) / all));
    if (beyond[k] < last) break;
  }
  refuse_large(thresholds.size() <= IntegerNoiseTable::most_entries, law, sigma);
  return IntegerNoiseTable(std::move(thresholds));
}

std::int64_t number_of(const IntegerNoiseTable& table, const Key& key, std::uint32_t index,
                       std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32U) | low;
  const std::int64_t size = table.magnitude(bits >> 1U, [&] {
    Key more_key = key;
    more_key.purpose = static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tail_flag);
    std::uint32_t more[2];
    random_words(more_key, index, more);
    return (std::uint64_t{more[1]} << 32U) | more[0];
  });
  return (bits & 1U) != 0 ? -size : size;
}

// Makes one try of round_within(). Returns whether it is accepted; otherwise `out` is incomplete.
bool round_once(ConstView x, double scale, std::uint64_t bound_squared, const Key& key,
                std::span<std::int64_t> out) {
  std::array<std::uint32_t, 4 * chunk> word;
  std::uint64_t squares = 0;
  for (std::size_t done = 0; done < x.size(); done += word.size()) {
    const std::size_t count = std::min(word.size(), x.size() - done);
    random_words(key, static_cast<std::uint32_t>(done / 4), std::span(word).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double y = scale * static_cast<double>(x[done + i]);
      if (!(std::abs(y) < 0x1p31))
        throw RunFailure(fmt::format("a scaled value is {}, too large to be rounded", y));
      const double whole = std::floor(y);
      const bool up = (word[i] + 0.5) * 0x1p-32 < y - whole;
      const std::int64_t v = static_cast<std::int64_t>(whole) + (up ? 1 : 0);
      squares += static_cast<std::uint64_t>(v * v);
      if (squares > bound_squared) return false;
      out[done + i] = v;
    }
  }
  return true;
}

}  // namespace

IntegerNoiseTable::IntegerNoiseTable(std::vector<Threshold> thresholds)
    : threshold_(std::move(thresholds)) {
  const auto bits = static_cast<unsigned>(std::bit_width(threshold_.size()));
  shift_ = upper_bits - bits;
  const std::uint64_t places = std::uint64_t{1} << bits;
  std::uint32_t at = 0;
  for (std::uint64_t place = 0; place <= places; ++place) {
    while (at < threshold_.size() && threshold_[at].upper < place << shift_) ++at;
    guide_.push_back(at);
  }
}

IntegerNoiseTable IntegerNoiseTable::discrete_gaussian(double sigma) {
  constexpr const char* law = "discrete Gaussian";
  const double half = 0.5 / sigma / sigma;
  std::vector<Digits> mass(far_end(law, sigma, [half](double k) { return half * k * k; }) + 1);
  // exp(-(k+1)^2 h) = exp(-k^2 h) exp(-(2k+1) h), h = 1 / (2 sigma^2): two products for each k.
  Digits ratio = exp(-1 / (2 * Digits(sigma) * sigma));
  const Digits square = ratio * ratio;
  mass[0] = 1;
  for (std::size_t k = 1; k < mass.size(); ++k) {
    mass[k] = mass[k - 1] * ratio;
    ratio *= square;
  }
  return table_of(mass, law, sigma);
}

IntegerNoiseTable IntegerNoiseTable::skellam(double sigma) {
  constexpr const char* law = "Skellam";
  const double v = sigma * sigma;
  // P[X >= k] <= exp(-v (u asinh(u) - sqrt(1 + u^2) + 1)), u = k / v.
  const std::size_t end = far_end(law, sigma, [v](double k) {
    const double u = k / v;
    return k * std::asinh(u) - v * (u * u / (std::sqrt(1 + u * u) + 1));
  });
  std::vector<Digits> mass(end + 1);
  const Digits factor = 2 / (Digits(sigma) * sigma);
  mass[end] = 1;
  for (std::size_t k = end; k > 0; --k)
    mass[k - 1] = k * factor * mass[k] + (k < end ? mass[k + 1] : Digits(0));
  return table_of(mass, law, sigma);
}

void integer_noise(const IntegerNoiseTable& table, const Key& key, std::uint32_t first,
                   std::span<std::int64_t> out) {
  std::array<std::uint32_t, 2 * chunk> word;
  while (!out.empty()) {
    const std::size_t skipped = first % 2;
    const std::size_t count = std::min(out.size(), chunk - skipped);
    random_words(key, first / 2, std::span(word).first(2 * (skipped + count)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = 2 * (skipped + i);
      out[i] = number_of(table, key, first + static_cast<std::uint32_t>(i), word[at], word[at + 1]);
    }
    first += static_cast<std::uint32_t>(count);
    out = out.subspan(count);
  }
}

void integer_noise_at(const IntegerNoiseTable& table, const Key& key, Coordinates at,
                      std::span<std::int64_t> out) {
  for (std::size_t j = 0; j < at.size(); ++j) {
    std::uint32_t word[4];
    random_words(key, at[j] / 2, word);
    const std::size_t place = at[j] % 2;
    out[j] = number_of(table, key, at[j], word[2 * place], word[2 * place + 1]);
  }
}

std::uint32_t round_within(ConstView x, double scale, std::int64_t bound_squared, const Key& key,
                           std::span<std::int64_t> out) {
  for (std::uint32_t tries = 1; tries <= most_rounding_tries; ++tries) {
    Key own = key;
    own.purpose =
        static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tries << try_shift);
    if (round_once(x, scale, static_cast<std::uint64_t>(bound_squared), own, out)) return tries;
  }
  throw RunFailure(fmt::format("{} roundings of a vector to integers exceeded the norm sqrt({})",
                               most_rounding_tries, bound_squared));
}

}  // namespace trilemma
