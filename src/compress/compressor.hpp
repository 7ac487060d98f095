#pragma once
// Compressors C: R^d -> messages.

#include <limits>
#include <memory>

#include "base/support.hpp"
#include "compress/rounding.hpp"
#include "numeric/random.hpp"
#include "privacy/mechanism.hpp"
#include "settings/table.hpp"
#include "wire/layout.hpp"

namespace trilemma {

/// What assembly needs to know of a compressor.
struct CompressorTraits {
  bool unbiased;           ///< E C(z) = z
  double omega;            ///< E||C(z) - z||^2 <= omega ||z||^2; NaN where no bound holds
  double gain;             ///< ||C(z)|| <= gain ||z||, whatever is drawn; NaN where no bound holds
  bool is_shared = false;  ///< all clients of a round send the same coordinates, drawn from the key
  double share = 1;        ///< of the coordinates, sent in expectation
  /// The compressor loses only coordinates that it does not send; those that it sends are at most
  /// rounded without bias, and scaled where `unbiased`.
  bool chooses_coordinates = false;
  double delta = 0;  ///< if biased: E||C(z) - z||^2 <= (1 - delta) ||z||^2; 0 = no bound

  /// How far a coordinate may be from what the receiver knows (near()) to be decoded.
  double reach = std::numeric_limits<double>::infinity();

  bool needs_reference() const { return reach < std::numeric_limits<double>::infinity(); }
  /// Of C where C(z) / (1 + omega) is what contracts, for unbiased ones (Beznosikov et al. 2020).
  double contraction() const { return unbiased ? 1.0 / (1.0 + omega) : delta; }
};

/// A message that may be posted: what a compressor has made of a released vector. Bounds make
/// Bounded vectors, mechanisms make them Released, compressors make those Sealed, an Outbox takes
/// nothing else, and uplinks send Outboxes. Refers to the message, which must stay as it is until
/// it is posted.
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

/// Randomness comes from the key alone, so both ends can draw it.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Returns the kind with its parameter, for legends: "rand-k, k = 12".
  virtual std::string label() const = 0;
  /// Returns one line that begins with the label.
  virtual std::string description() const = 0;
  virtual CompressorTraits traits() const = 0;
  virtual Layout layout() const = 0;
  /// C(z) as a message, its values already rounded to the wire format.
  virtual void compress(ConstView z, const Key& key, Message& out) = 0;
  /// The same of a whole released vector, to be posted. `out` must outlive it.
  Sealed seal(const Released& z, const Key& key, Message& out) {
    compress(z.values(), key, out);
    return Sealed(out);
  }
  /// Both ends: what they know the vectors to be close to, from now on, as far as they look at it
  /// (traits().reach); empty = 0. Must outlive them.
  virtual void reference_model(ConstView) {}
  /// Receiver: fills in what the wire does not carry (the coordinates of keyed masks).
  virtual void recall(const Key&, Message&) {}
  /// The vector a message stands for; valid until the next call. Its values do not depend on what
  /// `recall` fills in.
  virtual SparseView expand(const Message& message) = 0;
  /// This compressor as one whose coordinates do not depend on the vector, or nullptr.
  virtual ObliviousCompressor* oblivious() { return nullptr; }
  virtual bool is_oblivious() const { return false; }
};

/// C(z) = gain * z at coordinates drawn without looking at z. The stages before it then need to
/// work at those coordinates only.
class ObliviousCompressor : public Compressor {
 public:
  /// The coordinates; a list of them is written to `index`.
  virtual Support support(const Key& key, std::vector<std::uint32_t>& index) = 0;
  virtual double gain() const = 0;
  /// seal() of a vector that was released at the support alone, into message.value.
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
  // Turns message.value, holding z at the coordinates that are sent, into C(z).
  void finish(const Key& key, Message& message);

  Rounding rounding_;
};

/// 1, or where C enlarges what it leaves out (omega >= 1) the share 1 / (1 + omega) of it that
/// contracts.
inline double contractive_step(double omega) { return omega >= 1 ? 1 / (1 + omega) : 1; }

using CompressorMaker = std::unique_ptr<Compressor> (*)(Settings&, std::size_t dimension,
                                                        ValueFormat);

/// All compressors.
std::span<const Row<CompressorMaker>> compressors();

}  // namespace trilemma
