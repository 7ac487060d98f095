#include "privacy/joint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numeric/integer_noise.hpp"

namespace trilemma {
namespace {

struct WordOptions {
  int bits = accounting::DistributedTask{}.bits;
  double wrap = accounting::DistributedTask{}.wrap;
  void read(Reader& r) {
    r("bits", bits, {.low = 4, .high = most_word_bits},
      "b: bits of a word; sums are taken modulo 2^b");
    r("wrap", wrap, {.low = 1, .high = 20},
      "k: standard deviations of a coordinate of the sum that fit into 2^(b-1); fewer make the "
      "grid finer, and sums wrap around more often");
  }
};

struct AnswerOptions {
  int bits = LocalTask{}.bits;
  void read(Reader& r) {
    r("bits", bits, {.low = 1, .high = most_answer_bits},
      "largest number of bits of a message; as many are sent as make the error smallest");
  }
};

JointChoice no_mechanism() { return {}; }
JointChoice make_short_answers(const AnswerOptions& options) {
  return {.local = LocalTask{.kind = LocalKind::sqkr, .bits = options.bits}};
}
JointChoice make_directions() { return {.local = LocalTask{.kind = LocalKind::privunit}}; }

template <accounting::IntegerLaw law>
JointChoice make_words_of(const WordOptions& options) {
  return {.words =
              accounting::DistributedTask{.law = law, .bits = options.bits, .wrap = options.wrap}};
}

JointChoice make_layered_of(const CoordinateClip& options) { return {.layered = options}; }
JointChoice make_trials_of(const RandomTrials& options) { return {.trials = options}; }
JointChoice make_blocks_of(const MaskedBlocks& options) { return {.blocks = options}; }
JointChoice make_signs_of(const MaskedSigns& options) { return {.signs = options}; }

// Returns the number congruent to `value` modulo 2^b in [-2^(b-1), 2^(b-1)).
double centred(double value, double modulus) {
  return value - modulus * std::floor(value / modulus + 0.5);
}

// Returns the table of a share of the noise. Runs that differ in the seed alone share it, since it
// takes up to a second to compute.
std::shared_ptr<const IntegerNoiseTable> table_of(accounting::IntegerLaw law, double sigma) {
  thread_local std::shared_ptr<const IntegerNoiseTable> last;
  thread_local std::pair<accounting::IntegerLaw, double> last_asked;
  if (last != nullptr && last_asked == std::pair{law, sigma}) return last;
  last = std::make_shared<const IntegerNoiseTable>(
      law == accounting::IntegerLaw::skellam ? IntegerNoiseTable::skellam(sigma)
                                             : IntegerNoiseTable::discrete_gaussian(sigma));
  last_asked = {law, sigma};
  return last;
}

class IntegerMechanism final : public Mechanism {
 public:
  IntegerMechanism(accounting::IntegerLaw law, const accounting::DistributedNoise& noise,
                   unsigned bits)
      : law_(law), noise_(noise), bits_(bits), table_(table_of(law, noise.share_sigma)) {}

  std::string description() const override { return in_words(law_, noise_, bits_); }
  double sigma() const override { return noise_.share_sigma / noise_.scale; }

 private:
  void perturb(ConstView u, Support at, const Key& key, View out, double factor) override {
    expect(at.is_all() && factor == 1, "words are whole vectors with noise of one size");
    Key rounding = key;
    rounding.purpose = Purpose::rounding;
    rounded_.resize(u.size());
    round_within(u, noise_.scale, noise_.bound_squared, rounding, rounded_);
    drawn_.resize(u.size());
    integer_noise(*table_, key, 0, drawn_);
    const double modulus = std::ldexp(1.0, static_cast<int>(bits_));
    for (std::size_t j = 0; j < u.size(); ++j)
      out[j] = static_cast<real>(centred(static_cast<double>(rounded_[j] + drawn_[j]), modulus));
  }

  accounting::IntegerLaw law_;
  accounting::DistributedNoise noise_;
  unsigned bits_;
  std::shared_ptr<const IntegerNoiseTable> table_;
  std::vector<std::int64_t> rounded_, drawn_;  ///< scratch memory
};

class TrialMechanism final : public Mechanism {
 public:
  TrialMechanism(int trials, double theta, double limit)
      : trials_(static_cast<std::size_t>(trials)),
        theta_(theta),
        limit_(limit),
        least_(std::ceil((0.5 - theta) * 0x1p32)) {}

  std::string description() const override {
    return fmt::format("binomial numbers of {} trials, theta = {:.9g}, coordinates up to {:.9g}",
                       trials_, theta_, limit_);
  }
  double sigma() const override { return sigma_of_trials(trials_, theta_, limit_); }

 private:
  void perturb(ConstView u, Support at, const Key& key, View out, double factor) override {
    expect(at.is_all() && factor == 1, "trials are of whole vectors");
    // In pieces, so that memory does not grow with d m; each begins with a block of four words.
    constexpr std::size_t piece = 1U << 12U;
    expect((u.size() + piece) / 4 * trials_ < std::size_t{1} << 32U,
           "the trials of a vector fit into its stream of 2^32 blocks");
    word_.resize(piece * trials_);
    for (std::size_t first = 0; first < u.size(); first += piece) {
      random_words(key, static_cast<std::uint32_t>(first / 4 * trials_), word_);
      const std::size_t count = std::min(piece, u.size() - first);
      for (std::size_t j = 0; j < count; ++j)
        out[first + j] = static_cast<real>(successes(j, static_cast<double>(u[first + j]))) -
                         static_cast<real>((trials_ + 1) / 2);
    }
  }

