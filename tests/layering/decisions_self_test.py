"""Proves that check_decisions.py finds decisions by text: each line below stood in the program once, or is a relapse."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_decisions  # noqa: E402

FOUND = {
    "src/claim/bad.cpp": [
        'return setting.value.find("none") != std::string::npos;',
        'if (claim.sentence.starts_with("holds:")) return true;',
        'found.push_back(r.preprocessing.substr(prefix.size()));',
        'const auto end = text.find_first_of(": ", begin);',
        'return processor.find("128 bits") < processor.size();',
        'if (claim.sentence == held) return true;',
        'if (run.compressor == "rand-k, k = 12 of 124") return true;',
        'if (plan.source->description() == other) return true;',
        'if (error.what() == expected) return true;',
        'if (compressor.description().find(word) < size) return true;',
        'static const std::regex words("[^,]*");',
        'if (record.accountant_status.find(prefix) == 0) return true;',
        'if (record.accountant_status.compare(0, 5, "tight") == 0) return true;',
        'if (std::strncmp(text, "tight", 5) == 0) return true;',
        "if (text.front() == '(') return true;",
    ],
    "src/data/preprocessing.cpp": ['if (text.starts_with("#")) return;'],
    "analysis/trilemma_analysis/bad.py": [
        'return self.attributes["claim"].startswith(HOLDS)',
        'words = text.partition(";")[0].split(", ")',
        'return [thing for thing in re.split("[;,] ", text) if thing]',
        'return "communication only" in self.simulation',
        'return DIFFER_IN_SIZE not in run.attributes["compressor"]',
        "return ' promise different things: ' in line",
        'texts = run.privacy["preprocessing"].removeprefix("non_private: ")',
        'return run.attributes["claim"] == "nothing leaves a client"',
        'return run.attributes["claim"].split(": ")[0]',
        'return run.attributes["claim"].find("holds") == 0',
        'return run.attributes["claim"][:5]',
        'return run.attributes["claim"] == HOLDS',
        'return run.claim.count("(") > 1',
        'return any(word in run.claim for word in words)',
    ],
}
PASSED = {
    "src/claim/good.cpp": [
        'if (claim.status == ClaimStatus::holds) return true;',
        'const auto found = names.find(key);  // if (text.starts_with("x"))',
        'if (plan.bound->what() == Bounds::client) return true;',
        'throw UserError(Mistake{.key = path, .problem = "not a number"});',
        'if (r.unit == name(Unit::client)) return true;',
    ],
    "src/data/csv.cpp": ['if (text.starts_with("#")) return;'],
    "analysis/trilemma_analysis/good.py": [
        'if run.status == HOLDS:',
        'found = "a" if x else "two words in a text"',
        'if name in names:  # text.partition(" over ")',
    ],
}


def tree(files: dict[str, list[str]]) -> Path:
    root = Path(tempfile.mkdtemp())
    for name, lines in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def main() -> int:
    check_decisions.ALLOWED = {}
    problems = []
    for name, lines in FOUND.items():
        for line in lines:
            if len(check_decisions.violations(tree({name: [line]}))) != 1:
                problems.append(f"not found: {line}")
    problems += [f"found, but it is right: {line}" for line in check_decisions.violations(tree(PASSED))]
    # One line more or less than allowed, and a file that is gone.
    name, lines = "src/cli/arguments.cpp", FOUND["src/claim/bad.cpp"][:2]
    for most, expected in ((1, 2), (2, 0), (3, 1)):
        check_decisions.ALLOWED = {name: (most, "arguments")}
        if len(check_decisions.violations(tree({name: lines}))) != expected:
            problems.append(f"{most} lines allowed: not {expected} violations")
    check_decisions.ALLOWED = {"src/cli/gone.cpp": (1, "arguments")}
    if len(check_decisions.violations(tree({name: []}))) != 1:
        problems.append("a file that is gone passes")
    print("\n".join(problems) or "decisions: the checker finds what it should")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
