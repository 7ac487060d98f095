#pragma once
// Joint mechanisms: one part replaces independent noise, compressor and format of messages. Words
// are integers modulo 2^b whose sum carries the noise of all clients, and so are counts of trials.
// The layered quantiser (compress/layered.hpp) and masks (compress/masked_signs.hpp,
// masked_blocks.hpp) need a trusted server; local messages (local_messages.hpp) no other party.

#include <optional>
#include <span>

#include "privacy/accountant/distributed_noise.hpp"
#include "privacy/local_messages.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Clipping of the coordinates of a bounded vector.
struct CoordinateClip {
  double range = 3;     ///< kappa, as set
  bool rotates = true;  ///< vectors are rotated before
  void read(Reader& r);
  /// Returns kappa for vectors of `dimension` coordinates, none of which exceeds the norm.
  double kappa(std::size_t dimension) const;
  /// Returns c = kappa C / sqrt(d) for vectors of `dimension` coordinates and norm up to `norm`.
  double limit(double norm, std::size_t dimension) const;
};

/// Random signs of masked coordinates (CSGM).
struct MaskedSigns {
  CoordinateClip clip = {};
  double rate = 0.05;  ///< gamma: probability that a coordinate is sent
  void read(Reader& r);
  /// Returns the magnitude of a decoded sign, c / gamma rounded to the type of messages.
  double size(double norm, std::size_t dimension) const;
};

/// Blocks of consecutive coordinates that a client draws in secret.
struct MaskedBlocks {
  double rate = 0.05;   ///< gamma: probability that a block is sent
  int block = 256;      ///< B: coordinates of a block
  double range = 1.1;   ///< kappa
  bool rotates = true;  ///< vectors are rotated before
  void read(Reader& r);
  /// Returns the number of blocks of a vector of `dimension` coordinates, rounded up.
  std::size_t count(std::size_t dimension) const;
  /// Returns the bound on the norm of a block of a vector of norm up to `norm`: kappa C sqrt(B /
  /// d), and not above C.
  double limit(double norm, std::size_t dimension) const;
};

/// Counts of random trials, one binomial number for each coordinate, which only sums are seen of
/// (the Poisson-binomial mechanism, PBM).
struct RandomTrials {
  CoordinateClip clip = {};
  int trials = 1;  ///< m
  void read(Reader& r);
};

/// A joint mechanism as chosen by settings: the field of its family, or none.
struct JointChoice {
  /// Words: law, bits and wrap; the other fields of the task follow from the run.
  std::optional<accounting::DistributedTask> words = {};
  std::optional<CoordinateClip> layered = {};  ///< the layered quantiser
  std::optional<MaskedSigns> signs = {};       ///< a trusted server adds the noise
  std::optional<MaskedBlocks> blocks = {};     ///< a trusted server adds the noise
  std::optional<RandomTrials> trials = {};     ///< the draws are the noise
  /// Messages that are private alone: kind and bits; the other fields follow from the run.
  std::optional<LocalTask> local = {};

  explicit operator bool() const { return words || layered || is_masked() || trials || local; }
  /// Returns whether clients send what they draw in secret, and a trusted server adds the noise.
  bool is_masked() const { return signs || blocks; }
  /// Returns whether messages are integers whose sum can be taken modulo a power of two.
  bool sums_integers() const { return words || trials; }
  /// Returns whether vectors are rotated, so that no coordinate of them, or of their sum, is large.
  bool rotates() const {
    return words || (layered && layered->rotates) || (signs && signs->clip.rotates) ||
           (blocks && blocks->rotates) || (trials && trials->clip.rotates);
  }
};
using JointMaker = std::function<JointChoice()>;

/// Returns the table of joint mechanisms: none, ddgauss, skellam, pbm, layered, csgm, blocks, sqkr,
/// privunit.
std::span<const Row<JointMaker>> joints();

/// Returns the ratio rho of the largest mean square of a rotated coordinate to ||x||^2 / d: d / p
/// for a Rotation of d coordinates, where p is the largest power of two up to d.
double rotation_flatness(std::size_t dimension);

/// Largest number of bits of a word: its magnitude, at most 2^23, is exact in a float.
inline constexpr int most_word_bits = 24;

/// Describes law, noise, scale, bound and modulus of a joint mechanism, and how probable it is at
/// most that some coordinate of the sum of a round wraps around.
std::string in_words(accounting::IntegerLaw law, const accounting::DistributedNoise& noise,
                     unsigned bits);

/// Returns the mechanism that scales a vector by S, rounds it at random to integers of norm at most
/// B, adds integer noise and reduces the sum modulo 2^bits to words in [-2^(bits-1), 2^(bits-1)).
/// Throws RunFailure for a vector that is not rounded after many attempts, which means that it is
/// longer than its bound, and UserError as the table of its noise does.
std::unique_ptr<Mechanism> make_integer_mechanism(accounting::IntegerLaw law,
                                                  const accounting::DistributedNoise& noise,
                                                  unsigned bits);

/// Returns the standard deviation of c (Z - m/2) / (m theta) at y = 0 (make_random_trials()):
/// c / (2 theta sqrt(m)), the largest for any y.
double sigma_of_trials(double trials, double theta, double limit);

/// Returns the mechanism that clips each coordinate y of a vector to [-c, c], c = `limit`, and
/// replaces it by Z - ceil(m/2) with Z ~ Binomial(m, 1/2 + theta y / c), m = `trials` (Chen, Ozgur
/// and Kairouz, 2207.09916). Probabilities are multiples of 2^-32 within the range that theta
/// allows.
std::unique_ptr<Mechanism> make_random_trials(int trials, double theta, double limit);

/// How a server reads the sum of words.
struct WordSum {
  unsigned bits = 0;  ///< b; 0 = clients send real numbers
  double scale = 1;   ///< S
  double centre = 0;  ///< a, the mean word of a client whose vector is 0

  /// Replaces sums of the words of `count` clients by sums of vectors: (w - a count mod 2^b) / S,
  /// where the remainder is in [-2^(b-1), 2^(b-1)). A sum beyond that range wraps around.
  void restore(std::span<double> sum, std::size_t count) const;
};

}  // namespace trilemma
