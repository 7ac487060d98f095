"""Proves that check_layering.py and check_headers.py catch what they should: each case is a small tree with one mistake."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_layering  # noqa: E402
from check_headers import SMALL, bad_headers, small_headers  # noqa: E402
from check_layering import check_tree, circles, twins, unused_arrows  # noqa: E402

GOOD = {
    "base/a.hpp": "#pragma once\n#if defined(X)\n#endif\n",
    "numeric/philox.hpp": "#pragma once\n#include <Random123/philox.h>\n",
    "numeric/lanes.hpp": "#include <hwy/highway.h>\n#if defined(LANES) == defined(HWY_TARGET_TOGGLE)\n#endif\n",
    "numeric/secret.cpp": "#include <sodium.h>\n",
    "data/b.hpp": '#pragma once\n#include "base/a.hpp"\n',
    "data/b.cpp": '#include "data/b.hpp"\n#include <zlib.h>\n// mpi: fmt::print in a comment\n'
                  'const char* text = "printf(";\n',
    "comm/c.cpp": "#include <mpi.h>\n#if 1\n#endif\n",
    "memory/m.hpp": '#pragma once\n#include "compress/x.hpp"\n#include "privacy/y.hpp"\n',
    "local/l.hpp": '#pragma once\n#include "problem/p.hpp"\n#include "privacy/y.hpp"\n',
    "run/e.cpp": '#include "comm/c.hpp"\n#include "record/r.hpp"\nvoid f() { fmt::print(""); }\n',
    "main.cpp": '#include <CLI/CLI.hpp>\n#include "cli/e.hpp"\nint main() {}\n',
}
BODY = "  int x = 0;\n" * 70
# name of the file, its content, a part of the sentence that must come
BAD = [
    ("base/bad.hpp", '#pragma once\n#include "data/b.hpp"\n', "base/bad.hpp:2: base may not include data"),
    ("data/bad.cpp", '#include "wire/w.hpp"\n', "data may not include wire"),
    ("record/bad.cpp", '#include "comm/c.hpp"\n', "record may not include comm"),
    ("compress/bad.cpp", '#include "comm/c.hpp"\n', "compress may not include comm"),
    ("compress/bad.cpp", '#include "memory/m.hpp"\n', "compress may not include memory"),
    ("problem/bad.cpp", '#include "local/l.hpp"\n', "problem may not include local"),
    ("local/bad.cpp", '#include "method/a.hpp"\n', "local may not include method"),
    ("method/bad.cpp", '#include "comm/c.hpp"\n', "method may not include comm"),
    ("method/bad.cpp", '  #  include "run/e.hpp"\n', "method may not include run"),
    ("kitchen/bad.cpp", "int x;\n", "kitchen is not a room"),
    ("data/bad.cpp", '#include "libsvm.hpp"\n', "room/file.hpp"),
    ("run/bad.cpp", "#include <mpi.h>\n", "<mpi.h> belongs"),
    ("data/bad.cpp", "#include <hdf5.h>\n", "<hdf5.h> belongs"),
    ("base/text.cpp", "#include <toml++/toml.h>\n", "<toml++/toml.h> belongs"),
    ("local/bad.cpp", "#include <cblas.h>\n", "<cblas.h> belongs"),
    ("run/bad.cpp", "#include <CLI/CLI.hpp>\n", "<CLI/CLI.hpp> belongs"),
    ("data/bad.cpp", "#include <sodium.h>\n", "<sodium.h> belongs"),
    ("compress/bad.cpp", "#include <Random123/philox.h>\n", "<Random123/philox.h> belongs"),
    ("record/bad.cpp", "#include <zlib.h>\n", "<zlib.h> belongs"),
    ("schedule/bad.cpp", "#include <fstream>\n", "<fstream> belongs"),
    ("data/bad.cpp", "#include <fstream>\n", "<fstream> belongs"),
    ("data/bad.cpp", 'auto f = gzopen(name, "rb");\n', "past base/input_file.hpp"),
    ("sweep/bad.cpp", 'auto f = std::fopen(name, "r");\n', "past base/input_file.hpp"),
    ("settings/bad.cpp", "while (std::getline(in, line)) {}\n", "past base/input_file.hpp"),
    ("network/bad.cpp", "int f = ::open(path, O_RDONLY);\n", "past base/input_file.hpp"),
    ("data/bad.cpp", "#ifdef FAST\n#endif\n", "#if outside"),
    ("local/bad.cpp", 'void f() { fmt::print("x"); }\n', "only audit, base/progress_line.cpp"),
    ("data/bad.cpp", 'void f() { std::cout << 1; }\n', "only audit, base/progress_line.cpp"),
    ("wire/bad.cpp", 'void f() { std::fprintf(stderr, "x"); }\n', "only audit, base/progress_line.cpp"),
    ("base/bad.cpp", 'void f() { printf("x"); }\n', "only audit, base/progress_line.cpp"),
    ("data/bad.cpp", 'void f() { std::ofstream out("x"); }\n', "open files for writing"),
    ("data/bad.cpp", 'void f() { std::fopen("x", "w"); }\n', "opens or reads a text past"),
    ("run/bad.cpp", 'void f() { open("x", O_WRONLY); }\n', "open files for writing"),
    ("h5/bad.cpp", 'void f() { H5Fcreate("x", 0, 0, 0); }\n', "open files for writing"),
    ("data/bad.cpp", "int x;\n" * 401, "401 lines, the budget is 400"),
    ("main.cpp", "int x;\n" * 81, "81 lines, the budget is 80"),
    ("data/bad.cpp", "namespace n {\nclass C {\n void f() {\n" + BODY + " }\n};\n}\n",
     "data/bad.cpp:3: a function of 72 lines"),
    ("data/bad.hpp", "#include <vector>\n", "#pragma once"),
    ("privacy/accountant/bad.cpp", '#include "base/c.hpp"\n', "privacy/accountant/ may not include base/c.hpp"),
    ("problem/kernels/bad.cpp", '#include "problem/p.hpp"\n', "problem/kernels/ may not include problem/p.hpp"),
    ("problem/bad.cpp", "#include <cblas.h>\n", "<cblas.h> belongs"),
    ("problem/bad.cpp", "#include <hwy/highway.h>\n", "<hwy/highway.h> belongs"),
    ("privacy/bad.cpp", "#include <boost/math/tools/roots.hpp>\n", "belongs to"),
    ("run/bad.cpp", '#include "cli/c.hpp"\n', "run may not include cli"),
    ("run/bad.cpp", '#include "sweep/s.hpp"\n', "run may not include sweep"),
    ("experiment/bad.cpp", '#include "comm/c.hpp"\n', "experiment may not include comm"),
    ("claim/bad.cpp", '#include "experiment/p.hpp"\n', "claim may not include experiment"),
    ("federation/bad.cpp", 'void f() { fmt::print("x"); }\n', "only audit, base/progress_line.cpp"),
    ("record/bad.cpp", "void f(hid_t file);\n", "HDF5 outside of h5"),
    ("run/bad.cpp", "const std::vector<hsize_t> extents;\n", "HDF5 outside of h5"),
    ("network/bad.cpp", "void f() { H5Fflush(1, H5F_SCOPE_GLOBAL); }\n", "HDF5 outside of h5"),
    ("record/bad.cpp", '#include "h5/library.hpp"\n', "h5/library.hpp is for h5 alone"),
    ("audit/bad.cpp", "void f() { exchange->gather_messages(mine); }\n", "a stage of a round"),
]
STRING = "#pragma once\n#include <string>\nstruct Apple {\n  std::string s;\n};\n"
GOOD_HEADERS = {"base/a.hpp": STRING, "base/b.hpp": '#pragma once\n#include "base/a.hpp"\nstd::string peel(const Apple&);\n',
                "base/c.hpp": "#pragma once\nstruct Apple;\nvoid f(Apple*);\nvoid g();  // std::vector\n"}
BAD_HEADERS = [
    ("#pragma once\nstd::string f();\n", "base/bad.hpp:2: names std::string without <string>"),
    ('#pragma once\n#include "base/c.hpp"\nstd::string f();\n', "base/bad.hpp:3: names std::string without <string>"),
    ("#pragma once\nvoid f(const Apple&);\n", "base/bad.hpp:2: names Apple without base/a.hpp"),
    ("#pragma once\ninline int h() { return peel(nullptr); }\n", "base/bad.hpp:2: names peel without base/b.hpp"),
    ("#pragma once\nstd::jthread t;\n", "base/bad.hpp:2: names std::jthread, which is not in STANDARD"),
]


def violations(files, check=check_tree):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return list(check(folder))


failures = []
if violations(GOOD):
    failures.append(f"a good tree was refused: {violations(GOOD)}")
for name, content, sentence in BAD:
    found = violations({**GOOD, name: content})
    if len(found) != 1 or sentence not in found[0]:
        failures.append(f"{name}: expected one violation with '{sentence}', found {found}")
unused = violations(GOOD, unused_arrows)
if not any("local may include base" in sentence for sentence in unused) or any("local may include problem" in sentence
                                                                               for sentence in unused):
    failures.append(f"arrows that nothing uses were not distinguished from others: {unused}")
check_layering.ROOMS = {"a": {"b"}, "b": set(), "main.cpp": set()}
if "a stands before b in ROOMS, which it includes" not in violations({"main.cpp": ""}, unused_arrows):
    failures.append("a room in front of one that it includes was not found")
round_about = {**GOOD, "experiment/a.hpp": '#pragma once\n#include "experiment/b.hpp"\n',
               "experiment/b.hpp": "#pragma once\n", "experiment/b.cpp": '#include "experiment/b.hpp"\n#include "experiment/a.hpp"\n'}
if [s for s in violations(round_about, circles) if "itself" in s] != [
        "experiment/a includes itself by way of experiment/b", "experiment/b includes itself by way of experiment/a"]:
    failures.append(f"a circle was not found: {violations(round_about, circles)}")
if [s for s in violations(GOOD, circles) if "itself" in s]:
    failures.append("a circle was found where none is")
apple = "namespace n {\nstruct Pear;\nclass Apple final : public Fruit {\n  struct Seed {\n  };\n};\n}\n"
hidden = {"base/a.cpp": apple, "data/a.cpp": "namespace n {\nnamespace {\n" + apple + "}\n}\n",
          "data/c.cpp": "namespace n::m {\n" + apple + "}\n", "data/b.cpp": "namespace n {\nenum class Seed { none };\nvoid f(class Pear) {\n}\n}\n"}
if violations(hidden, twins):
    failures.append(f"types of different names were called twins: {violations(hidden, twins)}")
if violations({**hidden, "wire/a.hpp": apple}, twins) != [
        "wire/a.hpp:3: n::Apple is a type of base/a.cpp too: rename it, or use an anonymous namespace"]:
    failures.append(f"twins were not found: {violations({**hidden, 'wire/a.hpp': apple}, twins)}")
if violations(GOOD_HEADERS, bad_headers):
    failures.append(f"good headers were refused: {violations(GOOD_HEADERS, bad_headers)}")
for content, sentence in BAD_HEADERS:
    found = violations({**GOOD_HEADERS, "base/bad.hpp": content}, bad_headers)
    if len(found) != 1 or not found[0].startswith(sentence):
        failures.append(f"base/bad.hpp: expected '{sentence}', found {found}")
# A header of one user that is small, is large, has a second user, or has one among tests and benchmarks.
short, user = "#pragma once\n" * (SMALL - 1), '#include "base/a.hpp"\n'
LONELY = [({"src/base/b.cpp": user}, "merge it into base/b.cpp, its header or another one of base"),
          ({"src/base/b.hpp": user, "src/base/a.cpp": user}, "merge it into base/b.hpp, its header or another one of base"),
          ({"src/data/b.cpp": user}, "merge it into another header of base")]
KEPT = [{"src/base/b.cpp": user, "src/base/a.hpp": short + "\n"}, {"src/base/b.cpp": user, "src/data/b.cpp": user},
        {"src/base/b.cpp": user, "tests/base/a_test.cpp": user}, {"src/base/b.cpp": user, "bench/a.cpp": user}]


def lonely(root):
    return small_headers(Path(root) / "src")


for files, remedy in LONELY:
    found = violations({"src/base/a.hpp": short, **files}, lonely)
    (name,) = {name.removeprefix("src/") for name in files} - {"base/a.cpp"}
    if found != [f"base/a.hpp:1: has {SMALL - 1} lines, and only {name} includes it; {remedy}"]:
        failures.append(f"a small header with one user was not found: {found}")
for files in KEPT:
    if found := violations({"src/base/a.hpp": short, **files}, lonely):
        failures.append(f"a header that is large or has two users was refused: {found}")
print("\n".join(failures) if failures else f"self test: {len(BAD) + len(BAD_HEADERS) + len(LONELY)} mistakes caught")
sys.exit(1 if failures else 0)
