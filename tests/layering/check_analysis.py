"""The rules of the analysis package. Usage: check_analysis.py SOURCE [--count]

* A room imports rooms of lower levels and modules of its own; modules of a room form no cycle.
* Every function has a docstring, but functions within functions and methods with names like __init__. Its first word is
  one of VERBS, so that it says what the function does: "Returns the ...", "Draws ...".
* A module has at most 300 lines, a function at most 60, a line at most 120 characters.

Prints every violation as FILE:LINE: sentence and ends with code 1 if there is one. `--count` prints the modules, lines and
arrows of each room.
"""
import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# Rooms by level: io reads files, cli is one module a command.
LEVELS = (("io",), ("model",), ("stats",), ("plot",), ("scaling", "network", "verdicts", "report"), ("cli",))
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
PACKAGE = "analysis/trilemma_analysis"
MODULE_LINES = 300
FUNCTION_LINES = 60
LINE = 120
VERBS = frozenset("""Adds Checks Draws Ends Executes Exports Finds Gives Judges Labels Lets Makes Moves Packs Plans Prints Puts
    Raises Ranks Reads Refuses Removes Replaces Returns Saves Sets Sorts Warns Wraps Writes Yields""".split())


def imported(path, package):
    """The modules of the package that a module imports, as (line, parts of the name)."""
    own = path.relative_to(package).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = own[:len(own) - node.level] + tuple(node.module.split(".") if node.module else ())
            for name in node.names:
                whole = (*base, name.name)
                is_module = (package.joinpath(*whole).with_suffix(".py").is_file()
                             or package.joinpath(*whole, "__init__.py").is_file())
                yield node.lineno, whole if is_module else base


def modules(root):
    """The modules of the package that belong to a room or should, and their paths. The entry points import what they
    like."""
    package = root / PACKAGE
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").parts
        if len(module) > 1:
            yield module, path


def arrow_problems(root):
    """Imports that go up, rooms that do not exist, and cycles."""
    graph = {}
    for module, path in modules(root):
        place = path.relative_to(root)
        if module[0] not in LEVEL:
            yield f"{place}:1: '{module[0]}' is no room of the package; rooms are {', '.join(LEVEL)}"
            continue
        graph[module] = set()
        for line, other in imported(path, root / PACKAGE):
            if other[0] != module[0] and LEVEL.get(other[0], -1) >= LEVEL[module[0]]:
                yield f"{place}:{line}: {module[0]} imports {other[0]}, which is not of a lower level"
            elif other != module and len(other) > 1:
                graph[module].add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"{PACKAGE}:1: modules import each other: {' -> '.join('.'.join(part) for part in error.args[1])}"


def functions(node):
    """The functions and methods of a module or class, without those within functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
        elif not isinstance(child, ast.Lambda):
            yield from functions(child)


def verb_problems(place, module):
    """Docstrings of functions, at any depth, that do not begin with a verb."""
    for function in ast.walk(module):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and (text := ast.get_docstring(function)):
            word = text.split()[0]
            if word not in VERBS:
                yield (f"{place}:{function.lineno}: the docstring of {function.name} begins with '{word}', which is no verb "
                       f"of VERBS in {Path(__file__).name}; write what the function does, as in 'Returns ...'")


def text_problems(root):
    """Missing docstrings, docstrings without a verb, and what is too long."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        place, text = path.relative_to(root), path.read_text(encoding="utf-8")
        yield from verb_problems(place, ast.parse(text))
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > LINE:
                yield f"{place}:{number}: the line has {len(line)} characters, more than {LINE}"
        if (lines := len(text.splitlines())) > MODULE_LINES:
            yield f"{place}:1: the module has {lines} lines, more than {MODULE_LINES}"
        for function in functions(ast.parse(text)):
            if ast.get_docstring(function) is None and not (function.name.startswith("__") and function.name.endswith("__")):
                yield f"{place}:{function.lineno}: {function.name} has no docstring"
            if (lines := function.end_lineno - function.lineno + 1) > FUNCTION_LINES:
                yield f"{place}:{function.lineno}: {function.name} has {lines} lines, more than {FUNCTION_LINES}"


def problems(root):
    """All violations, as sentences."""
    yield from arrow_problems(root)
    yield from text_problems(root)


def counts(root):
    """A line for each room: modules, lines, and the rooms that it imports."""
    rooms = {}
    for module, path in modules(root):
        entry = rooms.setdefault(module[0], [0, 0, set()])
        entry[0] += 1
        entry[1] += len(path.read_text(encoding="utf-8").splitlines())
        entry[2] |= {other[0] for _, other in imported(path, root / PACKAGE) if len(other) > 1} - {module[0]}
    for room in sorted(rooms, key=lambda room: LEVEL.get(room, -1)):
        number, lines, others = rooms[room]
        yield f"{room:10}{number:4} modules {lines:6} lines -> {', '.join(sorted(others, key=LEVEL.get)) or 'none'}"
    yield (f"{'all':10}{sum(entry[0] for entry in rooms.values()):4} modules "
           f"{sum(entry[1] for entry in rooms.values()):6} lines, {sum(len(entry[2]) for entry in rooms.values())} arrows")


def main():
    """Prints the violations, or with --count the numbers."""
    if "--count" in sys.argv[2:]:
        print("\n".join(counts(Path(sys.argv[1]))))
        return
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
