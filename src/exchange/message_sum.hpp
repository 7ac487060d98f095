#pragma once
// What every uplink does with the messages that it is to open: decode, check, add up, count.

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

/// Opens messages and adds the vectors that they stand for.
class MessageSum {
 public:
  /// Sums of `dimension` numbers; the vector of client i begins at i * stride. With `aligned` all
  /// vectors have the same coordinates, and number j of them is added to sum j. `near` says what
  /// the vector of a client is close to, if that is known.
  MessageSum(std::unique_ptr<Compressor> compressor, std::size_t dimension, std::size_t stride,
             std::uint64_t seed, bool aligned,
             std::function<ConstView(std::uint32_t client)> reference_model = {});

  /// Starts anew, for `terms` messages on all ranks, none with a value larger than the largest of
  /// the round before; that is a guess.
  void begin(std::size_t terms);
  /// Adds a client's message and returns the size of its largest value, which need not be finite.
  double add(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message);
  /// Says what the largest value of all messages is; the next begin() guesses that. False where
  /// this one's guess was another one that does not do: then all messages are to be added again.
  bool settle(double largest);
  /// Returns, once all messages have been added and settled, whether rounding may have lost too
  /// much of some sums (ExactSum::doubt). Then inspect() must be called for every message until it
  /// returns false.
  bool doubt() { return sum_.doubt(); }
  bool inspect(std::uint32_t round, std::uint32_t client, std::span<const std::byte> message);
  /// Gives access to the sums, for the exchange between ranks that doubt() requires.
  ExactSum& sums() { return sum_; }
  /// The sums; `combine` may first add what other ranks have (spans of the same lengths on all).
  std::span<double> finish(const std::function<void(std::span<double>)>& combine);
  /// Bits of the messages that were added since begin(), in each of the metrics' order: model,
  /// payload, messages; whole numbers.
  std::array<double, 3> bits(double model_bits_per_value) const;
  /// The same of so many messages that are all equal, which those of layouts that say so are.
  std::array<double, 3> bits_of_equal(std::size_t messages, double model_bits_per_value) const;
  bool is_equal() const { return layout_.is_equal(); }
  /// Coordinates of all messages of a round, where they are aligned.
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
  std::size_t messages_ = 0;  ///< added since begin()
  std::vector<std::pair<std::uint64_t, std::size_t>>
      sizes_;  ///< their bits and entries, if unequal
  std::vector<std::uint32_t> index_;
};

/// Adds what MessageSum has counted.
void add_bits(MetricLog& metric_log, const UplinkMetrics& metrics,
              const std::array<double, 3>& bits);

/// "round 4: the message of client 8 holds a NaN ...": what to say of a message that is not finite.
std::string not_finite(std::uint32_t round, std::uint32_t client);

}  // namespace trilemma