  // Returns the number of successes of coordinate j of the piece, whose value is y.
  std::size_t successes(std::size_t j, double y) const {
    // To clip the probability is to clip y.
    const double chosen = std::round((0.5 + theta_ * y / limit_) * 0x1p32);
    const auto threshold = static_cast<std::uint64_t>(std::clamp(chosen, least_, 0x1p32 - least_));
    std::size_t found = 0;
    for (std::size_t t = 0; t < trials_; ++t) found += word_[j * trials_ + t] < threshold ? 1 : 0;
    return found;
  }

  std::size_t trials_;
  double theta_, limit_;
  double least_;                     ///< smallest probability, times 2^32
  std::vector<std::uint32_t> word_;  ///< scratch memory
};

}  // namespace

void MaskedBlocks::read(Reader& r) {
  r("rate", rate, {.low = 0, .high = 1, .low_open = true},
    "gamma: probability that a block is sent");
  r("block", block, {.low = 1, .high = 1 << 24}, "B: coordinates of a block");
  r("range", range, {.low = 1, .high = 1000},
    "kappa: a block is clipped to norm kappa C sqrt(B / d)");
  r("rotate", rotates, "rotate vectors before the bound, so that clipping hardly changes them");
}

std::size_t MaskedBlocks::count(std::size_t dimension) const {
  const auto size = static_cast<std::size_t>(block);
  return (dimension + size - 1) / size;
}

double MaskedBlocks::limit(double norm, std::size_t dimension) const {
  const double share = block / static_cast<double>(dimension);
  return norm * std::min(1.0, range * std::sqrt(share));
}

void RandomTrials::read(Reader& r) {
  r("trials", trials, {.low = 1, .high = 1023}, "m: trials of a coordinate");
  clip.read(r);
}

double sigma_of_trials(double trials, double theta, double limit) {
  return limit / (2 * theta * std::sqrt(trials));
}

void CoordinateClip::read(Reader& r) {
  r("range", range, {.low = 1, .high = 1000},
    "kappa: coordinates are clipped to kappa C / sqrt(d)");
  r("rotate", rotates,
    "rotate vectors before the bound, so that clipping hardly changes them; false = for vectors "
    "whose coordinates are equal in size");
}

double CoordinateClip::kappa(std::size_t dimension) const {
  return std::min(range, std::sqrt(static_cast<double>(dimension)));
}

double CoordinateClip::limit(double norm, std::size_t dimension) const {
  return kappa(dimension) * norm / std::sqrt(static_cast<double>(dimension));
}

void MaskedSigns::read(Reader& r) {
  r("rate", rate, {.low = 0, .high = 1, .low_open = true},
    "gamma: probability that a coordinate is sent");
  clip.read(r);
}

double MaskedSigns::size(double norm, std::size_t dimension) const {
  return static_cast<double>(static_cast<real>(clip.limit(norm, dimension) / rate));
}

std::span<const Row<JointMaker>> joints() {
  using accounting::IntegerLaw;
  static const Row<JointMaker> rows[] = {
      part_without_settings("none", "independent noise, then a compressor", no_mechanism),
      part_with_settings("ddgauss",
                         "integers with shares of discrete Gaussian noise, summed modulo 2^b",
                         make_words_of<IntegerLaw::discrete_gaussian>),
      part_with_settings("skellam", "integers with shares of Skellam noise, summed modulo 2^b",
                         make_words_of<IntegerLaw::skellam>),
      part_with_settings("pbm", "counts of random trials, of which only sums are seen",
                         make_trials_of),
      part_with_settings("layered",
                         "integers whose decoding error is a share of Gaussian noise, to a trusted "
                         "server",
                         make_layered_of),
      part_with_settings(
          "csgm",
          "random signs of coordinates under a secret mask, to a trusted server that "
          "adds the noise",
          make_signs_of),
      part_with_settings("blocks",
                         "blocks of coordinates under a secret mask, to a trusted server that adds "
                         "the noise",
                         make_blocks_of),
      part_with_settings("sqkr", "a few bits of a vector, each message private alone",
                         make_short_answers),
      part_without_settings("privunit", "a random direction, each message private alone",
                            make_directions)};
  return rows;
}

double rotation_flatness(std::size_t dimension) {
  return static_cast<double>(dimension) / static_cast<double>(std::bit_floor(dimension));
}

std::string in_words(accounting::IntegerLaw law, const accounting::DistributedNoise& noise,
                     unsigned bits) {
  return fmt::format(
      "{}, sigma = {:.9g} in integers of scale {:.9g} and norm at most {:.9g}, modulo 2^{}, sums "
      "wrap around with probability at most {:.2g}",
      accounting::name(law), noise.share_sigma, noise.scale,
      std::sqrt(static_cast<double>(noise.bound_squared)), bits, noise.wrap_probability);
}

std::unique_ptr<Mechanism> make_integer_mechanism(accounting::IntegerLaw law,
                                                  const accounting::DistributedNoise& noise,
                                                  unsigned bits) {
  return std::make_unique<IntegerMechanism>(law, noise, bits);
}

std::unique_ptr<Mechanism> make_random_trials(int trials, double theta, double limit) {
  return std::make_unique<TrialMechanism>(trials, theta, limit);
}

void WordSum::restore(std::span<double> sum, std::size_t count) const {
  if (bits == 0) return;
  const double modulus = std::ldexp(1.0, static_cast<int>(bits));
  const double middle = centre * static_cast<double>(count);
  for (double& value : sum) value = centred(value - middle, modulus) / scale;
}

}  // namespace trilemma
