#include "record/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <fstream>

#include "base/text.hpp"

namespace trilemma {
namespace {

// By the name, in any case. Two variables hold the values of others.
bool may_be_secret(std::string_view variable) {
  constexpr std::string_view parts[] = {"JWT",  "TOKEN",      "SECRET",     "PASS",         "KEY",
                                        "AUTH", "CREDENTIAL", "EXPORT_ENV", "BASE_ENV_LIST"};
  std::string name(variable.substr(0, variable.find('=')));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::ranges::any_of(
      parts, [&name](std::string_view part) { return name.find(part) != name.npos; });
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
      lines.push_back(printable(*entry));
  return lines;
}

std::string variables(std::string_view prefix) {
  std::string text;
  for (const auto& line : variable_lines(prefix)) text += line + "\n";
  return text;
}

}  // namespace trilemma
