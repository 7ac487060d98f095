"""The arrows between the rooms of the analysis package. Usage: check_analysis.py SOURCE

A room imports rooms of lower levels and modules of its own; modules of a room form no cycle. Prints every violation as
FILE:LINE: sentence and ends with code 1 if there is one.
"""
import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# Rooms by level: io reads files, cli is one module a command.
LEVELS = (("io",), ("model",), ("stats",), ("plot",), ("scaling", "network", "verdicts", "report"), ("cli",))
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
PACKAGE = "analysis/trilemma_analysis"


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


def problems(root):
    package = root / PACKAGE
    graph = {}
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").parts
        place = path.relative_to(root)
        if len(module) == 1:  # the entry points import what they like
            continue
        if module[0] not in LEVEL:
            yield f"{place}:1: '{module[0]}' is no room of the package; rooms are {', '.join(LEVEL)}"
            continue
        graph[module] = set()
        for line, other in imported(path, package):
            if other[0] != module[0] and LEVEL.get(other[0], -1) >= LEVEL[module[0]]:
                yield f"{place}:{line}: {module[0]} imports {other[0]}, which is not of a lower level"
            elif other != module and len(other) > 1:
                graph[module].add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"{PACKAGE}:1: modules import each other: {' -> '.join('.'.join(part) for part in error.args[1])}"


def main():
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
