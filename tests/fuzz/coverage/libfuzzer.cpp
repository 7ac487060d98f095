// The harnesses of tests/fuzz with inputs by libFuzzer, which is guided by coverage (clang only;
// -DTRILEMMA_LIBFUZZER=ON). TRILEMMA_HARNESS names the harness; its good inputs are written into
// the first folder of the command line, for libFuzzer to start from.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {
namespace {

Harness chosen() {
  const char* name = std::getenv("TRILEMMA_HARNESS");
  for (const Format& format : formats())
    if (name != nullptr && std::string_view(name) == format.name) return format.make();
  std::fputs("TRILEMMA_HARNESS names none of these:\n", stderr);
  for (const Format& format : formats())
    std::fprintf(stderr, "  %-12s %s\n", format.name, format.summary);
  std::exit(2);
}

const Harness& harness() {
  static const Harness made = chosen();
  return made;
}

}  // namespace
}  // namespace trilemma::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const auto& corpus = trilemma::fuzz::harness().corpus;
  for (int i = 1; i < *count; ++i) {
    const std::filesystem::path folder((*words)[i]);
    if (!is_directory(folder)) continue;
    for (std::size_t number = 0; number < corpus.size(); ++number) {
      std::ofstream out(folder / fmt::format("good-{}", number), std::ios::binary);
      out.write(corpus[number].data(), static_cast<std::streamsize>(corpus[number].size()));
    }
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const trilemma::testing::TempFolder folder;
  const std::string input(reinterpret_cast<const char*>(data), size);
  for (const auto& reader : trilemma::fuzz::harness().readers) {
    try {
      reader(input, folder);
    } catch (const trilemma::UserError&) {
      // Refused in a sentence, as it should be.
    } catch (const std::exception& error) {
      std::fprintf(stderr, "finding: %s\n", error.what());
      std::abort();
    }
  }
  return 0;
}
