#include "problem/plugin/model_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/crash_report.hpp"
#include "base/text.hpp"
#include "problem/plugin/python/origins.hpp"

namespace trilemma {
namespace {

// Numbers around an array that a library fills. A library that takes its array for larger changes
// them.
constexpr std::size_t fence = 64;
const float fence_value = std::bit_cast<float>(0x7fa5a5a5U);
bool is_fence(float value) { return std::bit_cast<std::uint32_t>(value) == 0x7fa5a5a5U; }

bool is_python(const std::filesystem::path& file) { return file.extension() == ".py"; }

std::string last_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "no reason given" : printable(text);
}

PythonModels models_here() { return is_simulated() ? PythonModels::excluded : python_models(); }

constexpr const char* python_name = "libtrilemma_python.so";

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

// Throws UserError unless `library`, opened as `handle`, runs models in Python for this program.
void check_python(const std::string& library, void* handle) {
  const std::string reason = handle == nullptr ? last_error() : "";
  require(handle != nullptr, "{} cannot be loaded: {}; {}", library, reason,
          python_remedy(program_folder(), models_here(), true));
  void* const symbol = ::dlsym(handle, "trilemma_python_version");
  const std::string version =
      symbol == nullptr ? "" : reinterpret_cast<trilemma_python_version_function*>(symbol)();
  require(version == program_version(), "{} is of {}, and this is trilemma {}; {}", library,
          version.empty() ? "another version of the program" : "trilemma " + printable(version),
          program_version(), python_remedy(program_folder(), models_here(), false));
}

trilemma_batch passed(const ModelBatch& batch) {
  return {batch.records, batch.features.data(),
          batch.labels.empty() ? nullptr : batch.labels.data(),
          batch.targets.empty() ? nullptr : batch.targets.data()};
}

}  // namespace

std::string python_remedy(const std::filesystem::path& folder, PythonModels models, bool search) {
  if (models == PythonModels::excluded)
    return "programs for SimGrid have no models in Python; use a program for MPI";
  const bool is_without_headers = models == PythonModels::without_headers;
  const std::string first =
      is_without_headers ? "install the headers of Python (package python3-dev of Debian), then "
                         : "";
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "CMakeCache.txt", ignored))
    return first + "build and install the program again";
  const std::string again = is_without_headers || search
                                ? fmt::format("cmake -U '*Python3*' '{}' && ", folder.string())
                                : "";
  return fmt::format("{}run `{}cmake --build '{}' --target trilemma`", first, again,
                     folder.string());
}

std::string python_library() {
  std::error_code ignored;
  const auto folder = program_folder();
  for (const auto& place :
       {folder, folder.parent_path(), folder.parent_path() / "libexec/trilemma"})
    if (std::filesystem::exists(place / python_name, ignored))
      return (place / python_name).string();
  throw UserError(fmt::format(
      "{} is not next to the program, which runs models in Python with it{}; {}, or write the "
      "model in C",
      python_name,
      models_here() == PythonModels::without_headers
          ? ": the program was built without the headers of Python"
          : "",
      python_remedy(folder, models_here(), false)));
}

// Runs work() for a function of the library, which returns nullptr or a sentence.
template <class Work>
void ModelLibrary::call(const char* function, const char* place, Work&& work) {
  const char* problem = nullptr;
  try {
    const CrashReport report(place);
    problem = work();
  } catch (const std::exception& error) {
    fail(function, fmt::format("threw an exception: {}", error.what()));
  } catch (...) {
    fail(function, "threw an exception of an unknown type");
  }
  if (problem != nullptr) fail(function, fmt::format("failed: {}", problem));
}

// The same for a function that gets x and records, which must stay as they are.
template <class Work>
void ModelLibrary::watched(const char* function, const char* place, std::span<const float> x,
                           const ModelBatch& batch, Work&& work) {
  if (!watches_inputs_) return call(function, place, work);
  const auto copy = [](const auto& values) { return std::vector(values.begin(), values.end()); };
  const auto old_x = copy(x);
  const auto old_features = copy(batch.features);
  const auto old_labels = copy(batch.labels);
  const auto old_targets = copy(batch.targets);
  call(function, place, work);
  const auto compare = [&](const char* name, const auto& now, const auto& old) {
    // Bytes, since a NaN differs from itself.
    if (!std::ranges::equal(std::as_bytes(now), std::as_bytes(std::span(old))))
      fail(function, fmt::format("changed {}, which it may only read", name));
  };
  compare("x", x, old_x);
  compare("the features of the records", batch.features, old_features);
  compare("the labels of the records", batch.labels, old_labels);
  compare("the targets of the records", batch.targets, old_targets);
}

