"""Tables of docs/results/favano.md on FAVANO and its rivals, from runs/sweeps/fav-*."""
import pandas
from markdown_table import table
from trilemma_analysis import read_sweep
from trilemma_analysis.verdicts import fav, fav_runs, judge

VARIANTS = {fav_runs.FAVANO: ("deterministic", "stochastic"), fav_runs.FEDBUFF: ("plain", "code"), fav_runs.QUAFL: ("plain", "code"),
            fav_runs.FEDAVG: ("plain",)}
READINGS = {"": (("time", ""), "geometric", "step"),
            ', `clock.speed = "analysis"`': (("analysis",), "geometric", "step"),
            ', `clock.law = "exponential"`': (("time", ""), "exponential", "step")}
EPOCHS = {', `local.unit = "epoch"`': (("time", ""), "geometric", "epoch")}


def sweep_of(name):
    """A sweep of jobs/sweeps."""
    return read_sweep(f"runs/sweeps/{name}")


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
                     for column in fav_runs.COLUMNS]
            if not any(cell.empty for cell in cells):
                word = f", {variant}" if len(VARIANTS[method]) > 1 else ""
                rows.append([f"{fav_runs.NAMES[method]}{word}{reading}", str(min(cell.seed.nunique() for cell in cells)),
                             *map(mean, cells)])
    return rows


def favano():
    """Table 2 compared with the paper's, in three readings of its clock, and what its rule says of the first."""
    sweeps = [sweep_of(f"fav-mnist{part}") for part in ("", "-iid", "-slow")]
    others = [sweep_of(f"fav-mnist-{name}") for name in ("analysis", "readings")]
    runs = pandas.concat([fav_runs.runs_of(sweep) for sweep in (*sweeps, *others)])
    paper = [[f"paper: {fav_runs.NAMES[method]}", "", *(f"{fav.PAPER[column][method][0]} ± {fav.PAPER[column][method][1]}"
                                                   for column in fav_runs.COLUMNS)] for method in VARIANTS]
    table(["", "seeds", *fav_runs.COLUMNS], table_2(runs, READINGS) + paper)
    print()
    verdicts = [judge(name, *sweeps) for name in ("fav-mnist", "fav-mnist-code")]
    table(["statement", "presets `plain`", "presets `code`"],
          [[f"{one.name}: {one.text}", mark(one), mark(other)]
           for one, other in zip(*(verdict.statements for verdict in verdicts))])


def epochs():
    """Table 2 with epochs in place of steps, and where there are several seeds what its rule says of that."""
    runs = fav_runs.runs_of(sweep_of("fav-mnist-readings"))
    runs = runs[runs.unit == "epoch"]
    table(["", "seeds", *fav_runs.COLUMNS], table_2(runs, EPOCHS))
    if runs.seed.nunique() < 2:
        return
    print()
    table(["statement", "presets `plain`", "presets `code`"],
          [[f"{one.name}: {one.text}", mark(one), mark(other)]
           for one, other in zip(*(fav.orderings(runs, preset) for preset in ("plain", "code")))])


def figure_3(name):
    """Final accuracies and how much they change, and what the rule of a substitute says."""
    sweep = sweep_of(name)
    runs = fav_runs.runs_of(sweep)
    rows = []
    for method in fav_runs.METHODS:
        for variant, cell in runs[(runs.method == method) & (runs.variant != "stochastic")].groupby("variant"):
            word = f", {variant}" if runs[runs.method == method].variant.nunique() > 1 else ""
            rows.append([f"{fav_runs.NAMES[method]}{word}", str(cell.seed.nunique()), mean(cell),
                         f"{cell.change.mean():.2f}"])
    table(["", "seeds", "accuracy at the end", "mean change from one evaluation to the next"], rows)
    print()
    table(["statement", "presets `plain`"],
          [[f"{one.name}: {one.text}", mark(one)] for one in judge(name, sweep).statements])


def figure_7(name):
    """FAVANO in full precision and with few bits by the clients that are contacted, and what its rule says."""
    sweep = sweep_of(name)
    runs = fav_runs.runs_of(sweep)
    sizes = sorted(set(runs.contacted))
    rows = []
    for bits, word in ((fav_runs.WHOLE, "full precision"), (fav_runs.QUANTISED, "3 bits, derivatives 4")):
        cells = [runs[(runs.bits == bits) & (runs.contacted == size)] for size in sizes]
        rows.append([word, str(min(cell.seed.nunique() for cell in cells)), *map(mean, cells)])
    table(["", "seeds", *(f"s = {size}" for size in sizes)], rows)
    print()
    table(["statement", ""], [[f"{one.name}: {one.text}", mark(one)] for one in judge(name, sweep).statements])


BLOCKS = {"favano": favano, "favano-epochs": epochs, "favano-fmnist": lambda: figure_3("fav-fmnist-s"),
          "favano-cifar": lambda: figure_3("fav-cifar-s"), "favano-qnn": lambda: figure_7("fav-cifar-qnn-s")}
