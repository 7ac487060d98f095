"""Rules about Python files that write. Usage: check_writers.py SOURCE

One module of each package opens files for writing; all others call it. Prints every violation as FILE:LINE: sentence
and ends with code 1 if there is one.
"""
import ast
import re
import sys
from pathlib import Path

WRITERS = {"analysis/trilemma_analysis/io/writing.py", "jobs/trilemma_jobs/writing.py"}
# Opens a run file to see whether a program holds its lock, and writes nothing.
EXCEPTIONS = {"analysis/trilemma_analysis/model/sweep_files.py": {"r+b"}}
WRITING_METHODS = {"write_text", "write_bytes", "touch", "symlink_to", "mkstemp", "rename", "replace_file"}
WRITING_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND"}
PANDAS = {"to_csv", "to_json", "to_parquet", "to_pickle", "to_excel", "to_hdf", "tofile", "savetxt", "savez"}


def mode_of(call, place):
    """The mode of a call of open: a text, or None where it is not written out."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] or call.args[place:place + 1]
    if not given:
        return "r"
    return given[0].value if isinstance(given[0], ast.Constant) else None


def problem(call, name):
    """Why a call writes a file; empty if it does not."""
    function = call.func
    called = getattr(function, "id", getattr(function, "attr", ""))  # of a name, of an attribute
    text = ast.unparse(call)
    if called in ("open", "File") and not text.startswith("os."):
        is_method = (isinstance(function, ast.Attribute) and called == "open"
                     and not text.startswith(("io.", "gzip.", "codecs.")))
        mode = mode_of(call, 0 if is_method else 1)
        if mode is None or (re.search("[wax+]", mode) and mode not in EXCEPTIONS.get(name, ())):
            return f"opens a file with mode {mode!r}"
    if text.startswith("os.open(") and any(flag in text for flag in WRITING_FLAGS) and "os.devnull" not in text:
        return "opens a file for writing"
    if called in WRITING_METHODS:
        return f"calls {called}"
    if called in PANDAS and (call.args or any(keyword.arg == "path_or_buf" for keyword in call.keywords)):
        return f"writes by {called}"
    if called == "savefig" and not any(keyword.arg == "format" for keyword in call.keywords):
        return "draws into a file, not into memory"
    return ""


def check_file(path, name):
    if name in WRITERS:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (why := problem(node, name)):
            yield f"{name}:{node.lineno}: {why}; only {' and '.join(sorted(WRITERS))} write files"


def python_files(root):
    """Shipped Python: modules, and scripts without an ending."""
    for folder in ("analysis/trilemma_analysis", "jobs", "scripts"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix == ".py" or (not path.suffix and path.read_bytes().startswith(
                    b"#!/usr/bin/env python3"))):
                yield path


def check_tree(root):
    """All violations, as sentences."""
    return [sentence for path in python_files(root) for sentence in check_file(path, path.relative_to(root).as_posix())]


def self_test():
    """What the rules must find, and what they must leave alone."""
    bad = ["open('x', 'w')", "open('x', mode='ab')", "open('x', m)", "Path('x').open('w')", "Path('x').write_text('')",
           "os.open('x', os.O_WRONLY)", "frame.to_csv('x')", "figure.savefig('x.png')", "h5py.File('x', 'w')",
           "open('x', 'r+b')"]
    good = ["open('x')", "open('x', 'rb')", "Path('x').open()", "os.open(os.devnull, os.O_WRONLY)",
            "frame.to_csv(index=False)", "figure.savefig(picture, format='png')", "h5py.File('x')", "h5py.File('x', 'r')"]
    def is_bad(text):
        return bool(problem(next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)), "x.py"))
    return [text for text in bad if not is_bad(text)] + [text for text in good if is_bad(text)]


if __name__ == "__main__":
    found = check_tree(Path(sys.argv[1])) + [f"self test: {text} is judged wrongly" for text in self_test()]
    print("\n".join(found) if found else "only the writers write")
    sys.exit(1 if found else 0)
