#include "record/extract_run_file.hpp"

#include <filesystem>

#include "h5/h5.hpp"
#include "record/checkpoint_file.hpp"
#include "record/output_status.hpp"

namespace trilemma {

h5::File extract_run_file(const CheckpointReader& checkpoint, const std::string& path,
                          WriteLock& lock) {
  const std::string own = extraction_of(path);
  std::error_code ignored;
  std::filesystem::remove(own, ignored);  // left by a killed process with this number
  try {
    checkpoint.extract_run_file(own);
    WriteLock extracted(own);
    require(output_status(own, h5::Reading::unlocked) == OutputStatus::run,
            "{}: its run file cannot be read; delete it to resume from an older one",
            checkpoint.name().path);
    h5::File file = h5::File::change(own);
    extracted.rename(path + ".partial");
    lock = std::move(extracted);
    return file;
  } catch (const std::exception&) {
    std::filesystem::remove(own, ignored);
    throw;
  }
}

}  // namespace trilemma
