#include "tests/fuzz/attempt.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

// Of the address sanitizer's library, where it is linked.
extern "C" __attribute__((weak)) void __asan_init();  // NOLINT(bugprone-reserved-identifier)

namespace trilemma::fuzz {
namespace {

constexpr rlim_t most_memory = rlim_t{4} << 30U;
constexpr long largest_allowed = 2L << 20U;  // KiB
constexpr std::size_t longest_sentence = 3000;

// What is wrong with a sentence; empty if nothing.
std::string problem_of(std::string sentence, const std::string& folder) {
  for (auto at = sentence.find(folder); at != std::string::npos; at = sentence.find(folder))
    sentence.erase(at, folder.size());
  if (sentence.empty() || sentence.size() > longest_sentence)
    return fmt::format("a sentence of {} characters: {}", sentence.size(),
                       sentence.substr(0, longest_sentence));
  const bool has_control = std::any_of(sentence.begin(), sentence.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  return has_control ? "control characters in: " + sentence : "";
}

// What a sanitizer said of a process that reads: a finding, unless the fault lies in libhdf5, from
// whose faults that process keeps the others.
std::string problem_in(const std::string& printed) {
  if (printed.find("runtime error:") != std::string::npos) return "undefined behaviour";
  for (auto at = printed.find("ERROR: AddressSanitizer"); at != std::string::npos;
       at = printed.find("ERROR: AddressSanitizer", at + 1)) {
    const auto frame = printed.find("#0 ", at);
    const std::string innermost = printed.substr(frame, printed.find("#3 ", frame) - frame);
    if (innermost.find("libhdf5") == std::string::npos) return "a fault of memory";
  }
  return {};
}

}  // namespace

std::string printed_in(const testing::TempFolder& folder) {
  constexpr std::size_t most = 6000;
  std::ifstream in(folder.at("stderr"), std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  return all.substr(0, most);
}

long largest_process() {
  rusage own{}, children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  return std::max(own.ru_maxrss, children.ru_maxrss);
}

Trial::Trial(const testing::TempFolder& folder) : folder_(folder) {
  const int file = open(folder.at("stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (file < 0 || dup2(file, STDERR_FILENO) < 0) throw std::runtime_error("cannot redirect stderr");
  close(file);
  const rlimit memory{most_memory, most_memory};
  if (__asan_init == nullptr) setrlimit(RLIMIT_AS, &memory);
}

std::string Trial::attempt(const Harness& harness, const std::string& input, bool is_good,
                           Counts& counts) {
  bool is_read = false;
  std::string refusal;
  if (ftruncate(STDERR_FILENO, 0) != 0) return "cannot empty stderr";
  for (const auto& reader : harness.readers) {
    try {
      reader(input, folder_);
      is_read = true;
      ++counts.read;
    } catch (const UserError& error) {
      refusal = error.what();
      ++counts.refused;
      if (refusal.find("the HDF5 library breaks down") != std::string::npos) ++counts.broken;
      if (auto problem = problem_of(refusal, folder_.path()); !problem.empty()) return problem;
    } catch (const std::exception& error) {
      return fmt::format("not a sentence for the user: {}", error.what());
    }
  }
  if (is_good && !is_read) return "a good input is refused: " + refusal;
  if (largest_process() > largest_allowed)
    return fmt::format("{} MiB of memory", largest_process() / 1024);
  return problem_in(printed_in(folder_));
}

}  // namespace trilemma::fuzz
