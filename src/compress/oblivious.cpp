#include "compress/compressor.hpp"

namespace trilemma {

void ObliviousCompressor::finish(Message& message) const {
  const real factor = static_cast<real>(gain());
  for (auto& value : message.value) value *= factor;
  round_to(layout().value, message.value);
}

void ObliviousCompressor::compress(ConstView z, const Key& key, Message& out) {
  support(key, out.index);
  if (out.index.empty()) {
    out.value.assign(z.begin(), z.end());
  } else {
    out.value.resize(out.index.size());
    for (std::size_t i = 0; i < out.index.size(); ++i) out.value[i] = z[out.index[i]];
  }
  finish(out);
}

void ObliviousCompressor::recall(const Key& key, Message& message) {
  if (layout().index == IndexCode::keyed) support(key, message.index);
}

}  // namespace trilemma
