// Mutated inputs for everything that reads: tests/fuzz/README.md.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/check.hpp"
#include "tests/fuzz/supervisor.hpp"

// Asked by the sanitizers where they are linked: reports of undefined behaviour end the process, an
// allocation of more than 1 GiB is a report in our code and a null pointer in a C library. Names of
// functions in every report of a process that reads would take most of the time.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:max_allocation_size_mb=1024:allocator_may_return_null=1:"
         "quarantine_size_mb=8:hard_rss_limit_mb=4096:symbolize=0";
}
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace trilemma::fuzz {
namespace {

struct Options {
  Campaign campaign;
  std::string harness, input;
  bool list = false;
};

std::uint64_t number(const std::string& word, const std::string& value) {
  require(!value.empty() && value.find_first_not_of("0123456789") == std::string::npos,
          "{} {}: expected a whole number", word, value);
  return std::strtoull(value.c_str(), nullptr, 10);
}

Options parse(const std::vector<std::string>& words) {
  Options o;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "--list") {
      o.list = true;
      return o;
    }
    require(i + 1 < words.size(), "{}: unknown, or without its value", words[i]);
    const std::string& value = words[i + 1];
    if (words[i] == "--harness")
      o.harness = value;
    else if (words[i] == "--seconds")
      o.campaign.seconds = static_cast<double>(number(words[i], value));
    else if (words[i] == "--inputs")
      o.campaign.inputs = number(words[i], value);
    else if (words[i] == "--seed")
      o.campaign.seed = number(words[i], value);
    else if (words[i] == "--findings")
      o.campaign.findings = value;
    else if (words[i] == "--replay")
      o.input = value;
    else
      throw UserError(words[i] + ": unknown");
  }
  return o;
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "{}: cannot be read", file);
  return {std::istreambuf_iterator<char>(in), {}};
}

int run(const Options& options) {
  int findings = 0;
  bool is_known = options.harness.empty();
  for (const auto& format : formats()) {
    if (options.list) fmt::print("{:<12}{}\n", format.name, format.summary);
    if (!options.harness.empty() && options.harness != format.name) continue;
    is_known = true;
    if (options.list) continue;
    findings += options.input.empty() ? search(format, options.campaign)
                                      : replay(format, content(options.input));
  }
  require(is_known, "--harness {}: there is none; --list names them", options.harness);
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trilemma::fuzz

int main(int argc, char** argv) {
  try {
    return trilemma::fuzz::run(trilemma::fuzz::parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "trilemma_fuzz: {}\n", error.what());
    return 2;
  }
}
