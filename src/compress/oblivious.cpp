#include <stdexcept>

#include "base/check.hpp"
#include "compress/compressor.hpp"
#include "numeric/elementwise.hpp"

namespace trilemma {

void ObliviousCompressor::finish(const Key& key, Message& message) {
  const real factor = static_cast<real>(gain());
  if (factor != 1) scale(message.value, factor);
  rounding_(layout().value, key, message.value);
}

Sealed ObliviousCompressor::seal_at_support(const Released& z, const Key& key, Message& message) {
  if (z.values().data() != message.value.data())
    throw std::logic_error("a message is sealed that does not hold what was released");
  finish(key, message);
  return Sealed(message);
}

void ObliviousCompressor::compress(ConstView z, const Key& key, Message& out) {
  const Support at = support(key, out.index);
  out.value.resize(at.size(z.size()));
  at.each(z.size(), [&](std::size_t i, std::size_t j) { out.value[i] = z[j]; });
  finish(key, out);
}

void ObliviousCompressor::recall(const Key& key, Message& message) {
  if (layout().index != IndexCode::keyed) return;
  support(key, message.index);
  if (message.index.size() != message.entries())
    throw RunFailure(fmt::format("a message of {} entries arrived where {} were to be sent",
                                 message.entries(), message.index.size()));
}

}  // namespace trilemma