void ModelLibrary::fail(const char* function, const std::string& what) const {
  throw RunFailure(printable(fmt::format("{}: {}() {}", shown_, function, what)));
}

ModelLibrary::ModelLibrary(ModelTask task) : task_(std::move(task)) {
  shown_ = std::filesystem::path(task_.file).filename().string();
  constexpr const char* functions[] = {"start", "gradient", "record_gradients", "predict", "close"};
  for (std::size_t f = 0; f < std::size(functions); ++f)
    places_[f] = fmt::format("{}: {}()", shown_, functions[f]);
  try {
    open();
  } catch (...) {
    close();
    throw;
  }
}

void ModelLibrary::open() {
  const std::string file = is_python(task_.file) ? python_library() : task_.file;
  const std::string opening = fmt::format("{}: trilemma_open_model()", shown_);
  const char* problem = nullptr;
  try {
    const CrashReport report(opening.c_str());
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (is_python(task_.file)) check_python(file, handle_);
    require(handle_ != nullptr,
            "problem.library: {} cannot be loaded as a shared library: {}; compile it with "
            "-shared -fPIC, or name a file of Python (.py)",
            task_.file, last_error());
    void* const symbol = ::dlsym(handle_, "trilemma_open_model");
    require(symbol != nullptr,
            "problem.library: {} does not export trilemma_open_model (in C++ declare it extern "
            "\"C\")",
            task_.file);
    const trilemma_task asked{task_.file.c_str(), task_.options.c_str(), task_.features,
                              task_.classes};
    problem = reinterpret_cast<trilemma_open_model_function*>(symbol)(&asked, &model_);
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError(printable(fmt::format("{} threw an exception: {}", opening, error.what())));
  } catch (...) {
    throw UserError(fmt::format("{} threw an exception of an unknown type", opening));
  }
  require(problem == nullptr, "{}: the model cannot be opened: {}", shown_,
          printable(problem == nullptr ? "" : problem));
  require(model_.version == TRILEMMA_MODEL_VERSION,
          "{}: the model has version {} of the interface, and this program has {}; compile it with "
          "this program's trilemma_model.h",
          task_.file, model_.version, TRILEMMA_MODEL_VERSION);
  require(model_.gradient != nullptr && model_.predict != nullptr,
          "{}: the model lacks gradient or predict; set both", task_.file);
  require(model_.parameters > 0 && model_.parameters <= std::numeric_limits<std::uint32_t>::max(),
          "{}: the model says that it has {} parameters; expected 1 to 2^32 - 1{}", task_.file,
          model_.parameters,
          task_.classes == 0 ? "; the data have no classes: set data.classes if the targets are "
                               "labels"
                             : "");
  name_ = printable(model_.name == nullptr ? "without a name" : model_.name);
}

// The library stays loaded: interpreters and pools of threads do not survive an unload.
ModelLibrary::~ModelLibrary() { close(); }

void ModelLibrary::close() noexcept {
  if (model_.close == nullptr) return;
  try {
    const CrashReport report(places_[4].c_str());
    model_.close(model_.state);
  } catch (...) {  // nothing depends on it any more
  }
}

// Returns an array for `size` results of a call, all of them recognisable as not yet written.
std::span<float> ModelLibrary::room(std::size_t size) {
  if (room_.size() < size + 2 * fence) room_.resize(size + 2 * fence);
  std::fill_n(room_.begin(), size + 2 * fence, fence_value);
  return std::span(room_).subspan(fence, size);
}

