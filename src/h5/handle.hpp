#pragma once
// An open identifier of the HDF5 library, without the library's header.

#include <cstdint>
#include <string>

namespace trilemma::h5 {

/// An identifier of HDF5, which is its hid_t.
using Id = std::int64_t;

/// An open HDF5 identifier of any kind; closes it when destroyed.
class Handle {
 public:
  using Close = int (*)(Id);
  Handle() = default;
  /// Takes `id`, which `close` closes. Throws LibraryError naming `what` if the id is invalid.
  Handle(Id id, Close close, const std::string& what);
  ~Handle();
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  Id get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes now and reports failure (a full disk shows up here).
  void close(const std::string& what);
  /// Forgets the identifier without closing it: for files that cannot be written any more.
  void leak() { id_ = -1; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace trilemma::h5
