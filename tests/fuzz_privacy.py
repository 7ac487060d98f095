"""Throws random questions at `trilemma privacy` and looks for answers that no question deserves: a crash, an exit code
other than 0 and 2, no answer within the time limit, NaN, a negative number, lower > upper, more than one line on
stderr. Prints every kind of finding with the shortest command that showed it; exit code 1 if there is one.

    fuzz_privacy.py --program build/release/trilemma --seconds 20 --seed 1
"""
import argparse
import json
import math
import random
import resource
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

MEMORY = 8 << 30
PATIENCE = 5  # times the limit, by the wall clock: other work may share the machine
QUESTIONS = ["epsilon", "sigma", "rounds", "rate", "curve", "delta", "rdp"]
MALFORMED = ["", " ", "x", "nan", "-nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "0x10", "1,5", "--", "-", "1e",
             "'", "0.1.2", "1 2", "\u00e9", "%s%n", "9" * 400, "-0", "+1", "1e308", "5e-324"]
COMPONENTS = ["", ":", "::", ":::", "1:1", "1:1:1:1", "a:b:c", "0.1:1:nan", "0.1:inf:1", "-0.1:1:1", "0.1:0:1",
              "0.1:1:-1", "0.1:1:0.5", "nan:1:1", "1e-320:1:10", "0.1:1:1e15", "0.1:1:1e16", "0.1 :1:1", "0.1:1: 1"]


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def sigma(rng):
    return rng.choice([lambda: log_uniform(rng, 0.3, 50), lambda: log_uniform(rng, 0.5, 5),
                       lambda: log_uniform(rng, 1e-6, 1e6), lambda: rng.choice([1e-300, 1e-9, 1e-3, 0.02, 0.03, 1e9,
                                                                               1e150, 1e300])])()


def rate(rng):
    return rng.choice([lambda: log_uniform(rng, 1e-4, 1), rng.random, lambda: log_uniform(rng, 1e-15, 1),
                       lambda: rng.choice([0, 1, 1e-300, 1e-18, 0.5, 1 - 1e-16, 0.999999])])()


def steps(rng):
    return rng.choice([lambda: rng.randint(1, 10), lambda: int(log_uniform(rng, 1, 1e5)),
                       lambda: int(log_uniform(rng, 1, 1e15)), lambda: rng.choice([0, 1, 2, 10**9, 10**15])])()


def delta(rng):
    return rng.choice([lambda: log_uniform(rng, 1e-10, 1e-2), lambda: log_uniform(rng, 1e-30, 0.5),
                       lambda: log_uniform(rng, 1e-320, 1), lambda: 1 - log_uniform(rng, 1e-16, 1),
                       lambda: rng.choice([0, 0.5, 5e-324, 1e-300, 1 - 2**-53])])()


def epsilon(rng):
    return rng.choice([lambda: log_uniform(rng, 0.05, 20), lambda: log_uniform(rng, 1e-6, 1e4),
                       lambda: rng.choice([0, 1e-300, 1e-12, 50, 700, 1e6, 1e300])])()


def number(rng, draw):
    return rng.choice(MALFORMED) if rng.random() < 0.02 else repr(draw(rng))


def command(rng):
    """One question, mostly of a form that can be answered."""
    question = rng.choice(QUESTIONS)
    words = ["privacy", question]

    def add(option, value, chance):
        if rng.random() < chance:
            words.append(f"{option}={value}")

    sampling = rng.choice(["poisson", "poisson", "poisson", "none", "fixed_wor"])
    add("--sampling", sampling if rng.random() < 0.98 else rng.choice(MALFORMED), 0.9)
    if question != "sigma":
        add("--sigma", number(rng, sigma), 0.9)
    if question != "rate" and sampling != "none":
        add("--rate", number(rng, rate), 0.9)
    if question != "rounds":
        add("--steps", number(rng, steps), 0.8)
    relations = ["replace_one"] if sampling == "fixed_wor" and rng.random() < 0.9 else \
        ["add_remove", "add_remove", "zero_out", "replace_one"]
    add("--relation", rng.choice(relations), 0.9)
    if rng.random() < 0.25:
        count = rng.choice([1, 2, 3, 8, 40])
        for _ in range(count):
            part = rng.choice(COMPONENTS) if rng.random() < 0.04 else \
                ":".join([number(rng, rate), number(rng, sigma), number(rng, steps)])
            words.append(f"--component={part}")
    if question not in ("delta", "rdp"):
        add("--delta", number(rng, delta), 0.98)
    if question in ("sigma", "rounds", "rate", "delta"):
        add("--epsilon", number(rng, epsilon), 0.98)
    if question == "rdp":
        add("--order", number(rng, lambda r: r.choice([1 + log_uniform(r, 1e-9, 1e5), 2, 1.5, 64, 1e5])), 0.98)
    if question == "curve":
        add("--points", rng.choice([0, 1, 2, 3, 5, -1, "x"]), 0.95)
    # The contour is an oracle without a bound on its time.
    add("--method", rng.choice(["automatic", "pld", "rdp", "gaussian", "one_step", "wrong"]), 0.3)
    add("--orders", rng.choice(["standard", "refined", "wrong"]), 0.1)
    add("--tolerance", rng.choice([1e-2, 1e-4, 1e-6, 0.5, 0, "x"]), 0.1)
    add("--sigma-per", rng.choice(["bound", "distance", "wrong"]), 0.2)
    add("--units", number(rng, lambda r: log_uniform(r, 1, 1e12)), 0.2)
    return words + (["--json"] if rng.random() < 0.9 else [])


