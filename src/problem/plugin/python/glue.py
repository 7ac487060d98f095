"""The Python side of models in Python: a class Model in the user's file, called with NumPy arrays."""
import hashlib
import os
import sys
import sysconfig
import threading
import traceback
import types

import numpy as np

sys.stdout = sys.stderr  # what a model prints is no answer of the program
MODULES = {}
NEEDED = ("parameters", "gradient", "predict")
# Packages whose versions a run file has, if they are imported.
PACKAGES = ("numpy", "scipy", "torch", "jax", "jaxlib", "tensorflow")
AT_START = frozenset(sys.modules)
INSTALLED = ("site-packages", "dist-packages")
LIBRARY = tuple(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib"))
PROCESS, EXIT = os.getpid(), os._exit


class ModelError(Exception):
    """A sentence about a model that does not follow the interface."""


class ModelExit(BaseException):
    """A model ended the process; a BaseException, as SystemExit is, since models catch Exception."""


def refuse_exit(status):
    """Instead of os._exit, which would end a rank without a word. Processes that a model has started may end."""
    if os.getpid() != PROCESS:
        EXIT(status)
    if threading.current_thread() is threading.main_thread():
        raise ModelExit(f"os._exit({status})")
    print(f"trilemma: a thread of the model called os._exit({status}), which ends the rank", file=sys.stderr, flush=True)
    EXIT(3)


os._exit = refuse_exit


def file_of(module):
    """The file of a module, or the archive that has it; None if there is none."""
    try:
        path = module.__file__
    except Exception:  # of a module that is loaded at its first use
        return None
    while path and not os.path.isfile(path):
        path = os.path.dirname(path) if os.path.dirname(path) != path else None
    return os.path.realpath(path) if path else None


def is_installed(file):
    """Whether a file belongs to Python or to an installed package."""
    return file.startswith(LIBRARY) or any(part in INSTALLED for part in file.split(os.sep))


def own_modules():
    """Files of the imported modules that are neither Python's nor installed, by the names of the modules."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name in AT_START or any(module is model for model in MODULES.values()):
            continue
        # An installed package may make modules in temporary folders.
        package = file_of(sys.modules.get(name.partition(".")[0]))
        if package and is_installed(package):
            continue
        file = file_of(module)
        if file and not is_installed(file):
            found[name] = file
    return found


def packages():
    """Python and the packages that are imported: "Python 3.11.2 in /usr", "numpy 1.24.2"."""
    versions = [f"Python {sys.version.split()[0]} in {sys.prefix}"]
    for name in PACKAGES:
        if name in sys.modules:
            versions.append(f"{name} {getattr(sys.modules[name], '__version__', 'of unknown version')}")
    return versions


def modules():
    """The files of own_modules(): "SHA-256  path"."""
    lines = []
    for path in sorted(set(own_modules().values())):
        with open(path, "rb") as file:
            lines.append(f"{hashlib.sha256(file.read()).hexdigest()}  {path}")
    return lines


def module_of(file):
    """The module in a file, which is run once for all models of a process, unless another file is opened between."""
    if file not in MODULES:
        # Modules of another model may have the names of this one's.
        others = [os.path.dirname(other) for other in MODULES]
        sys.path[:] = [path for path in sys.path if path not in others]
        for name in own_modules():
            del sys.modules[name]
        MODULES.clear()
        sys.path.insert(0, os.path.dirname(file))
        module = types.ModuleType("trilemma_model_of_user")
        module.__file__ = file
        sys.modules[module.__name__] = module
        # Not through a loader, which would take bytecode that is in a cache: the checksum is that of the source.
        with open(file, "rb") as source:
            exec(compile(source.read(), file, "exec"), module.__dict__)
        MODULES[file] = module
    return MODULES[file]


def explain(file):
    """One line about the exception that is being handled: where in the user's file it was raised, and what it says."""
    kind, error, trace = sys.exc_info()
    if isinstance(error, ModelError):
        return str(error)
    ends = {ModelExit: str(error), SystemExit: "exit()"}.get(kind)
    name = os.path.basename(file)
    # The last place in the model's folder: a helper of the model counts, a library does not.
    places = [frame for frame in traceback.extract_tb(trace)
              if os.path.dirname(frame.filename) == os.path.dirname(file)]
    line = places[-1].lineno if places else getattr(error, "lineno", None)
    name = os.path.basename(places[-1].filename) if places else name
    where = f"{name}, line {line}: " if line else ""
    if ends:
        return f"{where}the model called {ends}, which would end the rank; raise an exception"
    remedy = f"; install it for Python {sys.version.split()[0]} in {sys.prefix}, or activate an environment that has it" \
        if isinstance(error, ModuleNotFoundError) else ""
    return f"{where}{kind.__name__}: {error}{remedy}".replace("\n", " ")


def numbers(what, value, count, kinds="f"):
    """A result as a vector of `count` numbers: floating-point ones, or of the kinds of NumPy in `kinds`."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise ModelError(f"returned {type(value).__name__} as {what}, which is no NumPy array: {error}") from error
    if array.dtype.kind not in kinds:
        raise ModelError(f"returned numbers of type {array.dtype} as {what}; expected floating-point numbers")
    if array.size != count:
        raise ModelError(f"returned {array.size} numbers as {what}, expected {count}")
    return array.astype(np.float32).reshape(-1)


def pair(what, value):
    """The two parts of a result."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ModelError(f"returned {type(value).__name__}, expected {what}")
    return value


class Calls:
    """A model, and how the program calls it. Arrays of the program are memory. What comes in is copied, since a model may
    change or keep it."""

    def __init__(self, file, options, features, classes):
        module = module_of(file)
        if not hasattr(module, "Model"):
            raise ModelError("the file has no class Model")
        self.model = module.Model(features, classes, **({"options": options} if options else {}))
        for name in NEEDED:
            if not hasattr(self.model, name):
                raise ModelError(f"the class Model has no {name}")
        self.features = features
        self.parameters = int(self.model.parameters)
        if self.parameters < 1:
            without = "; the data have no classes: set data.classes if the targets are labels" if classes == 0 else ""
            raise ModelError(f"the class Model has parameters = {self.parameters}, expected 1 or more{without}")
        self.name = str(getattr(self.model, "name", "Model"))
        self.has_start = hasattr(self.model, "start")
        self.has_record_gradients = hasattr(self.model, "record_gradients")

    def records(self, batch):
        """Features of records (n x features), and their labels or targets (n)."""
        features, answers, kind = batch
        x = np.array(np.frombuffer(features, np.float32)).reshape(-1, self.features)
        if answers is None:
            return (x,)
        return x, np.array(np.frombuffer(answers, np.int32 if kind == "labels" else np.float32))

    def start(self, seed, out):
        np.frombuffer(out, np.float32)[:] = numbers("the start", self.model.start(seed), self.parameters)

    def gradient(self, x, batch, out):
        w = np.array(np.frombuffer(x, np.float32))
        if out is None and hasattr(self.model, "loss"):
            return float(self.model.loss(w, *self.records(batch)))
        loss, gradient = pair("(loss, gradient)", self.model.gradient(w, *self.records(batch)))
        if np.size(loss) != 1:
            raise ModelError(f"returned {np.size(loss)} numbers as the loss, expected (loss, gradient)")
        if out is not None:
            np.frombuffer(out, np.float32)[:] = numbers("the gradient", gradient, self.parameters)
        return float(loss)

    def record_gradients(self, x, batch, losses, out):
        w = np.array(np.frombuffer(x, np.float32))
        records = self.records(batch)
        count = len(records[0])
        found, gradients = pair("(losses, gradients)", self.model.record_gradients(w, *records))
        if np.ndim(gradients) == 2 and np.shape(gradients) != (count, self.parameters):
            raise ModelError(f"returned gradients of shape {np.shape(gradients)}, expected ({count}, {self.parameters})")
        np.frombuffer(losses, np.float64)[:] = numbers("the losses", found, count)
        np.frombuffer(out, np.float32)[:] = numbers("the gradients", gradients, count * self.parameters)

    def predict(self, x, batch, out):
        w = np.array(np.frombuffer(x, np.float32))
        (features,) = self.records(batch)
        np.frombuffer(out, np.float32)[:] = numbers("the answers", self.model.predict(w, features), len(features),
                                                      "fiu")
