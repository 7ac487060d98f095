#include "compress/compressor.hpp"
#include "compress/count.hpp"

namespace trilemma {
namespace {

// RandSeqK (Burlachenko et al. 2023): C(z) = (d/k) z at k consecutive coordinates, cyclic, from a
// uniformly drawn first one. Every coordinate is sent with probability k/d, so that the theory of
// rand-k holds, with one random number per message.
class RandSeqK final : public ObliviousCompressor {
 public:
  RandSeqK(std::size_t dimension, std::size_t k, bool shared, ValueFormat format)
      : layout_{.dimension = dimension, .count = k, .index = IndexCode::keyed, .value = format},
        shared_(shared) {}

  std::string label() const override { return fmt::format("rand-seq-k, k = {}", layout_.count); }
  std::string description() const override {
    return label() +
           fmt::format(" of {} in a row, {} mask", layout_.dimension,
                       shared_ ? "shared" : "keyed") +
           format_note(layout_.value);
  }
  CompressorTraits traits() const override {
    CompressorTraits found = sparse_traits(layout_, gain());
    found.is_shared = shared_;
    return found;
  }
  Layout layout() const override { return layout_; }
  double gain() const override { return one_in(layout_); }

  Support support(const Key& key, std::vector<std::uint32_t>& index) override {
    const auto d = static_cast<std::uint32_t>(layout_.dimension);
    const auto k = static_cast<std::uint32_t>(layout_.count);
    const std::uint32_t first = Stream(shared_ ? shared_mask(key) : key).below(d);
    // Coordinates that wrap around come first.
    const std::uint32_t around = first + k > d ? first + k - d : 0;
    index.resize(k);
    for (std::uint32_t i = 0; i < k; ++i) index[i] = i < around ? i : first + i - around;
    return Support::of(index);
  }

 private:
  Layout layout_;
  bool shared_;
};

struct RandSeqKOptions {
  CountOptions count;
  bool is_shared = false;
  void read(Reader& r) {
    count.read(r);
    r("mask", is_shared,
      {{"keyed", false, "each client has its own"},
       {"shared", true, "all clients of a round have the same"}},
      "how the coordinates of a message are known");
  }
};

std::unique_ptr<Compressor> make_rand_seq_k(const RandSeqKOptions& options,
                                            const Settings& settings, std::size_t dimension,
                                            ValueFormat format) {
  return std::make_unique<RandSeqK>(dimension, options.count.count(dimension, settings),
                                    options.is_shared, format);
}

}  // namespace

Row<CompressorMaker> rand_seq_k_compressor() {
  return part_with_settings(
      "rand-seq-k", "a random block of k coordinates, scaled by d/k; unbiased", make_rand_seq_k);
}

}  // namespace trilemma