@dataclass
class Answer:
    code: int
    out: str
    err: str
    seconds: float
    findings: list = field(default_factory=list)


def numbers(value):
    """All numbers of a field; None stands for NaN."""
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    if isinstance(value, str):
        return [float(value)]
    return [math.nan if value is None else value]


def judge_json(text):
    """What is wrong with a JSON answer."""
    try:
        answer = json.loads(text)
    except ValueError:
        return ["output is not JSON"]
    found = []
    fields = ["value", "lower", "upper"] + ([] if answer.get("quantity") == "rdp" else ["epsilon", "delta"])
    for name in fields:
        for value in numbers(answer.get(name, [])):
            if math.isnan(value):
                found.append(f"NaN in {name}")
            elif value < 0:
                found.append(f"negative {name}")
    for low, value, high in zip(*(numbers(answer.get(name, [])) for name in ["lower", "value", "upper"])):
        if low > high:
            found.append("lower > upper")
        elif not low <= value <= high:
            found.append("value outside its bounds")
    if answer.get("delta") == 0 and answer.get("quantity") == "delta" and answer.get("method") != "none":
        found.append("claims delta = 0")
    check = answer.get("crosscheck")
    if check and answer["method"] == "pld" and numbers(answer["lower"])[0] > numbers(check["value"])[0] * (1 + 1e-9):
        found.append("lower bound above the RDP bound")
    return found


def judge(words, answer, limit):
    """What is wrong with an answer, as short sentences."""
    if answer.code is None:
        return [f"no answer within {limit:g} s of processor time"]
    if answer.code < 0:
        return [f"died of signal {-answer.code}"]
    found = []
    if answer.code not in (0, 2):
        found.append(f"exit code {answer.code}: {answer.err.strip()[:100]}")
    lines = answer.err.splitlines()
    if len(lines) > 1:
        found.append("more than one line on stderr")
    if answer.code == 2 and not lines:
        found.append("refused without a word")
    if answer.code == 2 and answer.out:
        found.append("refused, but printed an answer")
    if answer.code == 0:
        if "--json" in words:
            found += judge_json(answer.out)
        elif "nan" in answer.out.lower():
            found.append("nan in the text")
    return found


def limits(limit):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))


def ask(program, words, limit):
    """Runs one command."""
    begin = time.monotonic()
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, errors="replace", timeout=PATIENCE * limit,
                              stdin=subprocess.DEVNULL, preexec_fn=lambda: limits(limit), check=False)
        late = done.returncode == -signal.SIGXCPU
        answer = Answer(None if late else done.returncode, done.stdout, done.stderr, time.monotonic() - begin)
    except subprocess.TimeoutExpired:
        answer = Answer(None, "", "", limit)
    answer.findings = judge(words, answer, limit)
    return answer


def reduce(program, words, finding, limit, until):
    """Drops words one by one as long as the same finding remains."""
    i = 2
    while i < len(words) and time.monotonic() < until:
        shorter = words[:i] + words[i + 1:]
        if words[i] != "--json" and finding in ask(program, shorter, limit).findings:
            words = shorter
        else:
            i += 1
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=Path("build/release/trilemma"))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="seconds of processor time for one answer")
    parser.add_argument("--all", action="store_true", help="print every finding, not one of a kind")
    args = parser.parse_args()
    program = str(args.program.resolve())
    rng = random.Random(args.seed)
    begin = time.monotonic()
    count, answered, slowest, seen = 0, 0, (0.0, []), {}
    while time.monotonic() - begin < args.seconds:
        words = command(rng)
        answer = ask(program, words, args.limit)
        count += 1
        answered += answer.code == 0
        slowest = max(slowest, (answer.seconds, words))
        for finding in answer.findings:
            kind = f"{words[1]}: {finding}"
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] > 1 and not args.all:
                continue
            # Reducing what takes the whole time limit would take too long.
            shown = words if answer.code is None else reduce(program, words, finding, args.limit,
                                                             time.monotonic() + 10)
            print(f"{kind}\n    trilemma {shlex.join(shown)}", flush=True)
    print(f"{count} commands, {answered} answered, seed {args.seed}; slowest {slowest[0]:.1f} s: "
          f"{shlex.join(slowest[1])}")
    for kind, times in sorted(seen.items()):
        print(f"{times:6} x {kind}")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
