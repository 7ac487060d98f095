"""Does the audit find what it is for? Usage: seeded_faults.py SOURCE [--scratch DIR] [--jobs N] [--only NAME ...]

Copies the source tree, builds the program, and lets every audit below pass. Then seeds one fault at a time, rebuilds,
and expects that an audit says the claim fails. Ends with code 1 where a fault stays unseen or an audit cries wolf.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

CLAIM_FAILS = 4
RUNS = 20_000

EXPERIMENT = """
name = "faults"
method = "soteriafl-gd"
rounds = 5
clients = 2
[data]
source = "synthetic"
rows = 20
test_rows = 4
features = 30
nonzeros = 5
[bound]
threshold = 0.5
[privacy]
epsilon = 2.5
delta = 0.01
[compressor]
kind = "identity"
"""
AUDITS = {
    "gaussian": [],
    "gaussian, replace_one": ["privacy.relation=replace_one"],
    "poisson": ["method=soteriafl-sgd", "local.batch=4"],
    "poisson, replace_one": ["method=soteriafl-sgd", "local.batch=4", "privacy.relation=replace_one"],
    "nodes, poisson": ["method=porter-dp", "local.batch=4"],
    "nodes": ["method=sdm-dsgd", "local.batch=10"],
    "clients": ["method=dp-fedavg-clip"],
    "clients, poisson": ["method=pmtl", "clients=10", "participation.kind=poisson", "participation.rate=0.5"],
    "clients, replace_one": ["method=fed-alpha-normec", "privacy.relation=replace_one"],
    **{kind: ["method=dp-fedavg-clip", "rounds=1", "privacy.epsilon=1", "privacy.relation=replace_one",
              f"joint.kind={kind}", *more]
       for kind, more in {"privunit": [], "sqkr": [], "layered": [],
                          "csgm": ["joint.rate=0.3", "joint.range=1"], "blocks": ["joint.rate=0.3"]}.items()},
}


class Replacement(NamedTuple):
    file: str
    old: str
    new: str


FAULTS = {
    "noise std halved": [
        Replacement("src/privacy/mechanism.cpp", "return std::make_unique<Gaussian>(sigma);",
                    "return std::make_unique<Gaussian>(sigma / 2);")],
    "clip removed": [
        Replacement("src/local/record_gradients.cpp", "return norm <= g ? 1 : g / norm;",
                    "return 1;")],
    "factor 2 of replace_one dropped": [
        Replacement("src/privacy/accountant/one_step.cpp",
                    "composition.relation == Relation::replace_one ? 2 : 1", "1"),
        Replacement("src/privacy/accountant/one_step.cpp",
                    "if (relation == Relation::replace_one) return {{DominatingPair::Kind::replace, rate, sigma}};", "")],
    "same noise key for all clients": [
        Replacement("src/federation/client_side.cpp",
                    "return {seed_, purpose, first_client_ + static_cast<std::uint32_t>(slot), round,",
                    "return {seed_, purpose,\n          purpose == Purpose::noise ? 0U : first_client_ + "
                    "static_cast<std::uint32_t>(slot), round,")],
    "noise not drawn again for each gradient": [
        Replacement("src/federation/client_side.cpp",
                    "return {seed_, purpose, first_client_ + static_cast<std::uint32_t>(slot), round,",
                    "return {seed_, purpose, first_client_ + static_cast<std::uint32_t>(slot),\n          "
                    "purpose == Purpose::noise ? 0U : round,")],
    "noise skipped in round 0": [
        Replacement("src/privacy/mechanism.cpp", "normals(key, 0, noise_);",
                    "normals(key, 0, noise_);\n      if (key.round == 0) noise_.assign(noise_.size(), 0.0);")],
    "server's noise std halved": [
        Replacement("src/privacy/mechanism.cpp", "add_noise(sigma, numbers, mean)",
                    "add_noise(sigma / 2, numbers, mean)"),
        Replacement("src/privacy/mechanism.cpp", "add_noise_at(sigma, numbers, at.list(), mean)",
                    "add_noise_at(sigma / 2, numbers, at.list(), mean)")],
    "clip of clients removed": [
        Replacement("src/privacy/bound.cpp", "if (length <= threshold || std::isinf(length)) return length;",
                    "if (length >= 0) return length;")],
    "server's noise skipped in round 0": [
        Replacement("src/federation/server_side.cpp", "perturb_mean(mean_, sent, parts_.sigma * noise_factor,",
                    "perturb_mean(mean_, sent, round == 0 ? 0 : parts_.sigma * noise_factor,")],
    "mean divided by the realised participants": [
        Replacement("src/federation/server_side.cpp", "const double share = 1.0 / divisor(participants);",
                    "const double share = 1.0 / std::max<double>(1, participants.size());")],
    "average divided by the realised batch": [
        Replacement("src/local/sgd.cpp",
                    "const std::size_t divisor = all ? shard.size() : s_.batch_of(shard);",
                    "const std::size_t divisor = rows_.size();")],
    "caps drawn too often": [
        Replacement("src/privacy/privunit.cpp", "coin(stream, cap_.inside)", "coin(stream, 0.5 + 0.5 * cap_.inside)")],
    "answers never random": [
        Replacement("src/privacy/sqkr.cpp",
                    "if (coin(stream, 1 / sqkr_factor(options_.epsilon, options_.bits))) return;", "return;")],
    "decoded noise halved": [
        Replacement("src/federation/assembly.cpp", ".sigma = sigma});", ".sigma = sigma / 2});")],
    "signs sent three times as often": [
        Replacement("src/compress/masked_signs.cpp", "signs_.rate, index_);", "3 * signs_.rate, index_);"),
        Replacement("src/compress/masked_signs.cpp", "signs_.rate, message.index);",
                    "3 * signs_.rate, message.index);")],
    "blocks sent three times as often": [
        Replacement("src/compress/masked_blocks.cpp", "blocks_.rate, drawn_);", "3 * blocks_.rate, drawn_);")],
}


def copy_tree(source: Path, target: Path) -> None:
    ignored = shutil.ignore_patterns("build", ".git", "__pycache__", "runs", "data")
    # `data` is a room of src/ as well as the folder of the data sets.
    for entry in source.iterdir():
        if entry.name in ("build", ".git", "runs", "data"):
            continue
        if entry.is_dir():
            shutil.copytree(entry, target / entry.name,
                            ignore=None if entry.name in ("src", "tests") else ignored)
        else:
            shutil.copy2(entry, target / entry.name)


def call(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def must(*command: object) -> None:
    done = call(*command)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {(done.stdout + done.stderr)[-2000:]}")


def build(tree: Path, jobs: int) -> Path:
    folder = tree / "build"
    if not folder.exists():
        must("cmake", "-S", tree, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTRILEMMA_TESTS=OFF")
    must("cmake", "--build", folder, "--target", "trilemma", f"-j{jobs}")
    return folder / "trilemma"


def audit(program: Path, experiment: Path, overrides: list[str]) -> dict[str, object]:
    settings = [part for override in overrides for part in ("--set", override)]
    done = call(program, "audit", experiment, "--runs", RUNS, "--json", "--quiet", *settings)
    if done.returncode not in (0, CLAIM_FAILS):
        sys.exit(f"the audit ended with code {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)
    assert (found["verdict"] == "fails") == (done.returncode == CLAIM_FAILS)
    return found


def audit_all(program: Path, experiment: Path) -> dict[str, dict[str, object]]:
    return {name: audit(program, experiment, overrides) for name, overrides in AUDITS.items()}


def problem(tree: Path, replacement: Replacement) -> str:
    """Why the text cannot be replaced in the tree; empty if it can."""
    path = tree / replacement.file
    found = path.read_text(encoding="utf-8").count(replacement.old) if path.is_file() else 0
    return "" if found == 1 else f"{replacement.file}: the text to replace is there {found} times: {replacement.old}"


def seed(tree: Path, fault: list[Replacement]) -> dict[Path, str]:
    """Puts the fault into the tree; returns what the files were."""
    before: dict[Path, str] = {}
    for replacement in fault:
        if why := problem(tree, replacement):
            sys.exit(why)
        path = tree / replacement.file
        text = path.read_text(encoding="utf-8")
        before.setdefault(path, text)
        path.write_text(text.replace(replacement.old, replacement.new), encoding="utf-8")
    return before


def show(name: str, found: dict[str, dict[str, object]]) -> bool:
    """Prints a row for each audit; true if one says that the claim fails."""
    for which, f in found.items():
        influence = "not measured" if f["influence_observed"] is None else (
            f"{f['influence_observed']:.4g} of {f['influence_declared']:.4g}")
        print(f"{name:<38} {which:<22} {f['verdict']:<12} claimed {f['epsilon_claimed']:.4g}, "
              f"at least {f['verdict_epsilon_lower_bound']:.4g} by {f['verdict_statistic']}; influence {influence}",
              flush=True)
    return any(f["verdict"] == "fails" for f in found.values())


def run(source: Path, tree: Path, jobs: int, only: list[str]) -> int:
    if not (tree / "CMakeLists.txt").exists():
        copy_tree(source, tree)
    experiment = tree / "faults.toml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    failures = []
    if show("no fault", audit_all(build(tree, jobs), experiment)):
        failures.append("an audit fails without a fault")
    for name in only or FAULTS:
        before = seed(tree, FAULTS[name])
        try:
            if not show(name, audit_all(build(tree, jobs), experiment)):
                failures.append(f"not found: {name}")
        finally:
            for path, text in before.items():
                path.write_text(text, encoding="utf-8")
    print("\n".join(failures) if failures else "all faults found")
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--scratch", type=Path, help="folder for the copy, kept for the next time")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time")
    parser.add_argument("--check", action="store_true", help="only look whether every fault fits the sources")
    parser.add_argument("--only", nargs="+", choices=FAULTS, default=[], metavar="NAME", help="these faults only")
    arguments = parser.parse_args()
    if arguments.check:
        problems = [f"{name}: {why}" for name, fault in FAULTS.items() for replacement in fault
                    if (why := problem(arguments.source, replacement))]
        print("\n".join(problems) if problems else f"all {len(FAULTS)} faults fit the sources")
        return 1 if problems else 0
    if arguments.scratch is not None:
        arguments.scratch.mkdir(parents=True, exist_ok=True)
        return run(arguments.source, arguments.scratch, arguments.jobs, arguments.only)
    with tempfile.TemporaryDirectory() as folder:
        return run(arguments.source, Path(folder), arguments.jobs, arguments.only)


if __name__ == "__main__":
    sys.exit(main())
