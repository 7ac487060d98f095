"""Reading in a child process: libhdf5 can crash or run for ever on a damaged file, and must not take us with it."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn, TypeVar

Result = TypeVar("Result")

CPU_SECONDS = 20  # for one file; what an honest one of gigabytes needs, several times over


class Crash(Exception):
    """The child did not come back; the text says why, as the first half of a sentence."""


class _Child:
    """A process that does one task after the other, for forking costs more than reading a small file."""

    def __init__(self) -> None:
        tasks, self._tasks = os.pipe()
        self._results, results = os.pipe()
        with warnings.catch_warnings():
            # Threads of the numerical libraries hold no lock that the child needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process == 0:
            _serve(tasks, results)
        os.close(tasks)
        os.close(results)
        self.parent = os.getpid()
        self.used = False
        self._sink, self._source = os.fdopen(self._tasks, "wb"), os.fdopen(self._results, "rb")

    def do(self, task: Callable[[], Any]) -> tuple[bool, Any]:
        """Returns (True, result) or (False, exception) of a task. Raises Crash if the child has ended."""
        self.used = True
        try:
            pickle.dump(task, self._sink)
            self._sink.flush()
            return pickle.load(self._source)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise Crash(_reason(self.end())) from None

    def end(self) -> int:
        """Ends the child and returns its wait status, or the earlier status if it has ended before."""
        for stream in (self._sink, self._source):
            try:
                stream.close()
            except BrokenPipeError:  # of a child that is gone already
                pass
        os.kill(self._process, signal.SIGKILL)
        return os.waitpid(self._process, 0)[1]


_child: _Child | None = None
_lock = threading.Lock()


def apart(task: Callable[[], Result]) -> Result:
    """Returns the result of `task`, a function that can be pickled. The task runs in a child process if the system has
    fork(). Raises what the task raises, and Crash if a signal ended the child."""
    global _child
    if not hasattr(os, "fork"):
        return task()
    with _lock:
        if _child is None or _child.parent != os.getpid():
            _child = _Child()
        fresh = not _child.used
        try:
            well, result = _child.do(task)
        except Crash:
            _child = None
            if fresh:
                raise
            # Perhaps the file before had damaged the child's memory: once more with another one.
            _child = _Child()
            try:
                well, result = _child.do(task)
            except Crash:
                _child = None
                raise
        if not well:  # of a damaged file, after which nothing is certain
            _child.end()
            _child = None
            raise result
        return result


def _reason(status: int) -> str:
    """Returns why a child process ended without an answer, from its wait status."""
    killed = os.WTERMSIG(status)
    if not os.WIFSIGNALED(status) or killed == signal.SIGKILL:
        return "the HDF5 library came to a bad end while reading it"
    return f"reading it took more than {CPU_SECONDS} s" if killed in (signal.SIGPROF, signal.SIGXCPU) else \
        f"the HDF5 library ended with {signal.Signals(killed).name} while reading it"


def _serve(tasks: int, results: int) -> NoReturn:
    """Executes tasks in the child until there are no more, and ends without cleaning up after the parent."""
    try:
        # Nothing but the two pipes: an inherited file could keep a lock alive, or take the C library's last words.
        source, sink = _only(tasks, results)
        while True:
            try:
                task = pickle.load(source)
            except EOFError:
                os._exit(0)
            _limit()
            try:
                sent = pickle.dumps((True, task()), protocol=pickle.HIGHEST_PROTOCOL)
            except Exception as error:  # noqa: BLE001 - it is raised again in the parent
                sent = pickle.dumps((False, error))
            sink.write(sent)
            sink.flush()
    finally:
        os._exit(1)


def _only(tasks: int, results: int) -> tuple[BinaryIO, BinaryIO]:
    """Returns the two pipes as streams. Closes all other files and connects the standard streams to /dev/null."""
    import fcntl  # only where there is fork()

    # Above the standard streams, one of which may have been closed in the parent.
    tasks, results = (fcntl.fcntl(pipe, fcntl.F_DUPFD, 3) for pipe in (tasks, results))
    kept = sorted((tasks, results))
    for low, high in zip((3, kept[0] + 1, kept[1] + 1), (kept[0], kept[1], 1 << 20)):
        os.closerange(low, high)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return os.fdopen(tasks, "rb"), os.fdopen(results, "wb")


def _limit() -> None:
    """Sets the time for one more file, and disables core dumps."""
    import resource  # only where there is fork()

    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
