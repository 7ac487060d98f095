// Models in Python: a library with the interface of trilemma_model.h that runs Python's
// interpreter, so that the program does not depend on Python.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "problem/plugin/python/glue.hpp"
#include "problem/plugin/python/origins.hpp"
#include "problem/plugin/trilemma_model.h"

namespace {

struct Release {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Release>;

// The right to use the interpreter, for one call.
class Interpreter {
 public:
  Interpreter() : state_(PyGILState_Ensure()) {}
  ~Interpreter() { PyGILState_Release(state_); }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

// A model: the object of glue.py, and texts that the program reads.
struct State {
  Object calls;
  std::string file, name, problem;
  std::size_t features = 0, parameters = 0;
};

PyObject* glue = nullptr;  // namespace of glue.py

// Extension modules look for the functions of the interpreter among the symbols of the process.
void show_symbols() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&Py_IsInitialized), &info) != 0 && info.dli_fname != nullptr)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

// Returns the python3 of the active virtual environment, otherwise the name that is looked for in
// PATH. A job can have the variable of the environment, but another PATH.
std::string named_interpreter() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  if (environment == nullptr || *environment == '\0') return "python3";
  const std::string interpreter = std::string(environment) + "/bin/python3";
  return access(interpreter.c_str(), X_OK) == 0 ? interpreter : "python3";
}

// Returns a sentence about a failure, or nullptr.
const char* start_interpreter() {
  static std::string problem;
  // One rank has one core.
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) setenv(name, "1", 0);
  show_symbols();
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;  // the program has its own
  config.parse_argv = 0;
  config.write_bytecode = 0;
  // This program decides where modules are.
  PyStatus status =
      PyConfig_SetBytesString(&config, &config.program_name, named_interpreter().c_str());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    problem = std::string("Python does not start: ") +
              (status.err_msg == nullptr ? "no reason given" : status.err_msg);
    return problem.c_str();
  }
  const Object module(PyImport_AddModule("trilemma_glue"));
  Py_XINCREF(module.get());
  if (module != nullptr) glue = PyModule_GetDict(module.get());
  const Object done(glue == nullptr ? nullptr
                                    : PyRun_String(glue_source, Py_file_input, glue, glue));
  if (done == nullptr) {
    PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&kind, &value, &trace);
    const Object text(value == nullptr ? nullptr : PyObject_Str(value));
    const char* const words = text == nullptr ? nullptr : PyUnicode_AsUTF8(text.get());
    problem = std::string("Python cannot be used: ") +
              (words == nullptr ? "no reason given" : words) +
              "; install NumPy for Python " Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(
                  PY_MINOR_VERSION) ", with which the program was built, or activate an "
                                    "environment of this version that has NumPy";
    glue = nullptr;
  }
  PyEval_SaveThread();
  return glue == nullptr ? problem.c_str() : nullptr;
}

// Returns a sentence about the exception of Python that is set.
const char* explained(State& state) {
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  PyErr_SetExcInfo(kind, value, trace);  // what sys.exc_info() returns; takes the references
  const Object text(
      PyObject_CallFunction(PyDict_GetItemString(glue, "explain"), "s", state.file.c_str()));
  const char* const words = text == nullptr ? nullptr : PyUnicode_AsUTF8(text.get());
  state.problem = words == nullptr ? "an exception that cannot be shown" : words;
  PyErr_Clear();
  PyErr_SetExcInfo(nullptr, nullptr, nullptr);
  return state.problem.c_str();
}

Object memory(const void* data, std::size_t bytes, bool writable) {
  if (data == nullptr) {
    Py_INCREF(Py_None);
    return Object(Py_None);
  }
  return Object(PyMemoryView_FromMemory(static_cast<char*>(const_cast<void*>(data)),
                                        static_cast<Py_ssize_t>(bytes),
                                        writable ? PyBUF_WRITE : PyBUF_READ));
}

// Records as the triple that glue.py expects.
Object records(const State& state, const trilemma_batch& batch) {
  const Object features =
      memory(batch.features, sizeof(float) * batch.records * state.features, false);
  const bool are_labels = batch.labels != nullptr;
  const void* const answers = are_labels ? static_cast<const void*>(batch.labels) : batch.targets;
  const Object known = memory(answers, sizeof(float) * batch.records, false);
  return Object(
      Py_BuildValue("(OOs)", features.get(), known.get(), are_labels ? "labels" : "targets"));
}

State& of(void* state) { return *static_cast<State*>(state); }

