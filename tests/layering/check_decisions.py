"""No program decides anything by reading a sentence that a program wrote. Usage: check_decisions.py ROOT

Code that takes text apart belongs to parsers: rooms and files that read what users, other programs or a file format wrote.
Everything else that looks into a text is listed in ALLOWED with the number of its lines and the reason. Prints every
violation as FILE:LINE: sentence and ends with code 1 if there is one.
"""
import re
import sys
from pathlib import Path

# Looking into a text: its parts, its beginning and end, patterns; and comparisons with a literal of several words.
CPP = re.compile(r"""\.(?:starts_with|ends_with|substr|remove_prefix|remove_suffix|rfind|find_(?:first|last)(?:_not)?_of)\(
                     |\bnpos\b|\.(?:find|contains)\(\s*["']|\bstd::(?:regex|search)\b|\bstrstr\(
                     |[=!]=\s*"[^"]*\s[^"]*"|(?:\berror\.what|\bdescription|\blabel)\(\)\s*[=!]=|\.sentence\s*[=!]=
                     |\.compare\(\s*\d|\bstrn?cmp\(|\.(?:front|back)\(\)\s*[=!]=\s*'|\.find\([^()]*\)\s*[=!]=\s*0\b
                     |\b(?:description|label|sentence|claim|what|help|problem)\w*(?:\(\))?\.(?:find|contains|compare)\(""", re.VERBOSE)
PYTHON = re.compile(r"""\.(?:r?partition|startswith|endswith|removeprefix|removesuffix)\(
                        |\bre\.(?:search|match|fullmatch|sub|subn|compile|findall|finditer|split)\(
                        |\b(?:not\s+)?in\s+[\w.]*\b(?:attributes|privacy|environment)\[
                        |\battributes\[[^\]]*\]\s*(?:\.\w+\(|\[|[=!]=)
                        |\.(?:claim|sentence|description|simulation|compressor)\.(?:split|find|count|index)\(
                        |\bin\s+[\w.]*\.(?:claim|sentence|description|compressor)\b
                        |["'][^"'(){}=]*\s[^"'(){}=]*["']\s+(?:not\s+)?in\s+(?!\()|[=!]=\s*f?["'][^"']*\s[^"']*["']""", re.VERBOSE)

# Rooms that read formats: files of data and settings, numbers, HDF5.
PARSERS = ("base", "numeric", "settings", "data", "h5")
# Files of these rooms that state facts about the data, on which claims rest.
SEARCHED = ("src/data/preprocessing", "src/data/source", "src/data/scaling", "src/data/labels", "src/data/partition")

