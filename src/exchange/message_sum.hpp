#pragma once
// Decodes, checks, adds and counts messages, for all uplinks.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compress/receiver.hpp"
#include "exchange/bit_metrics.hpp"
#include "numeric/exact_sum.hpp"

namespace trilemma {

/// Decodes messages and adds the vectors that they represent.
class MessageSum {
 public:
  /// Creates sums of `dimension` numbers; the vector of client i starts at position i * stride.
  /// With `aligned`, all vectors have the same coordinates, and entry j of a message is added to
  /// sum j. `near` returns the reference of a client's vector, if there is one.
  MessageSum(std::unique_ptr<Compressor> compressor, std::size_t dimension, std::size_t stride,
             std::uint64_t seed, bool aligned,
             std::function<ConstView(std::uint32_t client)> reference_model = {});

  /// Starts new sums of `terms` messages over all ranks. Assumes that no value exceeds the largest
  /// value of the previous round; settle() corrects the assumption.
  void begin(std::size_t terms);
  /// Adds a client's message and returns the largest magnitude of its values, which need not be
  /// finite.
  double add(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message);
  /// Sets the largest magnitude over all messages, which the next begin() will assume. Returns
  /// false if the assumption of this begin() is unsuitable for it; then all messages must be added
  /// again.
  bool settle(double largest);
  /// Returns, once all messages have been added and settled, whether rounding may have lost too
  /// much of some sums (ExactSum::doubt). If so, inspect() must be called for every message until
  /// it returns false.
  bool doubt() { return sum_.doubt(); }
  /// Passes a message to the second pass over the terms. Returns false once no further message is
  /// needed.
  bool inspect(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message);
  /// Returns the sums, for the exchange between ranks that doubt() requires.
  ExactSum& sums() { return sum_; }
  /// Returns the sums. `combine` may first add the sums of other ranks (spans of equal length on
  /// all).
  std::span<double> finish(const std::function<void(std::span<double>)>& combine);
  /// Returns the bits of the messages added since begin(): model bits, payload bits, and the number
  /// of messages; integers.
  std::array<double, 3> bits(double model_bits_per_value) const;
  /// Returns the same for `messages` messages of equal size. Requires is_equal().
  std::array<double, 3> bits_of_equal(std::size_t messages, double model_bits_per_value) const;
  bool is_equal() const { return layout_.is_equal(); }
  /// Returns the coordinates common to all messages of a round. Requires `aligned`.
  Support coordinates(std::uint32_t round);

 private:
  SparseView open(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message);
  Support place(const SparseView& sent) const { return aligned_ ? Support::all() : sent.at; }
  Key mask(std::uint32_t client, std::uint32_t round) const {
    return {seed_, Purpose::mask, client, round};
  }

  std::unique_ptr<Compressor> compressor_;
  Layout layout_;
  Receiver receiver_;
  ExactSum sum_;
  std::size_t stride_;
  std::uint64_t seed_;
  bool aligned_;
  std::function<ConstView(std::uint32_t)> reference_model_;
  std::size_t terms_ = 0;
  double guess_ = 0;
  std::size_t messages_ = 0;  ///< number of messages added since begin()
  std::vector<std::pair<std::uint64_t, std::size_t>>
      sizes_;  ///< bits and entries of each message, if unequal
  std::vector<std::uint32_t> index_;
};

/// Adds counts of MessageSum::bits() to the metrics.
void add_bits(MetricLog& metric_log, const UplinkMetrics& metrics,
              const std::array<double, 3>& bits);

/// Returns the error text for a message that is not finite: "round 4: the message of client 8 holds
/// a NaN ...".
std::string not_finite(std::uint32_t round, std::uint32_t client);

}  // namespace trilemma
