#pragma once
// An open identifier of the HDF5 library, without the library's header.

#include <cstdint>
#include <string>

namespace trilemma::h5 {

/// HDF5's hid_t.
using Id = std::int64_t;

/// Owns an open HDF5 identifier of any kind and closes it when destroyed.
class Handle {
 public:
  using Close = int (*)(Id);
  Handle() = default;
  /// Takes ownership of `id`, which `close` closes. Throws LibraryError naming `what` if the id is
  /// invalid.
  Handle(Id id, Close close, const std::string& what);
  ~Handle();
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  Id get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes the identifier now. Throws WriteError or LibraryError, naming `what`, if this fails.
  void close(const std::string& what);
  /// Forgets the identifier without closing it, for files that can no longer be written.
  void leak() { id_ = -1; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace trilemma::h5