# Number of lines that look into a text, and why they may.
ALLOWED = {
    "src/federation/start_model.cpp": (7, "parses start models, a number a line"),
    "src/schedule/trace.cpp": (5, "parses traces of step times"),
    "src/schedule/graph_file.cpp": (6, "parses graphs, an edge a line"),
    "src/experiment/data_files.cpp": (3, "parses checksums as sha256sum prints them"),
    "src/experiment/file_kind.cpp": (4, "first name of a key; endings of file names"),
    "src/experiment/fingerprint.cpp": (2, "shortens a value for printing; key of a map"),
    "src/sweep/sweep_keys.cpp": (3, "names in the dotted key that a user wrote"),
    "src/sweep/sweep_file.cpp": (9, "names in the dotted keys that a user wrote"),
    "src/sweep/sweep_status.cpp": (3, "names of files, a hash by its first digits; blanks at the end of a printed line"),
    "src/machine/energy.cpp": (2, "zones of powercap in /sys"),
    "src/machine/facts.cpp": (8, "/proc/cpuinfo and /etc/os-release"),
    "src/machine/limits.cpp": (6, "/proc/self/cgroup"),
    "src/machine/load.cpp": (3, "/proc/stat"),
    "src/machine/processors.cpp": (5, "lists of processors in /sys"),
    "src/machine/variables.cpp": (5, "names of environment variables"),
    "src/bench/judge.cpp": (2, "names of environment variables"),
    "src/bench/measure.cpp": (1, "a metric by name"),
    "src/comm/mpi_variables.cpp": (4, "names of environment variables and of control variables of MPI"),
    "src/record/checkpoint_names.cpp": (1, "names of files"),
    "src/run/workers.cpp": (2, "lines in the output of child processes, which are passed on"),
    "src/run/file_checks.cpp": (1, "digits of a checksum"),
    "src/audit/mean.cpp": (3, "metrics by name, and the key of --set"),
    "src/run/observer.cpp": (3, "metrics by name"),
    "src/run/machine.cpp": (1, "one line for each rank"),
    "src/comm/session.cpp": (3, "variables of launchers, an argument, the version text of the MPI library"),
    "src/cli/unexpected.cpp": (5, "arguments of the command line"),
    "src/cli/privacy_arguments.cpp": (6, "arguments of the command line"),
    "src/cli/network_commands.cpp": (5, "arguments of the command line"),
    "src/cli/network_privacy_command.cpp": (3, "arguments of the command line"),
    "analysis/trilemma_analysis/cli/best.py": (1, "an argument of the command line"),
    "analysis/trilemma_analysis/cli/network.py": (3, "arguments of the command line"),
    "analysis/trilemma_analysis/cli/report.py": (1, "a name of a file"),
    "analysis/trilemma_analysis/report/markdown.py": (9, "reads a text in Markdown"),
    "analysis/trilemma_analysis/report/paths.py": (1, "takes folders out of what is handed on"),
    "analysis/trilemma_analysis/report/summary.py": (1, "a table of dotted keys"),
    "jobs/trilemma_jobs/reproduce.py": (3, "sets seeds and experiment in the text of a sweep file"),
    "jobs/trilemma_jobs/reproductions.py": (2, "comments in the table of data sets; ids by the beginning that a user typed"),
    "src/claim/verify_text.cpp": (1, "the \"; \" in front of remarks that are printed"),
    "analysis/trilemma_analysis/cli/sweep.py": (1, "puts failed cells together whose printed reasons differ in a file name"),
    "analysis/trilemma_analysis/model/exported.py": (1, "a hash by its first digits"),
    "analysis/trilemma_analysis/cli/main.py": (1, "arguments of the command line"),
    "analysis/trilemma_analysis/cli/options.py": (5, "arguments of the command line, and what argparse says of them"),
    "analysis/trilemma_analysis/model/sizes.py": (3, "sizes that users write"),
    "analysis/trilemma_analysis/stats/selection.py": (3, "ends of dotted keys that users write"),
    "analysis/trilemma_analysis/plot/sweep_plan.py": (1, "the first line of a panel's title, which the words of its task replace"),
    "analysis/trilemma_analysis/plot/page.py": (1, "the spaces at which a line of a picture may end"),
    "analysis/trilemma_analysis/plot/series.py": (1, "ends of dotted keys that users write"),
    "analysis/trilemma_analysis/model/labels.py": (1, "ends of dotted keys"),
    "analysis/trilemma_analysis/model/groups.py": (6, "reads resolved configurations; tables of dotted keys"),
    "analysis/trilemma_analysis/model/tasks.py": (1, "tables of dotted keys"),
    "analysis/trilemma_analysis/stats/questions.py": (2, "tables of dotted keys, and values as resolved configurations write them"),
    "analysis/trilemma_analysis/model/origins.py": (1, "tables of dotted keys"),
    "analysis/trilemma_analysis/model/sweep.py": (5, "tables of dotted keys, groups of columns"),
    "analysis/trilemma_analysis/model/combinations.py": (1, "groups of columns"),
    "analysis/trilemma_analysis/model/phases.py": (1, "groups of columns"),
    "analysis/trilemma_analysis/model/sweep_files.py": (5, "names of files and keys, a hash by its first digits"),
    "analysis/trilemma_analysis/model/sweep_folders.py": (1, "a hash by its first digits"),
    "analysis/trilemma_analysis/plot/captions.py": (1, "runs under each claim that is printed"),
    "analysis/trilemma_analysis/io/run_file.py": (1, "a name of a closed set"),
    "analysis/trilemma_analysis/scaling/folder.py": (1, "names of files"),
    "analysis/trilemma_analysis/io/manifest.py": (1, "names of files"),
    "analysis/trilemma_analysis/io/checked.py": (1, "kind of a value, a key of KINDS"),
    "analysis/trilemma_analysis/io/writing.py": (1, "cells that spreadsheets would take for formulas"),
    "analysis/trilemma_analysis/model/guarantees.py": (1, "numbers in texts that are printed as a range"),
    "analysis/trilemma_analysis/verdicts/terms.py": (2, "formats in the texts of rule files"),
    "jobs/trilemma_jobs/values.py": (5, "reads resolved configurations; values that users write, as Slurm has them"),
    "jobs/trilemma_jobs/options.py": (9, "arguments of the command line"),
    "jobs/trilemma_jobs/study.py": (3, "a name that a user writes; comments of a configuration; takes \"trilemma: \" off a sentence that is printed"),
    "jobs/trilemma_jobs/plan.py": (1, "takes \"trilemma: \" off a sentence that is printed"),
    "jobs/trilemma_jobs/script.py": (5, "quotes words for shells and batch systems"),
    "jobs/trilemma_jobs/batch.py": (1, "output of scontrol"),
    "jobs/trilemma_jobs/slurm_limits.py": (1, "output of sbatch, which is printed"),
    "jobs/trilemma_jobs/progress.py": (5, "logs of batch jobs, in which other programs write too"),
    "jobs/trilemma_jobs/simulation.py": (3, "platform files of SimGrid, words for its shell script"),
}


