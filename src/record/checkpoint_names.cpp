// Names of the checkpoints of a run file, in the same folder.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "record/checkpoint_file.hpp"

namespace trilemma {
namespace {

constexpr const char* infix = ".checkpoint-";
constexpr const char* unfinished = ".checkpoint.unfinished";
constexpr const char* extracted = ".extracted-";

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Returns the number that follows `stem` in a file name; -1 for other names.
std::int64_t number_of(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem)) return -1;
  std::int64_t number = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + stem.size(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

// Returns the files that are named like the run file followed by `middle` and a number.
std::vector<CheckpointName> numbered(const std::string& run_file, const char* middle) {
  std::vector<CheckpointName> found;
  const std::string stem = std::filesystem::path(run_file).filename().string() + middle;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(run_file), ignored)) {
    const auto number = number_of(entry.path().filename().string(), stem);
    if (number >= 0 && entry.is_regular_file())
      found.push_back({run_file + middle + std::to_string(number), number});
  }
  return found;
}

}  // namespace

std::string checkpoint_of(const std::string& run_file, std::int64_t round) {
  return run_file + infix + std::to_string(round);
}

std::string unfinished_checkpoint_of(const std::string& run_file) { return run_file + unfinished; }

std::vector<CheckpointName> checkpoints_of(const std::string& run_file) {
  auto found = numbered(run_file, infix);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.round > b.round; });
  return found;
}

void prune_checkpoints(const std::string& run_file, std::size_t keep, std::int64_t round,
                       std::int64_t spared) {
  std::size_t kept = 0;
  for (const auto& name : checkpoints_of(run_file))
    if (name.round != spared && (name.round > round || ++kept > keep))
      std::filesystem::remove(name.path);
}

std::string extraction_of(const std::string& run_file) {
  return run_file + extracted + std::to_string(getpid());
}

void remove_checkpoints(const std::string& run_file, std::int64_t kept) {
  for (const auto& left : numbered(run_file, extracted)) std::filesystem::remove(left.path);
  for (const auto& name : checkpoints_of(run_file))
    if (name.round != kept) std::filesystem::remove(name.path);
  std::filesystem::remove(unfinished_checkpoint_of(run_file));
}

}  // namespace trilemma
