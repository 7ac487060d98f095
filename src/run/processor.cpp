#include "run/processor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "numeric/vectors.hpp"
#include "problem/blas.hpp"
#include "record/run_reader.hpp"

namespace trilemma {

std::string processor_in_use() {
  const VectorTarget target = vector_target();
  return fmt::format("{}, {} bits; OpenBLAS {}", target.name, target.bits, blas_core());
}

namespace {

bool is_narrow(const std::string& processor) {
  return processor.find("128 bits") < processor.size();
}

// Portable numerics round alike with all widths that have fused multiply-adds.
bool rounds_alike(const std::string& a, const std::string& b, bool is_portable) {
  return is_portable ? is_narrow(a) == is_narrow(b) : a == b;
}

}  // namespace

std::string difference_of_processors(const std::vector<std::string>& processors, bool is_portable) {
  const auto other = std::ranges::find_if(processors, [&](const std::string& one) {
    return !rounds_alike(one, processors.front(), is_portable);
  });
  if (other == processors.end()) return "";
  std::string text = fmt::format(
      "ranks compute with different instructions (rank 0: {}; rank {}: {}), so that results depend "
      "on where clients live: a round differs within rounding, and training can amplify that",
      processors.front(), other - processors.begin(), *other);
  if (std::ranges::none_of(processors, is_narrow))
    text += "; with --set numerics=portable they do not";
  return text;
}

std::string change_of_processors(const std::string& before,
                                 const std::vector<std::string>& processors, bool is_portable) {
  const std::string first = before.substr(0, before.find('\n'));
  const auto other = std::ranges::find_if(
      processors, [&](const std::string& one) { return !rounds_alike(one, first, is_portable); });
  if (first.empty() || other == processors.end()) return "";
  std::string text = fmt::format(
      "the run began with other instructions ({}) than it goes on with ({}), so that it will not be "
      "the same to the bit as in one piece: a round differs within rounding, and training can "
      "amplify that",
      first, *other);
  if (!is_narrow(first) && !is_narrow(*other))
    text += "; runs with numerics = portable do not change";
  return text;
}

void report_processors(const std::vector<std::string>& processors, bool is_portable,
                       const std::string& resumed) {
  const auto note = [](const std::string& text) {
    if (!text.empty()) fmt::print(stderr, "trilemma: note: {}\n", text);
  };
  note(difference_of_processors(processors, is_portable));
  if (resumed.empty()) return;
  const RunHead head = read_run_head(resumed, h5::Reading::unlocked);
  note(change_of_processors(head.processors, processors, is_portable));
}

}  // namespace trilemma
