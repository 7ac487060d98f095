#include "tests/support/archives.hpp"

#include <zip.h>

#include <stdexcept>

namespace trilemma::testing {

void write_zip(const std::string& path,
               const std::vector<std::pair<std::string, std::string>>& files) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("cannot write " + path);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    if (zip_file_add(archive, name.c_str(), source, 0) < 0) throw std::runtime_error(name);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace trilemma::testing
