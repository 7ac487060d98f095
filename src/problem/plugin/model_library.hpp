#pragma once
// Calls into a shared library that others wrote (trilemma_model.h). A call returns
// numbers of the right kind or throws one sentence that names the file and the function.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "problem/plugin/trilemma_model.h"

namespace trilemma {

/// What a library is opened for; copies of its texts live as long as the model.
struct ModelTask {
  std::string file;     ///< absolute path: a shared library, or Python's source (.py)
  std::string options;  ///< problem.options
  std::size_t features = 0;
  std::size_t classes = 0;  ///< 0 = real targets
};

/// What computes with a model in Python; both are empty for a shared library.
struct ModelOrigins {
  std::vector<std::string> packages;  ///< "Python 3.11.2 in /usr", "numpy 1.24.2"
  std::vector<std::string> modules;   ///< "SHA-256  path" of each module of the user's own
};

/// Records of one call; rows of `features` have task.features numbers.
struct ModelBatch {
  std::span<const float> features;
  std::span<const std::int32_t> labels;
  std::span<const float> targets;
  std::size_t records = 0;
};

/// A model in a shared library. Functions throw RunFailure if the library fails, throws an
/// exception, writes outside of its arrays, leaves numbers out, or returns some that are not
/// finite. A crash ends the process (base/crash_report.hpp).
class ModelLibrary {
 public:
  /// Throws UserError if the file is no library, has no trilemma_open_model, refuses the task, or
  /// describes a model of another version or without what is required. A file whose name ends in
  /// .py is opened by the library for Python, which lies next to the program.
  explicit ModelLibrary(ModelTask task);
  ~ModelLibrary();
  ModelLibrary(const ModelLibrary&) = delete;
  ModelLibrary& operator=(const ModelLibrary&) = delete;

  const ModelTask& task() const { return task_; }
  const std::string& name() const { return name_; }
  std::size_t parameters() const { return static_cast<std::size_t>(model_.parameters); }
  /// Returns whether the library computes the gradients of several records in one call.
  bool has_record_gradients() const { return model_.record_gradients != nullptr; }

  /// Returns the start.
  std::vector<float> start(std::uint64_t seed);
  /// Returns the sum of the losses, and writes the sum of the gradients unless `sum` is empty.
  double gradient(std::span<const float> x, const ModelBatch& batch, std::span<float> sum);
  /// Writes the gradient of each record (records x parameters) and returns the sum of the losses:
  /// in one call, or, where the library offers none, record by record.
  double record_gradients(std::span<const float> x, const ModelBatch& batch,
                          std::span<float> gradients);
  /// Returns what has been imported until now.
  ModelOrigins origins();
  /// From now on, or no longer, a call throws RunFailure if it changes x or the records.
  void watch_inputs(bool watch) { watches_inputs_ = watch; }
  /// Writes the likeliest class or the predicted target of each record.
  void predict(std::span<const float> x, const ModelBatch& batch, std::span<float> answers);

 private:
  template <class Work>
  void watched(const char* function, const char* place, std::span<const float> x,
               const ModelBatch& batch, Work&& work);
  template <class Work>
  void call(const char* function, const char* place, Work&& work);
  void open();
  void close() noexcept;
  [[noreturn]] void fail(const char* function, const std::string& what) const;
  std::span<float> room(std::size_t size);
  void take(const char* function, std::span<float> to);

  ModelTask task_;
  std::string name_, shown_, places_[5];
  trilemma_model model_{};
  void* handle_ = nullptr;
  bool watches_inputs_ = false;
  std::vector<float> room_;
  std::vector<double> losses_;
};

/// Returns the library for models in Python: next to the program, or where it is installed. Throws
/// UserError if there is none.
std::string python_library();

/// Returns how a user gets a library for models in Python that fits a program in `folder`: by a
/// command if `folder` is a build folder of CMake. `search`: CMake has to look for Python again.
std::string python_remedy(const std::filesystem::path& folder, PythonModels models, bool search);

}  // namespace trilemma
