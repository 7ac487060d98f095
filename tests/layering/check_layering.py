"""Rules of the source tree. Usage: check_layering.py SRC

Prints every violation as FILE:LINE: sentence and ends with code 1 if there is one.
"""
import re
import sys
from pathlib import Path

# A module includes only modules of its set, and itself. `comm` is for the experiment alone.
LOWER = {"core", "data", "wire", "record"}
MIDDLE = {"core", "data", "wire", "record", "privacy", "compress", "problem", "schedule"}
MODULES = {
    "core": set(),
    "data": {"core"},
    "wire": {"core"},
    "record": {"core"},
    "problem": LOWER,
    "compress": LOWER,
    "comm": LOWER,
    "privacy": LOWER,
    "schedule": LOWER,
    "memory": LOWER | {"compress", "privacy"},
    "local": MIDDLE | {"memory"},
    "algorithm": (MIDDLE | {"memory", "local"}) - {"record"},
    # What a claim rests on comes in as facts: neither plan nor settings.
    "claim": {"core", "privacy", "record", "schedule"},
    "experiment": MIDDLE | {"memory", "local", "algorithm", "claim", "comm"},
    "cli": {"core", "privacy", "record", "experiment"},
    "main.cpp": {"core", "record", "experiment", "cli"},
}
# Neither a method nor a recorder knows of MPI; a method does not record.

# Third-party headers and the only places that may include them.
HOMES = {
    r"mpi\.h|mpi-ext\.h": r"comm/",
    r"hdf5\.h|H5\w+\.h|hdf5_hl\.h": r"record/",
    r"toml\+\+/.*|toml\.hpp": r"core/settings",
    r"cblas\.h|openblas.*|lapacke\.h": r"problem/",
    r"CLI/.*": r"cli/|main\.cpp$",
    # Sums of files, and the secret of a process.
    r"sodium.*": r"record/|core/secret\.cpp$",
    r"Random123/.*": r"core/",
    r"zlib\.h": r"data/",
    r"csv\.h": r"data/csv\.cpp$",
    r"zip\.h": r"data/zip\.cpp$",
    r"png\.h": r"data/omniglot\.cpp$",
    r"nlohmann/.*": r"data/leaf\.cpp$|record/|cli/",
    r"Eigen/.*": r"problem/",
    r"boost/.*": r"privacy/accountant/",
    r"kissfft/.*": r"privacy/accountant/",
}
# A library of its own: it includes nothing of the other modules, nor of the rest of its own.
ALONE = "privacy/accountant/"
PRINTS = re.compile(r"\bfmt::print\b|\bstd::cout\b|\bstd::cerr\b|\bstd::clog\b"
                    r"|(?<![\w:])(?:std::)?(?:f|v|vf)?printf\s*\(|\bputs\s*\(|\bstd::print")
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FILE_LINES = 400
FUNCTION_LINES = 60
MAIN_LINES = 80


def without_comments(lines):
    """The lines with // comments, /* */ comments and the insides of string literals blanked."""
    text = "\n".join(lines)
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)

    def blank(match):
        found = match.group(0)
        if found.startswith('"'):
            return '"' + " " * (len(found) - 2) + '"'
        return re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text).split("\n")


def functions(lines):
    """(first line, length) of every outermost block that is no namespace, type, enum or table."""
    depth, start, opened = 0, None, []
    head = ""
    for number, line in enumerate(lines, 1):
        for char in line:
            if char == "{":
                container = re.search(r"\b(namespace|class|struct|enum|union|extern)\b[^;()]*$",
                                      head) is not None
                container = container or head.rstrip().endswith("=")  # a table
                inside = any(kind == "function" for kind, _ in opened)
                kind = "inner" if inside else "container" if container else "function"
                opened.append((kind, number))
                head = ""
            elif char == "}" and opened:
                kind, first = opened.pop()
                head = ""
                if kind == "function":
                    yield first, number - first + 1
            elif char == ";":
                head = ""
            else:
                head += char
        head += " "


def check_file(path, name):
    module = name.split("/")[0]
    raw = path.read_text(encoding="utf-8").split("\n")
    code = without_comments(raw)
    if module not in MODULES:
        yield 1, f"{module} is not a module of CONTRIBUTING.md"
        return
    limit = MAIN_LINES if name == "main.cpp" else FILE_LINES
    count = len(raw) - (raw[-1] == "")
    if count > limit:
        yield limit + 1, f"{count} lines, the budget is {limit}"
    for number, (line, plain) in enumerate(zip(raw, code), 1):
        include = INCLUDE.match(line)
        if include is not None:
            yield from ((number, text) for text in check_include(include, name, module))
        if CONDITIONAL.match(plain) and module not in ("core", "comm"):
            yield number, "#if outside of core and comm"
        if PRINTS.search(plain) and module not in ("experiment", "cli", "main.cpp"):
            yield number, "only experiment, cli and main print"
    for first, length in functions(code):
        if length > FUNCTION_LINES and name != "main.cpp":
            yield first, f"a function of {length} lines, the budget is {FUNCTION_LINES}"


def check_include(include, name, module):
    bracket, header = include.groups()
    if bracket == '"':
        other = header.split("/")[0]
        if "/" not in header or other not in MODULES:
            yield f'"{header}" is not written as "module/file.hpp"'
        elif other != module and other not in MODULES[module]:
            yield f"{module} may not include {other} ({header})"
        elif name.startswith(ALONE) and not header.startswith(ALONE):
            yield f"{ALONE} stands alone and may not include {header}"
    for pattern, home in HOMES.items():
        if re.fullmatch(pattern, header) and not re.match(home, name):
            yield f"<{header}> belongs to {home} only"


def check_tree(root):
    """All violations under src/, as sentences."""
    root = Path(root)
    found = []
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".h", ".cc"):
            continue
        name = path.relative_to(root).as_posix()
        found += [f"{name}:{number}: {text}" for number, text in check_file(path, name)]
        if path.suffix == ".hpp" and not path.read_text(encoding="utf-8").startswith("#pragma once"):
            found.append(f"{name}:1: a header begins with #pragma once")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: check_layering.py SRC")
    violations = check_tree(sys.argv[1])
    print("\n".join(violations) if violations else "layering: no violation")
    sys.exit(1 if violations else 0)
