#include "base/write_error.hpp"

#include <cerrno>
#include <cstring>

namespace trilemma {
namespace {

const char* words(WriteFault fault) {
  switch (fault) {
    case WriteFault::disk_full:
      return "the disk is full";
    case WriteFault::over_quota:
      return "the disk quota is used up";
    case WriteFault::file_size_limit:
      return "the limit on the size of a file is reached";
    case WriteFault::read_only:
      return "the file system is read-only";
    case WriteFault::no_permission:
      return "no permission to write";
    case WriteFault::no_folder:
      return "its folder does not exist and cannot be created";
    case WriteFault::symbolic_link:
      return "a symbolic link, through which nothing is written";
    case WriteFault::device:
      return "the disk reports an error";
    case WriteFault::other:
      break;
  }
  return "the system refuses";
}

const char* remedy(WriteFault fault) {
  switch (fault) {
    case WriteFault::disk_full:
      return "free some space";
    case WriteFault::over_quota:
      return "delete files that are no longer needed";
    case WriteFault::file_size_limit:
      return "raise it (ulimit -f)";
    case WriteFault::read_only:
      return "make it writable";
    case WriteFault::no_permission:
      return "fix the permissions of its folder";
    case WriteFault::no_folder:
      return "check the path";
    case WriteFault::symbolic_link:
      return "remove it";
    case WriteFault::device:
    case WriteFault::other:
      break;
  }
  return "check the disk";
}

}  // namespace

WriteFault write_fault(int error) {
  switch (error) {
    case ENOSPC:
      return WriteFault::disk_full;
    case EDQUOT:
      return WriteFault::over_quota;
    case EFBIG:
      return WriteFault::file_size_limit;
    case EROFS:
      return WriteFault::read_only;
    case EACCES:
    case EPERM:
      return WriteFault::no_permission;
    case ENOENT:
    case ENOTDIR:
      return WriteFault::no_folder;
    case ELOOP:
      return WriteFault::symbolic_link;
    case EIO:
      return WriteFault::device;
    default:
      return WriteFault::other;
  }
}

std::string write_problem(const std::string& problem, int error, const char* place) {
  const WriteFault fault = write_fault(error);
  return fmt::format("{}: {} ({}); {}, or choose another {}", problem, words(fault),
                     std::strerror(error), remedy(fault), place);
}

WriteError::WriteError(const std::string& problem, int error)
    : LibraryError(write_problem(problem, error, "place")),
      fault_(write_fault(error)),
      error_(error) {}

std::string write_problem(const std::string& problem, const std::exception& error,
                          const char* place) {
  if (const auto* failure = dynamic_cast<const WriteError*>(&error))
    return write_problem(problem, failure->error(), place);
  return fmt::format("{} ({}); choose another {}", problem, error.what(), place);
}

WriteError cannot_write(const std::string& path, int error) {
  return {path + ": cannot be written", error};
}

}  // namespace trilemma
