#include "data/source.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

struct PrototypeSettings {
  std::size_t rows = 1000, test_rows = 0, features = 784;
  int classes = 10;

  void read(Reader& r) {
    constexpr Range some{.low = 1, .high = 1e9};
    r("rows", rows, some, "training records");
    r("test_rows", test_rows, {.low = 0, .high = 1e9}, "test records");
    r("features", features, some, "features, each a byte");
    r("classes", classes, {.low = 2, .high = 1000}, "classes");
  }
};

// Rounds of the keys of the streams: training records, test records, prototypes of the classes.
enum class StreamOf : std::uint32_t { training = 20, tests = 21, prototypes = 22 };

// Dense records of bytes. Every class has a prototype with random bytes below 128, and a record
// adds a random byte below 128 to each byte of the prototype of its class. A record depends on its
// number alone, so every rank generates just the records of its clients, and in integers, so they
// are the same on every processor.
class PrototypesSource final : public Source {
 public:
  explicit PrototypesSource(const PrototypeSettings& s) : s_(s) {}
  std::size_t features() const override { return s_.features; }
  int classes() const override { return s_.classes; }
  bool sparse() const override { return false; }
  bool has_tests() const override { return s_.test_rows > 0; }
  std::size_t rows() const override { return s_.rows; }
  std::string description() const override {
    return fmt::format("prototypes, {} x {} bytes, {} classes", s_.rows, s_.features, s_.classes);
  }
  TrainTest load(const std::string&, std::uint64_t seed) const override {
    TrainTest data = without_rows(seed);
    fill(seed, StreamOf::training, data.train);
    fill(seed, StreamOf::tests, data.test);
    return data;
  }
  bool loads_parts() const override { return true; }
  TrainTest load_part(const std::string&, std::uint64_t seed,
                      const ChooseRecords& choose) const override {
    TrainTest data = without_rows(seed);
    const KeptRecords kept = choose(data);
    data.train.keep(kept.train);
    data.test.keep(kept.test);
    fill(seed, StreamOf::training, data.train);
    fill(seed, StreamOf::tests, data.test);
    return data;
  }
  Dataset generate(std::uint64_t seed, std::size_t first, std::size_t count) const override {
    Dataset set = no_rows();
    const auto prototype = prototypes(seed);
    auto& byte = std::get<DenseRows>(set.rows).byte;
    byte.reserve(count * s_.features);
    for (std::size_t number = first; number < first + count; ++number) {
      set.label.push_back(label_of(seed, StreamOf::training, number));
      append_record(seed, StreamOf::training, number, set.label.back(), prototype, byte);
    }
    return set;
  }
  bool scales_by_training() const override { return false; }

 private:
  static Key key_of(std::uint64_t seed, StreamOf what, std::size_t number) {
    return {seed, Purpose::data, static_cast<std::uint32_t>(number),
            static_cast<std::uint32_t>(what)};
  }

  // The first word of a record's stream decides its label.
  std::int32_t label_of(std::uint64_t seed, StreamOf what, std::size_t number) const {
    std::uint32_t first[4];
    philox_block(key_of(seed, what, number), 0, first);
    return static_cast<std::int32_t>(
        (static_cast<std::uint64_t>(first[0]) * static_cast<std::uint64_t>(s_.classes)) >> 32U);
  }

  Dataset no_rows() const {
    Dataset set;
    DenseRows none;
    none.columns = s_.features;
    set.rows = std::move(none);
    set.classes = s_.classes;
    return set;
  }

  TrainTest without_rows(std::uint64_t seed) const {
    TrainTest data;
    const auto add = [&](StreamOf what, std::size_t count, Dataset& set) {
      set = no_rows();
      set.label.reserve(count);
      for (std::size_t r = 0; r < count; ++r) set.label.push_back(label_of(seed, what, r));
    };
    add(StreamOf::training, s_.rows, data.train);
    add(StreamOf::tests, s_.test_rows, data.test);
    return data;
  }

  std::vector<std::uint8_t> prototypes(std::uint64_t seed) const {
    std::vector<std::uint8_t> all;
    all.reserve(static_cast<std::size_t>(s_.classes) * s_.features);
    for (std::size_t c = 0; c < static_cast<std::size_t>(s_.classes); ++c)
      append_bytes(Stream(key_of(seed, StreamOf::prototypes, c)), all);
    return all;
  }

  // Appends one random byte below 128 for each feature.
  void append_bytes(Stream stream, std::vector<std::uint8_t>& to) const {
    constexpr std::uint32_t bytes_of_word = 4;
    for (std::size_t j = 0; j < s_.features; j += bytes_of_word) {
      const std::uint32_t word = stream.word();
      for (std::uint32_t b = 0; b < bytes_of_word && j + b < s_.features; ++b)
        to.push_back(static_cast<std::uint8_t>(word >> (8 * b) & 0x7fU));
    }
  }

  // Writes the rows of the records that have one.
  void fill(std::uint64_t seed, StreamOf what, Dataset& set) const {
    const auto prototype = prototypes(seed);
    auto& byte = std::get<DenseRows>(set.rows).byte;
    byte.reserve(set.kept() * s_.features);
    for (std::size_t r = 0; r < set.size(); ++r) {
      if (!set.has_row(r)) continue;
      append_record(seed, what, r, set.label[r], prototype, byte);
    }
  }

  // Appends the features of a record.
  void append_record(std::uint64_t seed, StreamOf what, std::size_t number, std::int32_t label,
                     const std::vector<std::uint8_t>& prototype,
                     std::vector<std::uint8_t>& to) const {
    const std::size_t first = to.size();
    // The block that the label comes from is not used for the features.
    append_bytes(Stream(key_of(seed, what, number), 1), to);
    const std::uint8_t* const own =
        prototype.data() + static_cast<std::size_t>(label) * s_.features;
    for (std::size_t j = 0; j < s_.features; ++j)
      to[first + j] = static_cast<std::uint8_t>(to[first + j] + own[j]);
  }

  PrototypeSettings s_;
};

}  // namespace

Row<SourceMaker> prototypes_source() {
  return part_with_settings("prototypes",
                            "dense records of bytes around a prototype of their class, generated "
                            "by every rank for its clients",
                            make_source<PrototypesSource, PrototypeSettings>);
}

}  // namespace trilemma
