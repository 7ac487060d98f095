#include "exchange/message_sum.hpp"

#include <cmath>

namespace trilemma {

MessageSum::MessageSum(std::unique_ptr<Compressor> compressor, std::size_t dimension,
                       std::size_t stride, std::uint64_t seed, bool aligned,
                       std::function<ConstView(std::uint32_t client)> reference_model)
    : compressor_(std::move(compressor)),
      layout_(compressor_->layout()),
      receiver_(*compressor_),
      sum_(dimension, layout_.value == ValueFormat::float64),
      stride_(stride),
      seed_(seed),
      aligned_(aligned),
      reference_model_(compressor_->traits().needs_reference() ? std::move(reference_model)
                                                               : nullptr) {}

// The unit of the sums follows from the largest value, which is known only after all messages have
// been added; in most rounds it is the unit of the previous round.
void MessageSum::begin(std::size_t terms) {
  terms_ = terms;
  messages_ = 0;
  sizes_.clear();
  sum_.begin(terms, guess_);
}

SparseView MessageSum::open(std::uint32_t round, std::uint32_t client,
                            std::span<const std::byte> message) {
  if (reference_model_) compressor_->reference_model(reference_model_(client));
  return receiver_.open(message, mask(client, round));
}

double MessageSum::add(std::uint32_t round, std::uint32_t client,
                       std::span<const std::byte> message) {
  const SparseView sent = open(round, client, message);
  ++messages_;
  if (!layout_.is_equal()) sizes_.emplace_back(receiver_.bits(), receiver_.entries());
  return static_cast<double>(sum_.add(client * stride_, place(sent), sent.value));
}

bool MessageSum::inspect(std::uint32_t round, std::uint32_t client,
                         std::span<const std::byte> message) {
  const SparseView sent = open(round, client, message);
  return sum_.inspect(client * stride_, place(sent), sent.value);
}

bool MessageSum::settle(double largest) {
  guess_ = largest;
  return sum_.began_as(terms_, largest);
}

std::span<double> MessageSum::finish(const std::function<void(std::span<double>)>& combine) {
  return sum_.finish(combine);
}

std::array<double, 3> MessageSum::bits_of_equal(std::size_t messages,
                                                double model_bits_per_value) const {
  const auto number = static_cast<double>(messages);
  return {number * std::floor(layout_.model_bits(model_bits_per_value, layout_.count)),
          number * static_cast<double>(layout_.most_bits()), layout_.dimension > 0 ? number : 0.0};
}

std::array<double, 3> MessageSum::bits(double model_bits_per_value) const {
  if (is_equal()) return bits_of_equal(messages_, model_bits_per_value);
  std::array<double, 3> sum{0, 0, static_cast<double>(messages_)};
  for (const auto& [bits, entries] : sizes_) {
    sum[0] += std::floor(layout_.model_bits(model_bits_per_value, entries));
    sum[1] += static_cast<double>(bits);
  }
  return sum;
}

void add_bits(MetricLog& metric_log, const UplinkMetrics& metrics,
              const std::array<double, 3>& bits) {
  metric_log.add(metrics.model_bits, static_cast<std::uint64_t>(bits[0]));
  metric_log.add(metrics.payload_bits, static_cast<std::uint64_t>(bits[1]));
  metric_log.add(metrics.messages, static_cast<std::uint64_t>(bits[2]));
}

Support MessageSum::coordinates(std::uint32_t round) {
  return compressor_->oblivious()->support(mask(0, round), index_);
}

std::string not_finite(std::uint32_t round, std::uint32_t client) {
  return fmt::format(
      "round {}: the message of client {} holds a NaN or an infinite value; look at the "
      "client's records, or lower server.rate, or local.rate where clients take local steps",
      round + 1, client);
}

}  // namespace trilemma
