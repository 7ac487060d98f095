"""Rules of the source tree. Usage: check_layering.py SRC

Prints every violation as FILE:LINE: sentence and ends with code 1 if there is one.
"""
import re
import sys
from pathlib import Path

# What each room includes, no more and no less; a room stands behind all that it includes, so that there are no cycles.
# Neither a method nor a recorder knows of MPI, a method does not record, and what a claim rests on comes in as facts:
# neither experiment nor settings.
ROOMS = {
    "base": set(),
    "numeric": {"base"},
    "settings": {"base"},
    "h5": {"base"},
    "machine": {"base"},
    "wire": {"base"},
    "data": {"base", "numeric", "settings", "h5", "machine"},
    "comm": {"base"},
    "problem": {"base", "numeric", "settings", "machine", "data"},
    "privacy": {"base", "numeric", "settings"},
    "compress": {"base", "numeric", "settings", "wire", "privacy"},
    "record": {"base", "h5", "machine"},
    "memory": {"base", "numeric", "privacy", "compress"},
    "local": {"base", "numeric", "settings", "problem", "privacy"},
    "exchange": {"base", "numeric", "settings", "comm", "compress"},
    "schedule": {"base", "numeric", "settings"},
    "method": {"base", "numeric", "settings", "privacy", "local", "schedule"},
    "claim": {"base", "data", "privacy", "record", "schedule"},
    "experiment": {"base", "numeric", "settings", "data", "problem", "privacy", "compress", "record", "memory", "local",
                   "exchange", "schedule", "method", "claim"},
    "federation": {"base", "numeric", "machine", "data", "comm", "problem", "privacy", "compress", "record", "memory", "local",
                   "exchange", "method", "experiment"},
    "driver": {"base", "numeric", "settings", "schedule", "federation"},
    "audit": {"base", "numeric", "data", "comm", "problem", "privacy", "compress", "record", "memory", "method", "claim",
              "experiment", "federation", "driver"},
    "run": {"base", "numeric", "settings", "machine", "data", "comm", "problem", "record", "schedule", "claim", "experiment",
            "federation", "driver"},
    "sweep": {"base", "numeric", "settings", "data", "record", "experiment"},
    "network": {"base", "numeric", "settings", "comm", "record", "exchange", "schedule"},
    "bench": {"base", "numeric", "settings", "machine", "comm", "problem", "record", "exchange", "claim", "experiment",
              "federation", "driver", "run", "network"},
    "cli": {"base", "privacy", "record", "claim", "experiment", "audit", "run", "sweep", "network", "bench"},
    "main.cpp": {"base", "numeric", "cli"},
}

# Rooms in which files still include each other in a circle.
CIRCLES = set()

# Third-party headers and the only places that may include them.
HOMES = {
    r"mpi\.h|mpi-ext\.h": r"comm/",
    r"hdf5\.h|H5\w+\.h|hdf5_hl\.h": r"h5/",
    r"toml\+\+/.*|toml\.hpp": r"settings/settings",
    r"cblas\.h|openblas.*|lapacke\.h": r"problem/kernels/",
    r"CLI/.*": r"cli/|main\.cpp$",
    # Sums of files, and the secret of a process.
    r"sodium.*": r"base/|numeric/secret\.cpp$",
    r"Random123/.*": r"numeric/",
    r"hwy/.*": r"numeric/|problem/kernels/|compress/",
    r"caliper/.*": r"base/region\.hpp$",
    r"zlib\.h": r"data/",
    r"csv\.h": r"data/csv\.cpp$",
    r"zip\.h": r"data/zip\.cpp$",
    r"png\.h": r"data/omniglot\.cpp$",
    r"jpeglib\.h|jerror\.h": r"data/jpeg\.cpp$",
    r"nlohmann/.*": r"data/(leaf|stackoverflow)\.cpp$|record/|cli/",
    r"Eigen/.*": r"problem/",
    # Models of users: their libraries, and the interpreter that runs those in Python.
    r"dlfcn\.h": r"problem/plugin/",
    r"hwloc\.h": r"machine/",
    r"Python\.h": r"problem/plugin/python/",
    r"boost/.*": r"privacy/accountant/|schedule/|numeric/integer_noise\.cpp$",
    r"kissfft/.*": r"privacy/accountant/",
    # What others wrote is opened by base/input_file.hpp alone: a regular file, with limits, read errors reported.
    # Here are the files of the system (/proc, /sys) and of this program itself.
    r"fstream": r"base/subprocess\.cpp$|machine/|record/checkpoint_file\.cpp$",
}
# Folders inside a room, and all that they include: a library of its own, and kernels that know of no objective.
INNER = {
    "privacy/accountant/": ("privacy/accountant/",),
    "problem/kernels/": ("base/", "numeric/", "data/", "problem/kernels/"),
}
PRINTS = re.compile(r"\bfmt::print\b|\bstd::cout\b|\bstd::cerr\b|\bstd::clog\b"
                    r"|(?<![\w:])(?:std::)?(?:f|v|vf)?printf\s*\(|\bputs\s*\(|\bstd::print")
