"""Every header can be included alone, and is worth a file. Usage: check_headers.py SRC

A header must include, itself or through headers of the project, what it names: the standard header of a name of std,
and the header that declares a type or function of the project, unless it declares that name itself. Includes through
system headers do not count, and whether a type must be complete is not looked at. That headers compile at all, together
and twice, the target `headers` shows.

A header of fewer than SMALL lines needs two users, not counting its own source: with one user, its declarations belong to
that user, and a reader has one file less to open. Files of tests/ and bench/, in the folder that holds SRC, are users as
well: they would have to include the larger header, or could no longer reach what has become local to a source.

Prints every violation as FILE:LINE: sentence and ends with code 1 if there is one.
"""
import re
import sys
from functools import cache
from pathlib import Path

from check_layering import INCLUDE, without_comments

SMALL = 30
# Names of std (and of the C library) by the header that gives them.
STANDARD = {
    "algorithm": "clamp copy_n max_element min_element sort stable_sort find find_if any_of all_of none_of binary_search min "
                 "max copy fill partition_point",
    "array": "array",
    "atomic": "atomic memory_order_relaxed",
    "bitset": "bitset",
    "bit": "bit_cast bit_width countr_one endian",
    "chrono": "chrono",
    "cmath": "isnan isinf isfinite sqrt exp log pow ceil floor lround nextafter fma abs frexp ldexp",
    "complex": "complex",
    "concepts": "integral same_as",
    "condition_variable": "condition_variable",
    "cstddef": "byte size_t ptrdiff_t",
    "cstdint": "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
    "deque": "deque",
    "cstring": "memcpy memcmp strlen",
    "exception": "exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function greater",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "unique_ptr make_unique shared_ptr",
    "mutex": "mutex lock_guard unique_lock",
    "numeric": "accumulate iota inner_product",
    "optional": "optional nullopt nullopt_t",
    "iterator": "size begin end back_inserter",
    "new": "bad_alloc align_val_t",
    "queue": "priority_queue",
    "ranges": "ranges",
    "set": "set",
    "span": "span as_bytes as_writable_bytes",
    "stdexcept": "runtime_error logic_error out_of_range length_error invalid_argument",
    "string": "string to_string getline",
    "string_view": "string_view",
    "thread": "this_thread thread",
    "type_traits": "is_trivially_copyable_v is_same_v is_const_v conditional_t integral_constant decay_t is_enum_v type_identity_t",
    "tuple": "tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "move pair forward exchange swap",
    "variant": "variant visit monostate get",
    "vector": "vector",
}
# Headers that give these names too, by the standard or on every library.
ALSO = {
    "utility": {"algorithm", "map", "memory", "optional", "functional", "string", "variant", "vector", "tuple", "array"},
    "cstddef": {"span", "cstdint", "string", "vector", "memory", "array", "new"},
    "iterator": {"vector", "string", "span", "array", "map"},
    "initializer_list": {"vector", "string", "map"},
    "cstdint": {"random"},
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}
STD_NAME = re.compile(r"\bstd::(\w+)")
DECLARED = re.compile(r"^(?:template <[^>]*>\s*)?(?:class|struct|union|enum class|enum|using)\s+(\w+)\b(?!\s*;)")
FUNCTION = re.compile(r"^(?:(?:inline|constexpr|\[\[\w+\]\]) )*[\w:<>,*& ]*?[\w>&*] \*?&?(?!bool\b)(\w+)\(")  # no conversions
CALLED = re.compile(r"(?<![\w:.>])([a-z]\w+)\(")
FORWARD = re.compile(r"^(?:class|struct)\s+(\w+);")
TYPE_NAME = re.compile(r"(?<![\w:.])(?:h5::|accounting::)?([A-Z]\w+)\b")


def bad_headers(src):
    """All violations under src/, as sentences."""
    src = Path(src)
    texts = {path.relative_to(src).as_posix(): path.read_text(encoding="utf-8").split("\n")
             for path in sorted(src.rglob("*.hpp"))}
    code = {name: without_comments(lines) for name, lines in texts.items()}
    includes = {name: [match.group(2) for line in lines if (match := INCLUDE.match(line))]
                for name, lines in texts.items()}
    # Types of one room or another may share a name in different namespaces; any of them will do.
    homes = {}
    named_in = {}  # by header: types and functions that it declares, if only by name
    for name, lines in code.items():
        named_in[name] = {match.group(1) for line in lines
                          if (match := FORWARD.match(line.strip()) or DECLARED.match(line.strip()))}
        named_in[name] |= {match.group(1) for line in lines if (match := FUNCTION.match(line.strip()))}
        for line in lines:
            if match := DECLARED.match(line) or FUNCTION.match(line):
                homes.setdefault(match.group(1), set()).add(name)

    @cache
    def reached(name):
        out = {name}
        for include in includes.get(name, ()):
            out |= {include} | (reached(include) if include in includes else set())
        return frozenset(out)

    found = []
    for name, lines in code.items():
        known = set().union(*(named_in[there] for there in reached(name) if there in named_in))
        for number, line in enumerate(lines, 1):
            missing = set()
            for word in STD_NAME.findall(line):
                header = HEADER_OF.get(word)
                if header is None:
                    missing.add(f"std::{word}, which is not in STANDARD of check_headers.py")
                elif not ({header} | ALSO.get(header, set())) & reached(name):
                    missing.add(f"std::{word} without <{header}>")
            for word in (*TYPE_NAME.findall(line), *CALLED.findall(line)):
                if word in homes and word not in known:
                    missing.add(f"{word} without {' or '.join(sorted(homes[word]))}")
            found += [f"{name}:{number}: names {what}; include it" for what in sorted(missing)]
    return found


def small_headers(src):
    """Returns a sentence for each header under src/ that has fewer than SMALL lines and a single user."""
    src = Path(src)
    users = {}
    for top, prefix in ((src, ""), (src.parent / "tests", "tests/"), (src.parent / "bench", "bench/")):
        for path in sorted(path for kind in ("*.?pp", "*.cpp.in") for path in top.rglob(kind)):
            for line in path.read_text(encoding="utf-8").split("\n"):
                if (match := INCLUDE.match(line)) and match.group(1) == '"':
                    users.setdefault(match.group(2), []).append(prefix + path.relative_to(top).as_posix())
    found = []
    for path in sorted(src.rglob("*.hpp")):
        name = path.relative_to(src).as_posix()
        count = len(path.read_text(encoding="utf-8").splitlines())
        others = sorted(set(users.get(name, ())) - {name.removesuffix(".hpp") + ".cpp"})
        if count >= SMALL or len(others) != 1:
            continue
        (user,) = others
        room = name.split("/")[0]
        into = f"{user}, its header or another one of {room}" if user.split("/")[0] == room else f"another header of {room}"
        found.append(f"{name}:1: has {count} lines, and only {user} includes it; merge it into {into}")
    return found


if __name__ == "__main__":
    violations = bad_headers(sys.argv[1]) + small_headers(sys.argv[1])
    print("\n".join(violations) if violations else "headers: no violation")
    sys.exit(1 if violations else 0)
