#pragma once
// Interface of compressors C: R^d -> messages.

#include <limits>
#include <memory>

#include "base/support.hpp"
#include "compress/rounding.hpp"
#include "numeric/random.hpp"
#include "privacy/mechanism.hpp"
#include "settings/table.hpp"
#include "wire/layout.hpp"

namespace trilemma {

/// Properties of a compressor that assembly and claims depend on.
struct CompressorTraits {
  bool unbiased;           ///< E C(z) = z
  double omega;            ///< E||C(z) - z||^2 <= omega ||z||^2; NaN where no bound holds
  double gain;             ///< ||C(z)|| <= gain ||z|| for every draw; NaN where no bound holds
  bool is_shared = false;  ///< all clients of a round send the same coordinates, drawn from the key
  double share = 1;        ///< expected share of the coordinates that is sent
  /// Whether the compressor loses only coordinates that it does not send; those that it sends are
  /// at most rounded without bias, and scaled if `unbiased`.
  bool chooses_coordinates = false;
  double delta = 0;  ///< if biased: E||C(z) - z||^2 <= (1 - delta) ||z||^2; 0 = no bound

  /// Largest distance of a coordinate from the receiver's reference (reference_model()) that can be
  /// decoded.
  double reach = std::numeric_limits<double>::infinity();

  /// Returns whether decoding depends on the reference.
  bool needs_reference() const { return reach < std::numeric_limits<double>::infinity(); }
};

/// A message that may be posted, made by a compressor from a released vector. The types fix the
/// order of the stages: bounds make Bounded vectors, mechanisms make them Released, compressors
/// make them Sealed, an Outbox accepts only Sealed messages, and uplinks send only Outboxes. A
/// Sealed refers to its message, which must stay unchanged until it is posted.
class Sealed {
 public:
  const Message& message() const { return message_; }

 private:
  friend class Compressor;
  friend class ObliviousCompressor;
  explicit Sealed(const Message& message) : message_(message) {}
  const Message& message_;
};

class ObliviousCompressor;

/// A compressor C. Its randomness comes from the key alone, so both ends can draw it.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Returns the kind with its parameter, for legends: "rand-k, k = 12".
  virtual std::string label() const = 0;
  /// Returns one line that begins with the label.
  virtual std::string description() const = 0;
  /// Returns the properties of the compressor for its dimension and format.
  virtual CompressorTraits traits() const = 0;
  /// Returns the layout of its messages.
  virtual Layout layout() const = 0;
  /// Writes C(z) to `out`, with values already rounded to the wire format.
  virtual void compress(ConstView z, const Key& key, Message& out) = 0;
  /// Compresses a released vector into `out` and returns it ready to be posted. `out` must outlive
  /// the result.
  Sealed seal(const Released& z, const Key& key, Message& out) {
    compress(z.values(), key, out);
    return Sealed(out);
  }
  /// Sets the reference model at both ends: a vector that the inputs are known to be close to. Used
  /// only by compressors with a finite traits().reach; empty = 0. The view must stay valid while it
  /// is the reference.
  virtual void reference_model(ConstView) {}
  /// Receiver: returns the number of entries of the message with this key, for layouts in which the
  /// key determines it.
  virtual std::size_t entries(const Key&) { return 0; }
  /// Receiver: restores the fields that the wire does not carry (the coordinates of keyed masks).
  virtual void recall(const Key&, Message&) {}
  /// Returns the vector that `message` represents, that of the last compress() or recall(); valid
  /// until the next call. Where the key does not determine the number of entries, its values do not
  /// depend on what recall() fills in.
  virtual SparseView expand(const Message& message) = 0;
  /// Returns this compressor as one whose coordinates do not depend on z, or nullptr.
  virtual ObliviousCompressor* oblivious() { return nullptr; }
  virtual bool is_oblivious() const { return false; }
};

/// A compressor C(z) = gain * z at coordinates that are drawn without looking at z. Earlier stages
/// then need to compute those coordinates only.
class ObliviousCompressor : public Compressor {
 public:
  /// Returns the coordinates drawn for `key`; a list of them is stored in `index`.
  virtual Support support(const Key& key, std::vector<std::uint32_t>& index) = 0;
  /// Returns the factor in C(z) = gain * z.
  virtual double gain() const = 0;
  /// Completes `message` for a vector that was released at the support alone, with the released
  /// values in message.value. Equal to seal() of a whole vector.
  Sealed seal_at_support(const Released& z, const Key& key, Message& message);

  void compress(ConstView z, const Key& key, Message& out) final;
  void recall(const Key& key, Message& message) final;
  SparseView expand(const Message& message) final {
    const bool is_all = message.index.empty() && layout().index == IndexCode::all;
    return {is_all ? Support::all() : Support::of(message.index), message.value};
  }
  ObliviousCompressor* oblivious() final { return this; }
  bool is_oblivious() const final { return true; }

 private:
  // Replaces message.value, which holds z at the coordinates that are sent, by C(z).
  void finish(const Key& key, Message& message);

  Rounding rounding_;
};

/// Returns the step size of a memory: 1, or 1 / (1 + omega) if omega >= 1, where C itself enlarges
/// the remainder and only C / (1 + omega) contracts.
inline double contractive_step(double omega) { return omega >= 1 ? 1 / (1 + omega) : 1; }

using CompressorMaker =
    std::function<std::unique_ptr<Compressor>(std::size_t dimension, ValueFormat)>;

/// Returns the table of all compressors.
std::span<const Row<CompressorMaker>> compressors();

/// Returns a compressor that sends the whole vector in rounds in which a coin with this probability
/// comes up (common_coin, the same for all clients), and C(z) of `other` in all other rounds;
/// returns `other` itself if that always sends everything. Throws UserError unless `other` is
/// oblivious.
std::unique_ptr<Compressor> marina_switch(std::unique_ptr<Compressor> other, double probability);

}  // namespace trilemma
