#pragma once
// Files that live as long as a test.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace trilemma::testing {

/// A fresh folder, removed with everything in it at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  /// Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& content) const;
  std::string write(const std::string& name, std::span<const std::uint8_t> content) const;

 private:
  std::filesystem::path path_;
};

std::vector<std::uint8_t> bytes_of(const std::string& file);

}  // namespace trilemma::testing