const char* start(void* state, uint64_t seed, float* x) {
  const Interpreter interpreter;
  const Object out = memory(x, sizeof(float) * of(state).parameters, true);
  const Object done(PyObject_CallMethod(of(state).calls.get(), "start", "KO",
                                        static_cast<unsigned long long>(seed), out.get()));
  return done == nullptr ? explained(of(state)) : nullptr;
}

const char* gradient(void* state, const float* x, const trilemma_batch* batch, double* loss,
                     float* sum) {
  const Interpreter interpreter;
  const std::size_t bytes = sizeof(float) * of(state).parameters;
  const Object model = memory(x, bytes, false);
  const Object rows = records(of(state), *batch);
  const Object out = memory(sum, bytes, true);
  const Object found(PyObject_CallMethod(of(state).calls.get(), "gradient", "OOO", model.get(),
                                         rows.get(), out.get()));
  if (found == nullptr) return explained(of(state));
  *loss = PyFloat_AsDouble(found.get());
  return nullptr;
}

const char* record_gradients(void* state, const float* x, const trilemma_batch* batch,
                             double* losses, float* gradients) {
  const Interpreter interpreter;
  const std::size_t bytes = sizeof(float) * of(state).parameters;
  const Object model = memory(x, bytes, false);
  const Object rows = records(of(state), *batch);
  const Object each = memory(losses, sizeof(double) * batch->records, true);
  const Object out = memory(gradients, bytes * batch->records, true);
  const Object done(PyObject_CallMethod(of(state).calls.get(), "record_gradients", "OOOO",
                                        model.get(), rows.get(), each.get(), out.get()));
  return done == nullptr ? explained(of(state)) : nullptr;
}

const char* predict(void* state, const float* x, const trilemma_batch* batch, float* answers) {
  const Interpreter interpreter;
  const Object model = memory(x, sizeof(float) * of(state).parameters, false);
  const Object rows = records(of(state), *batch);
  const Object out = memory(answers, sizeof(float) * batch->records, true);
  const Object done(PyObject_CallMethod(of(state).calls.get(), "predict", "OOO", model.get(),
                                        rows.get(), out.get()));
  return done == nullptr ? explained(of(state)) : nullptr;
}

void close_model(void* state) {
  const Interpreter interpreter;
  delete &of(state);
}

std::size_t number(const State& state, const char* name) {
  const Object found(PyObject_GetAttrString(state.calls.get(), name));
  return found == nullptr ? 0 : PyLong_AsSize_t(found.get());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* trilemma_open_model(
    const trilemma_task* task, trilemma_model* model) {
  static const char* const failure = start_interpreter();
  if (failure != nullptr) return failure;
  const Interpreter interpreter;
  auto state = std::make_unique<State>();
  state->file = task->file;
  state->features = task->features;
  state->calls.reset(PyObject_CallFunction(PyDict_GetItemString(glue, "Calls"), "ssKK", task->file,
                                           task->options,
                                           static_cast<unsigned long long>(task->features),
                                           static_cast<unsigned long long>(task->classes)));
  if (state->calls == nullptr) {
    static std::string problem;
    problem = explained(*state);
    return problem.c_str();
  }
  state->parameters = number(*state, "parameters");
  const Object name(PyObject_GetAttrString(state->calls.get(), "name"));
  const char* const words = name == nullptr ? nullptr : PyUnicode_AsUTF8(name.get());
  state->name = words == nullptr ? "Model" : words;
  PyErr_Clear();
  model->version = TRILEMMA_MODEL_VERSION;
  model->name = state->name.c_str();
  model->parameters = state->parameters;
  model->start = number(*state, "has_start") != 0 ? start : nullptr;
  model->gradient = gradient;
  model->record_gradients =
      number(*state, "has_record_gradients") != 0 ? record_gradients : nullptr;
  model->predict = predict;
  model->close = close_model;
  model->state = state.release();
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) const char* trilemma_python_version() {
  return python_module_version;
}

extern "C" __attribute__((visibility("default"))) const char* trilemma_python_origins(
    trilemma_origins* origins) {
  static State texts;
  const Interpreter interpreter;
  for (const auto& [name, list] :
       {std::pair{"packages", &origins->packages}, {"modules", &origins->modules}}) {
    const Object found(PyObject_CallFunction(PyDict_GetItemString(glue, name), nullptr));
    if (found == nullptr) return explained(texts);
    for (Py_ssize_t i = 0; i < PyList_Size(found.get()); ++i) {
      const char* const words = PyUnicode_AsUTF8(PyList_GetItem(found.get(), i));
      if (words == nullptr) return explained(texts);
      list->emplace_back(words);
    }
  }
  return nullptr;
}