# Opens a file, or reads a text in pieces, past that reader.
OPENS = re.compile(r"\b(?:gzopen|gzdopen|freopen)\s*\(|(?<![\w.>])(?:std::)?fopen\s*\(|\bstd::getline\s*\(|(?<![\w.>])(?:::)?open\s*\([^)]*O_RDONLY")
OPENERS = ("base/", "machine/", "settings/settings_document.cpp")
# Outputs are written whole or not at all, and never through a link: base/output.hpp does it, and HDF5 behind a lock.
WRITES = re.compile(r"\bstd::(?:basic_|w)?(?:ofstream|fstream)\b|(?<!\w)(?:fdopen|creat|mkstemp|mkostemp)\s*\("
                    r"|\bO_(?:WRONLY|RDWR|CREAT|APPEND)\b|\bH5Fcreate\b")
WRITERS = {"base/output.cpp", "base/write_lock.cpp", "h5/file.cpp"}
# Identifiers, types and calls of the HDF5 library: all other rooms use the values of h5/h5.hpp.
HDF5 = re.compile(r"\bh(?:id|size|ssize|err)_t\b|\bH5[A-Z]\w*|\bh5::(?:Id|Handle)\b")
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b")
TYPE = re.compile(r"\b(?:class|struct|enum(?:\s+class)?|union)\s+(\w+)(?:\s+final)?(?:\s*:(?!:)[^;{}()]*)?\s*$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# A progress line, and what ends a job: the first sentence of a rank, the watchdog's last one.
PRINTERS = {"base/progress_line.cpp", "comm/collectively.cpp", "run", "audit", "network", "bench", "cli", "main.cpp"}
# The round is spelled out once; all others call it.
STAGES_OF_A_ROUND = re.compile(r"(?:->|\.)(?:gather_messages|aggregate|finish_round)\(|uplink_?->sum\(|downlink_?->send\(")
HOME_OF_THE_ROUND = ("federation/round.cpp", "federation/node_side.cpp", "federation/client_side.cpp", "exchange/")
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
    room = name.split("/")[0]
    raw = path.read_text(encoding="utf-8").split("\n")
    code = without_comments(raw)
    if room not in ROOMS:
        yield 1, f"{room} is not a room of CONTRIBUTING.md"
        return
    limit = MAIN_LINES if name == "main.cpp" else FILE_LINES
    count = len(raw) - (raw[-1] == "")
    if count > limit:
        yield limit + 1, f"{count} lines, the budget is {limit}"
    for number, (line, plain) in enumerate(zip(raw, code), 1):
        include = INCLUDE.match(line)
        if include is not None:
            yield from ((number, text) for text in check_include(include, name, room))
        if CONDITIONAL.match(plain) and room not in ("base", "numeric", "machine", "comm") and plain != "#if HWY_ONCE":
            yield number, "#if outside of base, numeric, machine and comm"
        if PRINTS.search(plain) and room not in PRINTERS and name not in PRINTERS:
            yield number, "only " + ", ".join(sorted(PRINTERS)) + " print"
        if OPENS.search(plain) and not name.startswith(OPENERS):
            yield number, "opens or reads a text past base/input_file.hpp and base/line_reader.hpp"
        if WRITES.search(plain) and name not in WRITERS:
            yield number, "only " + ", ".join(sorted(WRITERS)) + " open files for writing"
        if HDF5.search(plain) and room != "h5":
            yield number, "HDF5 outside of h5: use the values of h5/h5.hpp"
        if STAGES_OF_A_ROUND.search(plain) and not name.startswith(HOME_OF_THE_ROUND):
            yield number, "a stage of a round outside of " + HOME_OF_THE_ROUND[0]
    for first, length in functions(code):
        if length > FUNCTION_LINES and name != "main.cpp":
            yield first, f"a function of {length} lines, the budget is {FUNCTION_LINES}"


def check_include(include, name, room):
    bracket, header = include.groups()
    if bracket == '"':
        other = header.split("/")[0]
        if "/" not in header or other not in ROOMS:
            yield f'"{header}" is not written as "room/file.hpp"'
        elif other != room and other not in ROOMS[room]:
            yield f"{room} may not include {other} ({header})"
        for folder, allowed in INNER.items():
            if name.startswith(folder) and not header.startswith(allowed):
                yield f"{folder} may not include {header}"
    if header.startswith("h5/") and room != "h5" and header != "h5/h5.hpp":
        yield f"{header} is for h5 alone: include h5/h5.hpp"
    for pattern, home in HOMES.items():
        if re.fullmatch(pattern, header) and not re.match(home, name):
            yield f"<{header}> belongs to {home} only"


def guarded(text):
    """Whether a header counts once; what Highway compiles once per width has a guard that changes sides with the width."""
    return text.startswith("#pragma once") or "== defined(HWY_TARGET_TOGGLE)" in text


def check_tree(root):
    """All violations under src/, as sentences."""
    root = Path(root)
    found = []
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".h", ".cc"):
            continue
        name = path.relative_to(root).as_posix()
        found += [f"{name}:{number}: {text}" for number, text in check_file(path, name)]
        if path.suffix == ".hpp" and not guarded(path.read_text(encoding="utf-8")):
            found.append(f"{name}:1: a header begins with #pragma once")
    return found


