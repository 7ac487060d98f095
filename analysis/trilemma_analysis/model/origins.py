"""Whether runs that are shown together were made from the same data, with the same kind of numbers and instructions;
and what the models of users promise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath

from ..io.run_file import Run
from ..io.words import Warn, cut, joined, printable
from .groups import all_settings, text_setting

MOST_NAMED = 3
NOT_RECORDED = "not-recorded"
REAL = "real"  # of /environment
PROCESSORS = "processors"  # of /environment, a line for each rank
START = "start.file"  # of the settings: a model, no records
OWN_NAME = "own_model_name"  # of the root: what a model of the user's own calls itself
# Attributes of the root that are 0 where such a model breaks a promise: what was found, and what follows.
PROMISES = {
    "own_model_repeats": ("the same call gives different results", "results differ from run to run"),
    "own_model_adds_up": ("the gradients of records do not add up to that of their batch",
                          "results depend on the batches"),
    "own_model_separates": ("the gradient of a record depends on the records processed with it",
                            "no bound on a record holds"),
}
SIMULATION = "simulation"  # of /environment, a line for each rank; only for runs of jobs/simulate


def _is_of(key: str, table: str) -> bool:
    """Returns whether a setting belongs to a table of the configuration."""
    return key.startswith(f"{table}.")


def data_of(run: Run, among: Collection[str] | None = None) -> str:
    """Returns what identifies the records of a run: the checksums of the files that were read, or for generated records
    the settings that define them, restricted to those in `among` if it is given."""
    made = [f"{key} = {value}" for key, value in all_settings(run.config).items()
            if _is_of(key, "data") and key != "data.scaling" and (among is None or key in among)]
    start = all_settings(run.config).get(START, "").strip('"')
    records = [checksum for name, checksum in files_of(run).items() if not start or name != start]
    return " ".join(sorted(records)) or "\n".join(made)


def files_of(run: Run) -> dict[str, str]:
    """Returns checksums of the files that a run has read, by name."""
    lines = [line.split(maxsplit=1) for line in run.environment.get("data_files", "").splitlines()]
    return {words[1]: words[0] for words in lines if len(words) == 2}


def _problems(runs: Sequence[Run], axes: Sequence[str]) -> list[str]:
    """Returns a sentence if the runs minimise different objectives, unless an axis implies it."""
    settings = [all_settings(run.config) for run in runs]
    keys = sorted({key for each in settings for key in each if _is_of(key, "problem") and key not in axes})
    texts = {key: sorted({printable(str(each.get(key, "absent"))) for each in settings}) for key in keys}
    different = [f"{key} is {' and '.join(values[:MOST_NAMED])}" for key, values in texts.items() if len(values) > 1]
    return [f"the runs solve different problems ({'; '.join(different[:MOST_NAMED])}), so their objectives do not "
            "compare"] if different else []


def own_model(run: Run) -> str:
    """Returns the name of a user's own model and its file, 'LeNet of lenet.py'; empty for a built-in problem."""
    if OWN_NAME not in run.attributes:
        return ""
    return cut(f"{run.attributes[OWN_NAME]} of "
               f"{printable(PurePath(text_setting(run, 'problem.library', 'a library')).name)}")


def own_models(runs: Sequence[Run]) -> str:
    """Returns the users' own models among the runs, in words. If other runs have none, the kinds of their problems are
    added."""
    if not any(map(own_model, runs)):
        return ""
    return joined(list(dict.fromkeys(own_model(run) or text_setting(run, "problem.kind", "a built-in problem")
                                     for run in runs)))


def broken_promises(runs: Sequence[Run]) -> list[str]:
    """Returns a warning for every promise that users' own models break, with the runs that report it."""
    found = []
    for name in PROMISES:
        broken = [run for run in runs if breaks(run, name)]
        if broken:
            files = sorted(printable(run.path.name) for run in broken)[:MOST_NAMED]
            more = [f"{len(broken) - MOST_NAMED} more"] if len(broken) > MOST_NAMED else []
            found.append(Warn(promise_words(name).format(joined(sorted(set(map(own_model, broken)))),
                                                         joined([*files, *more]))))
    return found


def promise_words(promise: str) -> str:
    """Returns the sentence on models that break a promise, with a place for their names and one for their files."""
    what, effect = PROMISES[promise]
    return f"own model {{}}: {what}, so {effect} ({promise} = 0 in {{}})"


def breaks(run: Run, promise: str) -> bool:
    """Returns whether the run has a user's own model that breaks one of PROMISES."""
    return run.attributes.get(promise) == 0


def remarks(runs: Sequence[Run], axes: Sequence[str] = ()) -> list[str]:
    """Returns remarks on the origin of runs that are shown together, and on promises that their models break."""
    return [*broken_promises(runs), *of_origin(runs, axes)]


def of_origin(runs: Sequence[Run], axes: Sequence[str] = ()) -> list[str]:
    """Returns one sentence each if the runs read different data, solve different problems, have numbers of different
    widths, were computed with different instructions, or have simulated times. Different files along an axis of a sweep
    are expected; different files of one name never are."""
    found = []
    sums: dict[str, set[str]] = {}
    for run in runs:
        for name, checksum in files_of(run).items():
            if checksum != NOT_RECORDED:
                sums.setdefault(name, set()).add(checksum)
    changed = [cut(printable(name)) for name, each in sums.items() if len(each) > 1]
    if changed:
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        found.append(f"the runs were made from different data: {', '.join(changed[:MOST_NAMED])}{more} changed between "
                     "them (environment/data_files)")
    elif any(NOT_RECORDED in files_of(run).values() for run in runs):
        found.append("of some runs the checksums of the data are not recorded (privacy.strict), so whether all saw the "
                     "same is not known")
    elif any(map(files_of, runs)) and len(set(map(data_of, runs))) > 1 and not any(map(_chooses_data, axes)):
        found.append("the runs were made from different data (environment/data_files)")
    found += _problems(runs, axes)
    widths = sorted({printable(run.environment[REAL]) for run in runs if run.environment.get(REAL)})
    if len(widths) > 1:
        found.append(f"the runs were made with different numbers: {' and '.join(widths)} (environment/{REAL})")
    used = sorted({printable(line) for run in runs for line in run.environment.get(PROCESSORS, "").splitlines()})
    if len(used) > 1 and "processor.vector_bits" not in axes:
        found.append(f"the runs were made with different instructions ({' and '.join(used[:MOST_NAMED])}), so neither "
                     f"their times nor their last digits compare (environment/{PROCESSORS})")
    if simulated := sum(run.simulation is not None for run in runs):
        which = "all runs were" if simulated == len(runs) else f"{simulated} of {len(runs)} runs were"
        found.append(f"{which} made on simulated ranks, so their times are no measurements (environment/{SIMULATION})")
    return found


def _chooses_data(axis: str) -> bool:
    """Returns whether the values of an axis name data."""
    return _is_of(axis, "data")