def code_of(line: str, is_python: bool) -> str:
    """The line without its comment."""
    return re.sub(r"(?:^|\s)#.*$" if is_python else r"//.*$", "", line)


def is_parser(path: str) -> bool:
    """Whether the file belongs to a room of parsers."""
    parts = path.split("/")
    return parts[0] == "src" and parts[1] in PARSERS and not path.startswith(SEARCHED)


def lines_of(root: Path, path: str) -> list[tuple[int, str]]:
    """Numbers and texts of the lines that look into a text."""
    is_python = path.endswith(".py")
    pattern = PYTHON if is_python else CPP
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if pattern.search(code_of(line, is_python))]


def violations(root: Path) -> list[str]:
    """What is wrong with the tree, as sentences."""
    places = [("src", "*.[ch]pp"), ("analysis/trilemma_analysis", "*.py"), ("jobs/trilemma_jobs", "*.py")]
    files = [path.relative_to(root).as_posix() for folder, names in places for path in sorted((root / folder).rglob(names))]
    found = []
    for path in files:
        if is_parser(path):
            continue
        lines = lines_of(root, path)
        most = ALLOWED.get(path, (0, ""))[0]
        if len(lines) > most:
            found += [f"{path}:{number}: looks into a text ({line[:70]}); decide by a value or a field, or add the line to "
                      f"ALLOWED of check_decisions.py with its reason ({len(lines)} lines, {most} are allowed)"
                      for number, line in lines]
        elif len(lines) < most:
            found.append(f"{path}:1: {len(lines)} lines look into a text, and ALLOWED of check_decisions.py has {most}; "
                         "lower that number")
    found += [f"{path}:1: in ALLOWED of check_decisions.py, and there is no such file; take it out" for path in ALLOWED
              if path not in files]
    return found


if __name__ == "__main__":
    found_here = violations(Path(sys.argv[1]))
    print("\n".join(found_here) if found_here else "decisions: no violation")
    sys.exit(1 if found_here else 0)
