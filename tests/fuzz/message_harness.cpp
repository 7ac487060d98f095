// Encoded messages, of every layout.

#include "tests/fuzz/change_bytes.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/support/layouts.hpp"

namespace trilemma::fuzz {
namespace {

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = testing::all_layouts();
  return all;
}

Bytes encoded(const Layout& layout, const Message& message) {
  const Measure measured = measure(layout, message);
  Bytes bytes(measured.bytes());
  encode(layout, message, measured, bytes);
  return bytes;
}

// Two bytes choose the layout, the message follows.
std::string input_of(std::size_t number, Stream& stream) {
  const Bytes bytes =
      encoded(layouts()[number], testing::random_message(layouts()[number], stream));
  std::string input{static_cast<char>(number % 256), static_cast<char>(number / 256)};
  for (const auto byte : bytes) input.push_back(static_cast<char>(byte));
  return input;
}

void check(const Layout& layout, const Message& m) {
  promise(m.entries() <= layout.count, "as many entries as there are at most");
  for (std::size_t i = 0; i < m.index.size(); ++i) {
    promise(m.index[i] < layout.dimension, "coordinates of the vector");
    promise(i == 0 || m.index[i - 1] < m.index[i], "ascending coordinates");
  }
  for (const auto level : m.level)
    promise(std::abs(std::int64_t{level}) <= std::int64_t{layout.levels}, "levels of this size");
}

// A message that can be read can be written and read again, and is the same.
void read(const std::string& input, const testing::TempFolder&) {
  if (input.size() < 2) throw UserError("no layout");
  auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(input[i]));
  };
  const Layout& layout = layouts()[(byte(0) + 256 * byte(1)) % layouts().size()];
  const auto bytes = std::as_bytes(std::span(input)).subspan(2);
  Message message;
  try {
    const std::uint64_t bits = decode(layout, bytes, message);
    promise((bits + 7) / 8 == bytes.size(), "that all bytes were looked at");
  } catch (const RunFailure& failure) {
    throw UserError(failure.what());
  }
  check(layout, message);
  Message again;
  decode(layout, encoded(layout, message), again);
  promise(again.index == message.index && again.level == message.level, "the same again");
}

}  // namespace

Harness message_harness() {
  Stream stream({11, Purpose::data});
  std::vector<std::string> corpus;
  for (std::size_t number = 0; number < layouts().size(); ++number)
    corpus.push_back(input_of(number, stream));
  return {std::move(corpus), {read}, change_bytes};
}

}  // namespace trilemma::fuzz
