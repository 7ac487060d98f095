"""Tables of docs/results/favano.md on FAVANO and its rivals, from runs/sweeps/fav-*."""
import pandas
from markdown_table import table
from trilemma_analysis import read_sweep
from trilemma_analysis.verdicts import RULES, judge

NAMES = RULES["fav-mnist"].names
COLUMNS = ("IID", "2/3 fast", "1/9 fast")
WHOLE, QUANTISED = 32, 4  # bits that training computes with
VARIANTS = {"favano": ("deterministic", "stochastic"), "fedbuff": ("plain", "code"), "quafl": ("plain", "code"),
            "fedavg-timed": ("plain",)}
# Table 2 of the paper: means and standard deviations in the order of COLUMNS.
PAPER = {"favano": ("95.1 ± 0.1", "88.9 ± 0.9", "87.3 ± 2.3"), "fedbuff": ("96.0 ± 0.1", "85.1 ± 3.2", "67.3 ± 5.5"),
         "quafl": ("92.3 ± 0.9", "40.7 ± 6.7", "45.5 ± 4.0"), "fedavg-timed": ("93.4 ± 0.3", "38.7 ± 7.7", "44.8 ± 6.9")}
READINGS = {"": (("time", ""), "geometric", "step"),
            ', `clock.speed = "analysis"`': (("analysis",), "geometric", "step"),
            ', `clock.law = "exponential"`': (("time", ""), "exponential", "step")}
EPOCHS = {', `local.unit = "epoch"`': (("time", ""), "geometric", "epoch")}


def sweep_of(name):
    """A sweep of jobs/sweeps."""
    return read_sweep(f"runs/sweeps/{name}")


def runs_of(*sweeps):
    """The rows of sweeps."""
    return pandas.concat([RULES["fav-mnist"].rows(sweep) for sweep in sweeps])


def mark(statement):
    """What came out of a statement of a rule."""
    return f"{statement.outcome.value.lower()} ({statement.evidence})"


def mean(cell):
    """Mean and standard deviation of the final accuracy."""
    return f"{cell.score.mean():.1f} ± {cell.score.std(ddof=1):.1f}" if len(cell) > 1 else f"{cell.score.mean():.1f}"


def table_2(runs, readings):
    """Rows of table 2 in some readings of the paper."""
    rows = []
    for reading, (speeds, law, unit) in readings.items():
        chosen = runs[(runs.law == law) & (runs.unit == unit) & runs.speed.isin(speeds)]
        for method, variant in ((method, variant) for method, variants in VARIANTS.items() for variant in variants):
            cells = [chosen[(chosen.method == method) & (chosen.variant == variant) & (chosen.column == column)]
                     for column in COLUMNS]
            if not any(cell.empty for cell in cells):
                word = f", {variant}" if len(VARIANTS[method]) > 1 else ""
                rows.append([f"{NAMES[method]}{word}{reading}", str(min(cell.seed.nunique() for cell in cells)),
                             *map(mean, cells)])
    return rows


def favano():
    """Table 2 compared with the paper's, in three readings of its clock, and what its rule says of the first."""
    sweeps = [sweep_of(f"fav-mnist{part}") for part in ("", "-iid", "-slow")]
    others = [sweep_of(f"fav-mnist-{name}") for name in ("analysis", "readings")]
    runs = runs_of(*sweeps, *others)
    paper = [[f"paper: {NAMES[method]}", "", *PAPER[method]] for method in VARIANTS]
    table(["", "seeds", *COLUMNS], table_2(runs, READINGS) + paper)
    print()
    verdicts = [judge(name, *sweeps) for name in ("fav-mnist", "fav-mnist-code")]
    table(["statement", "presets `plain`", "presets `code`"],
          [[f"{one.name}: {one.text}", mark(one), mark(other)]
           for one, other in zip(*(verdict.statements for verdict in verdicts))])


def epochs():
    """Table 2 with epochs in place of steps, and where there are several seeds what its rule says of that."""
    runs = runs_of(sweep_of("fav-mnist-readings"))
    runs = runs[runs.unit == "epoch"]
    table(["", "seeds", *COLUMNS], table_2(runs, EPOCHS))
    if runs.seed.nunique() < 2:
        return
    print()
    table(["statement", "presets `plain`", "presets `code`"],
          [[f"{one.name}: {one.text}", mark(one), mark(other)]
           for one, other in zip(*(RULES[rule].judge(runs.assign(unit="step")).statements[:7]
                             for rule in ("fav-mnist", "fav-mnist-code")))])


def figure_3(name):
    """Final accuracies and how much they change, and what the rule of a substitute says."""
    sweep = sweep_of(name)
    runs = runs_of(sweep)
    rows = []
    for method in VARIANTS:
        for variant, cell in runs[(runs.method == method) & (runs.variant != "stochastic")].groupby("variant"):
            word = f", {variant}" if runs[runs.method == method].variant.nunique() > 1 else ""
            rows.append([f"{NAMES[method]}{word}", str(cell.seed.nunique()), mean(cell),
                         f"{cell.change.mean():.2f}"])
    table(["", "seeds", "accuracy at the end", "mean change from one evaluation to the next"], rows)
    print()
    table(["statement", "presets `plain`"],
          [[f"{one.name}: {one.text}", mark(one)] for one in judge(name, sweep).statements])


def figure_7(name):
    """FAVANO in full precision and with few bits by the clients that are contacted, and what its rule says."""
    sweep = sweep_of(name)
    runs = runs_of(sweep)
    sizes = sorted(set(runs.contacted))
    rows = []
    for bits, word in ((WHOLE, "full precision"), (QUANTISED, "3 bits, derivatives 4")):
        cells = [runs[(runs.bits == bits) & (runs.contacted == size)] for size in sizes]
        rows.append([word, str(min(cell.seed.nunique() for cell in cells)), *map(mean, cells)])
    table(["", "seeds", *(f"s = {size}" for size in sizes)], rows)
    print()
    table(["statement", ""], [[f"{one.name}: {one.text}", mark(one)] for one in judge(name, sweep).statements])


BLOCKS = {"favano": favano, "favano-epochs": epochs, "favano-fmnist": lambda: figure_3("fav-fmnist-s"),
          "favano-cifar": lambda: figure_3("fav-cifar-s"), "favano-qnn": lambda: figure_7("fav-cifar-qnn-s")}
