#include "record/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace trilemma {
namespace {

bool may_be_secret(std::string_view variable) {
  constexpr std::string_view parts[] = {"JWT", "TOKEN", "SECRET", "PASSWORD", "KEY"};
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::ranges::any_of(
      parts, [name](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::vector<std::string> variable_lines(std::string_view prefix) {
  std::vector<std::string> lines;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with(prefix) && !may_be_secret(*entry))
      lines.emplace_back(*entry);
  return lines;
}

std::string variables(std::string_view prefix) {
  std::string text;
  for (const auto& line : variable_lines(prefix)) text += line + "\n";
  return text;
}

}  // namespace trilemma