// Checks the array of room() after a call, and copies it.
void ModelLibrary::take(const char* function, std::span<float> to) {
  const std::span<const float> all = std::span(room_).first(to.size() + 2 * fence);
  if (!std::ranges::all_of(all.first(fence), is_fence) ||
      !std::ranges::all_of(all.last(fence), is_fence))
    fail(function, fmt::format("wrote outside of its array of {} numbers; does the model have as "
                               "many parameters as it says?",
                               to.size()));
  const auto values = all.subspan(fence, to.size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (is_fence(values[j]))
      fail(function, fmt::format("did not write number {} of {}", j, values.size()));
    if (!std::isfinite(values[j]))
      fail(function, fmt::format("returned {} as number {} of {}; lower the step size, or look at "
                                 "the model",
                                 values[j], j, values.size()));
  }
  std::ranges::copy(values, to.begin());
}

ModelOrigins ModelLibrary::origins() {
  if (!is_python(task_.file)) return {};
  void* const symbol = ::dlsym(handle_, "trilemma_python_origins");
  expect(symbol != nullptr, "the library for models in Python lacks trilemma_python_origins");
  trilemma_origins found{};
  const char* const problem = reinterpret_cast<trilemma_python_origins_function*>(symbol)(&found);
  if (problem != nullptr)
    throw RunFailure(printable(
        fmt::format("{}: the modules that it imports cannot be read: {}", shown_, problem)));
  return {found.packages, found.modules};
}

std::vector<float> ModelLibrary::start(std::uint64_t seed) {
  std::vector<float> x(parameters(), 0.0F);
  if (model_.start == nullptr) return x;
  const auto out = room(x.size());
  call("start", places_[0].c_str(), [&] { return model_.start(model_.state, seed, out.data()); });
  take("start", x);
  return x;
}

double ModelLibrary::gradient(std::span<const float> x, const ModelBatch& batch,
                              std::span<float> sum) {
  const auto out = room(sum.size());
  const trilemma_batch records = passed(batch);
  double loss = std::numeric_limits<double>::quiet_NaN();
  watched("gradient", places_[1].c_str(), x, batch, [&] {
    return model_.gradient(model_.state, x.data(), &records, &loss,
                           sum.empty() ? nullptr : out.data());
  });
  if (!std::isfinite(loss))
    fail("gradient",
         fmt::format("returned the loss {}; lower the step size, or look at the model", loss));
  take("gradient", sum);
  return loss;
}

double ModelLibrary::record_gradients(std::span<const float> x, const ModelBatch& batch,
                                      std::span<float> gradients) {
  double sum = 0;
  if (!has_record_gradients()) {
    for (std::size_t i = 0; i < batch.records; ++i) {
      const ModelBatch one{batch.features.subspan(i * task_.features, task_.features),
                           batch.labels.empty() ? batch.labels : batch.labels.subspan(i, 1),
                           batch.targets.empty() ? batch.targets : batch.targets.subspan(i, 1), 1};
      sum += gradient(x, one, gradients.subspan(i * parameters(), parameters()));
    }
    return sum;
  }
  const auto out = room(gradients.size());
  const trilemma_batch records = passed(batch);
  constexpr std::size_t spare = 16;  // for a library that writes too many
  losses_.assign(batch.records + spare, std::numeric_limits<double>::quiet_NaN());
  watched("record_gradients", places_[2].c_str(), x, batch, [&] {
    return model_.record_gradients(model_.state, x.data(), &records, losses_.data(), out.data());
  });
  take("record_gradients", gradients);
  const auto losses = std::span(losses_).first(batch.records);
  if (!std::ranges::all_of(std::span(losses_).last(spare), [](double one) { return one != one; }))
    fail("record_gradients", fmt::format("wrote more than {} losses", batch.records));
  for (const double loss : losses) {
    if (!std::isfinite(loss))
      fail("record_gradients",
           fmt::format("returned the loss {}; lower the step size, or look at the model", loss));
    sum += loss;
  }
  return sum;
}

void ModelLibrary::predict(std::span<const float> x, const ModelBatch& batch,
                           std::span<float> answers) {
  const auto out = room(answers.size());
  const trilemma_batch records = passed(batch);
  watched("predict", places_[3].c_str(), x, batch,
          [&] { return model_.predict(model_.state, x.data(), &records, out.data()); });
  take("predict", answers);
  if (task_.classes == 0) return;
  for (const float answer : answers)
    if (answer != std::floor(answer) || answer < 0 || answer >= static_cast<float>(task_.classes))
      fail("predict", fmt::format("returned {} as the class of a record; expected a whole number "
                                  "from 0 to {}",
                                  answer, task_.classes - 1));
}

}  // namespace trilemma