def unused_arrows(root):
    """What ROOMS allows and no file does, and rooms that do not stand behind all that they include, as sentences."""
    root = Path(root)
    names = list(ROOMS)
    for room, allowed in ROOMS.items():
        for other in sorted(allowed):
            if names.index(other) >= names.index(room):
                yield f"{room} stands before {other} in ROOMS, which it includes"
        files = [root / room] if room == "main.cpp" else sorted((root / room).rglob("*.?pp"))
        lines = "\n".join(path.read_text(encoding="utf-8") for path in files).split("\n")
        used = {match[2].split("/")[0] for match in map(INCLUDE.match, lines) if match is not None and match[1] == '"'}
        for other in sorted(allowed - used):
            yield f"{room} may include {other}, but nothing there does: take the arrow out of ROOMS"


def circles(root):
    """Units (a header with its source) that include each other in a circle, as sentences; and rooms of CIRCLES that
    have none."""
    root = Path(root)
    uses = {}
    for path in sorted(root.rglob("*.?pp")):
        unit = path.relative_to(root).with_suffix("").as_posix()
        found = map(INCLUDE.match, path.read_text(encoding="utf-8").split("\n"))
        uses.setdefault(unit, set()).update(match[2].removesuffix(".hpp") for match in found
                                            if match is not None and match[1] == '"')

    def reachable(unit):
        seen, open_ = set(), [unit]
        while open_:
            new = uses.get(open_.pop(), set()) - seen - {unit}
            seen |= new
            open_ += new
        return seen

    reached = {unit: reachable(unit) for unit in uses}
    inside = {unit for unit in uses if any(unit in reached.get(other, ()) for other in reached[unit])}
    for unit in sorted(inside):
        if unit.split("/")[0] not in CIRCLES:
            others = sorted(other for other in reached[unit] if unit in reached.get(other, ()))
            yield f"{unit} includes itself by way of {', '.join(others)}"
    for room in sorted(CIRCLES - {unit.split("/")[0] for unit in inside}):
        yield f"{room} has no circle any longer: take it out of CIRCLES"


def outside_types(lines):
    """(line, qualified name) of every type in named namespaces only, where all other files may meet its name."""
    opened, head = [], ""
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line:
            if char == "{":
                seen = TYPE.search(head)
                if seen is not None and None not in opened:
                    yield number, "::".join([*opened, seen[1]])
                named = re.search(r"\bnamespace\s+([\w:]+)\s*$", head)
                opened.append(None if named is None else named[1])
                head = ""
            elif char == "}" and opened:
                opened.pop()
                head = ""
            elif char == ";":
                head = ""
            else:
                head += char
        head += " "


def twins(root):
    """Types of one name in two files, as sentences. A linker takes one of each member function and says nothing; two
    functions of one name it refuses, because the program is linked with the whole library."""
    root = Path(root)
    homes = {}
    for path in sorted(root.rglob("*.?pp")):
        name = path.relative_to(root).as_posix()
        for number, type_ in outside_types(without_comments(path.read_text(encoding="utf-8").split("\n"))):
            homes.setdefault(type_, []).append((name, number))
    for type_, places in sorted(homes.items()):
        if len({name for name, _ in places}) > 1:
            (first, _), (name, number) = places[0], places[-1]
            yield f"{name}:{number}: {type_} is a type of {first} too: rename it, or use an anonymous namespace"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: check_layering.py SRC")
    violations = check_tree(sys.argv[1]) + list(unused_arrows(sys.argv[1])) + list(circles(sys.argv[1])) + list(
        twins(sys.argv[1]))
    print("\n".join(violations) if violations else "layering: no violation")
    sys.exit(1 if violations else 0)
