"""Forgeries of run files: each is one wrong statement in a file whose checksum is recomputed."""
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "analysis"))
from trilemma_analysis.io.content import CHECKSUM, content_sum  # noqa: E402


def forge(source, target, change):
    """A copy of a run file with a change and a checksum that matches the change."""
    target.write_bytes(source.read_bytes())
    with h5py.File(target, "r+") as file:
        change(file)
        if CHECKSUM in file.attrs:
            file.attrs[CHECKSUM] = content_sum(file)


def attribute(owner, name, value):
    def change(file):
        file[owner].attrs[name] = value(file[owner].attrs[name]) if callable(value) else value
    return change


def values(name, change):
    """Changes all values of a data set at once, or some of them in place, in a copy of the file."""
    def apply(file):
        data = file[name][...]
        with np.errstate(all="ignore"):
            changed = change(data)
        file[name][...] = data if changed is None else np.asarray(changed).astype(data.dtype)
    return apply


def at(name, row, value):
    def change(data):
        data[row] = value
    return values(name, change)


def recorded(name):
    """A column of ones where there is none."""
    return lambda file: file.create_dataset(name, data=np.ones(len(file["rounds/round"])))


def lost(name):
    return lambda file: file.__delitem__(name)


def lost_attribute(owner, name):
    return lambda file: file[owner].attrs.__delitem__(name)


def shortened(name, by=1):
    return lambda file: file[name].resize(file[name].shape[0] - by, axis=0)


def text(name, change):
    def apply(file):
        old = file[name][()].decode()
        new = change(old)
        assert new != old, name
        kept = dict(file[name].attrs)
        del file[name]
        file.create_dataset(name, data=new, dtype=h5py.string_dtype())
        for key, value in kept.items():
            file[name].attrs[key] = value
    return apply


def setting(key, value):
    """Changes the value of a key of the configuration, and nothing else."""
    def change(config):
        lines = config.split("\n")
        found = [i for i, line in enumerate(lines) if line.startswith(f"{key.split('.')[-1]} = ")]
        if "." in key:
            start = lines.index(f"[{key.split('.')[0]}]")
            found = [i for i in found if i > start]
        lines[found[0]] = f"{key.split('.')[-1]} = {value}"
        return "\n".join(lines)
    return text("config", change)


def several(*changes):
    def apply(file):
        for change in changes:
            change(file)
    return apply


def added_column(file, numbers, dtype, provenance):
    """A column that no rule of verification names; the first numbers repeat themselves to its end."""
    rows = len(file["rounds/round"])
    column = file.create_dataset("rounds/other", data=np.resize(np.array(numbers, dtype), rows))
    column.attrs.update({"units": "1", "description": "another metric", "better": "neither", "shown": np.uint8(1)})
    column.attrs["provenance"] = np.array(provenance, h5py.string_dtype())


def falling(data):
    data[-1] = data[-2] - 1


# What a change raises where the run has no such column, attribute or setting.
IMPOSSIBLE = (KeyError, IndexError, AssertionError)
# The kinds of differences by which `verify` refuses a file.
KINDS = {"configuration", "above", "below", "elsewhere", "falls", "odd", "missing", "unexpected", "unfinished", "exceeded",
         "changed", "unsummed", "rerun", "unknown", "refused"}

COUNTS = ("bits_up_model", "bits_up_payload", "bits_down_model", "bits_down_payload", "messages")
RANDOM_SUM = "0123456789abcdef" * 4

# Wrong in every run file, whatever the run: what is changed, the rule that refuses it, and the changes. Subjects and
# rules are the rows of a table in docs/how-to/verify-a-run.md.
EVERYWHERE = {
    "messages, bits, records": ("follow from the configuration, or lie within its bounds; never decrease", {
        **{f"{name} scaled": values(f"rounds/{name}", lambda x: x * 0.5) for name in COUNTS},
        **{f"{name} one more": at(f"rounds/{name}", -1, 10**9) for name in COUNTS},
        "batch_records falls": values("rounds/batch_records", falling),
        "batch_records huge": values("rounds/batch_records", lambda x: x * 10**6),
        "batch_records shifted": values("rounds/batch_records", lambda x: x + 1),
        "clipped huge": at("rounds/clipped", -1, 10**6),
        "not_finite falls": several(at("rounds/not_finite", -2, 5), at("rounds/not_finite", -1, 4)),
        "mpi bits_up": at("mpi/bits_up", -1, 10**9),
        "mpi bits_down falls": several(at("mpi/bits_down", -2, 5), at("mpi/bits_down", -1, 4)),
    }),
    "objective, gradient norms, utility": (
        "are finite; the utility is the mean of the gradient norms; no distance to an unknown minimum", {
        "objective missing in a row": at("rounds/objective", -1, np.nan),
        "objective infinite": at("rounds/objective", 0, np.inf),
        "negative gradient norm": at("rounds/gradient_norm_squared", 1, -1.0),
        "gradient norm": values("rounds/gradient_norm_squared", lambda x: x * 0.1),
        "utility": values("rounds/utility", lambda x: x * 0.5),
        "suboptimality of no minimum": values("rounds/suboptimality", lambda x: x * 0 + 1e-6),
        "distance to no minimiser": values("rounds/distance", lambda x: np.full_like(x, 1e-6)),
    }),
    "scores": ("lie in their ranges and in order; the accuracies of the classes give that of all", {
        "accuracy above 1": values("rounds/accuracy", lambda x: np.full_like(x, 1.5)),
        "accuracy below 0": values("rounds/accuracy", lambda x: np.full_like(x, -0.5)),
        "accuracy below that of all classes": values("rounds/accuracy", lambda x: x * 0.5),
        "accuracy by class below the accuracy": values("classes/accuracy", lambda x: x * 0.5),
        "accuracy by class of 1": values("classes/accuracy", lambda x: np.ones_like(x)),
        "no accuracy by class": lost("classes"),
        "class accuracy above 1": values("classes/accuracy", lambda x: np.full_like(x, 1.5)),
        "rounds of classes": values("classes/round", lambda x: x[::-1].copy()),
        "negative test loss": values("rounds/test_loss", lambda x: -x - 1),
        "infinite error": values("rounds/test_error", lambda x: np.full_like(x, np.inf)),
        "scores out of order": several(values("rounds/client_score_q10", lambda x: np.full_like(x, 0.9)),
                                       values("rounds/client_score_q50", lambda x: np.full_like(x, 0.1))),
        "baseline_score": attribute("/", "baseline_score", 2.0),
    }),
    "norms": ("are finite, not negative, in order and within the bound", {
        "negative drift": values("rounds/drift", lambda x: np.full_like(x, -1.0)),
        "negative mean norm": at("rounds/mean_norm", 1, -1.0),
        "infinite mean norm": at("rounds/mean_norm", 1, np.inf),
        "noise_norm": values("rounds/noise_norm", lambda x: x + 1e6),
        "norms out of order": several(at("rounds/update_norm_least", 1, 2.0), at("rounds/update_norm_most", 1, 1.0)),
        "record norm above its bound": at("rounds/record_norm_most", 1, 99.0),
        "negative record norm": at("rounds/record_norm_most", 1, -1.0),
    }),
    "`epsilon` and `/privacy`": ("follow from the configuration; `drawn_*` and `bound_observed` from the columns", {
        "epsilon * 0.1": values("rounds/epsilon", lambda x: np.where(np.isnan(x), 0.5, x * 0.1)),
        "epsilon at the end": at("rounds/epsilon", -1, 0.5),
        **{f"privacy {name}": attribute("privacy", name, "another") for name in
           ("dp_claim", "theorem", "unit", "relation", "view", "sampling_scheme", "sampler", "bound_kind", "bound_per",
            "noise_kind", "noise_place", "noise_dtype", "calibration_mode", "accountant", "accountant_method",
            "accountant_status", "rng", "float_dp", "contains_private_model")},
        **{f"privacy {name}": attribute("privacy", name, np.array(["another"], h5py.string_dtype())) for name in
           ("preprocessing", "releases_outside")},
        "privacy releases_outside, one less": attribute("privacy", "releases_outside", lambda x: x[1:]),
        **{f"privacy {name}": attribute("privacy", name, lambda x: 0.5 if np.isnan(x) else 0.5 * x + 0.01) for name in
           ("units", "sampling_rate", "batch", "divisor", "bound_norm", "noise_std_on_released", "noise_multiplier",
            "rounds_planned", "rounds_accounted", "rounds_executed", "delta", "epsilon", "drawn_mean", "epsilon_lower",
            "crosscheck_epsilon")},
        "drawn_most": attribute("privacy", "drawn_most", 1e6),
        "drawn_least": attribute("privacy", "drawn_least", 0.5),
        "bound_observed": attribute("privacy", "bound_observed", 0.123),
        "privacy field missing": lost_attribute("privacy", "theorem"),
    }),
    "attributes of the run": ("follow from the configuration", {
        **{f"attribute {name}": attribute("/", name, "another") for name in
           ("name", "method", "mode", "problem", "data", "compressor", "compressor_kind", "compressor_label", "bound",
            "mechanism", "claim", "failure")},
        "attribute claim_status": attribute("/", "claim_status", lambda x: "holds" if x != "holds" else "nominal_only"),
        "attribute claim_status of no kind": attribute("/", "claim_status", "surely"),
        "attribute equal_messages": attribute("/", "equal_messages", lambda x: 1 - x),
        "no attribute bound": lost_attribute("/", "bound"),
        "fingerprint": attribute("/", "fingerprint", "0" * 64),
        **{f"attribute {name}": attribute("/", name, lambda x: x + 1) for name in
           ("seed", "rounds", "clients", "dimension", "ranks")},
        "attribute noise_sigma": attribute("/", "noise_sigma", lambda x: 2 * x + 1),
        "attribute epsilon_nominal": attribute("/", "epsilon_nominal", 0.25),
        "attribute delta": attribute("/", "delta", 1e-12),
        "attribute extended_from": attribute("/", "extended_from", 10**6),
        **{f"attribute {name}": attribute("/", name, lambda x: 7.0 if np.isnan(x) else 2 * x + 1) for name in
           ("planned_bits_up", "planned_bits_down", "planned_bits_down_before")},
    }),
    "attributes of a column": ("are those that the program declares", {
        "provenance of a column": attribute("rounds/accuracy", "provenance",
                                            np.array(["released"], h5py.string_dtype())),
        "no provenance of a column": lost_attribute("rounds/messages", "provenance"),
        "what is better": attribute("rounds/accuracy", "better", "lower"),
        "units of a column": attribute("rounds/bits_up_payload", "units", "B"),
        "shown": attribute("rounds/epsilon", "shown", lambda x: 1 - x),
        "description of a column": attribute("mpi/bits_down", "description", "another"),
        "range of a column": attribute("rounds/accuracy", "most", 2.0),
        "range with its values": several(attribute("rounds/accuracy", "most", 2.0),
                                         values("rounds/accuracy", lambda x: np.full_like(x, 1.5))),
        "course of a column": attribute("rounds/messages", "course", "free"),
        "no course of a column": lost_attribute("rounds/messages", "course"),
        "course with its values": several(attribute("rounds/not_finite", "course", "free"),
                                          at("rounds/not_finite", -2, 5), at("rounds/not_finite", -1, 4)),
        "runs that have a column": attribute("rounds/accuracy", "runs", "real"),
        "evaluated rows of a column": attribute("rounds/accuracy", "evaluated", lambda x: 1 - x),
    }),
    "rows and columns": ("are those of the declared metrics, with values in the declared range and course", {
        "round numbers": values("rounds/round", lambda x: x + 1),
        "no objective": lost("rounds/objective"),
        "no epsilon": lost("rounds/epsilon"),
        "no traffic of control": lost("mpi/bits_control"),
        "a row less": shortened("rounds/accuracy"),
        "two rows less everywhere": lambda file: [shortened(f"{group}/{name}", 2)(file)
                                                  for group in ("rounds", "mpi") for name in file[group]],
        "a column that falls": lambda file: added_column(file, [3, 2], np.uint64, ["released"]),
        "an infinite column": lambda file: added_column(file, [0, np.inf], np.float64, ["released"]),
    }),
    "`/partition`": ("agrees with the configuration and with itself", {
        "partition records": at("partition/records", 0, 1),
        "partition records_least": attribute("partition", "records_least", 1.0),
        "partition records_mean": attribute("partition", "records_mean", 1.0),
        "partition kind": attribute("partition", "kind", "another"),
        "partition description": attribute("partition", "description", "another"),
        "partition unassigned": attribute("partition", "unassigned", 7),
        "partition hosting": attribute("partition", "hosting", "another"),
        "partition imbalance": attribute("partition", "imbalance", 0.5),
        "partition held_out_most": attribute("partition", "held_out_most", 9.0),
    }),
    "`/model`": ("is finite and has d coordinates; the start model follows from the configuration", {
        "final model NaN": at("model/final", 0, np.nan),
        "start model NaN": at("model/start", 0, np.nan),
        "start model": values("model/start", lambda x: x + 0.25),
        "a longer model": several(lost("model/final"), lambda file: file["model"].create_dataset(
            "final", data=np.zeros(3, file["model/start"].dtype))),
        "no final model": lost("model/final"),
    }),
    "`/environment`, times and starts": (
        "have a possible value; the evidence of time follows from the numbers behind "
        "it", {
        "negative seconds under way": at("mpi/seconds_under_way", 1, -1.0),
        "negative wall_seconds": attribute("/", "wall_seconds", -1.0),
        "no environment": lost("environment"),
        "environment real": text("environment/real", lambda _: "float16"),
        "environment random_generator": text("environment/random_generator", lambda _: "a good one"),
        "no environment processors": lost("environment/processors"),
        "negative phase": at("phases/seconds", (1, 0, 1), -1.0),
        "hours of a phase": at("phases/seconds", (1, 0, 1), 1e6),
        "time_evidence": attribute("environment", "time_evidence", "simulated"),
        "unknown time_evidence": attribute("environment", "time_evidence", "good"),
        "negative cores_per_rank": attribute("environment", "cores_per_rank", -1.0),
        "negative node_ranks": attribute("environment", "node_ranks", -1),
        "negative load_from_others": attribute("environment", "load_from_others", -0.5),
        "waiting_share of 2": attribute("environment", "waiting_share", 2.0),
        "negative timed_rounds": attribute("environment", "timed_rounds", -1),
        "starts round": at("starts/round", 0, 3),
        "starts ranks": at("starts/ranks", 0, 0),
    }),
    "a setting": ("determines the fingerprint and what follows from the configuration", {
        "setting seed": setting("seed", 77),
        "setting rounds": setting("rounds", 7),
        "setting clients": setting("clients", 5),
        "setting data.seed": setting("data.seed", 77),
        "setting data.rows": setting("data.rows", 2000),
        "setting data.features": setting("data.features", 29),
        "setting problem.lambda": setting("problem.lambda", 0.25),
        "setting evaluate.every": setting("evaluate.every", 2),
        "no setting of the seed": text("config", lambda config: config.replace("seed = ", "sed = ", 1)),
    }),
    "the checksum": ("belongs to every file", {
        "no checksum": lost_attribute("/", CHECKSUM),
    }),
}
REFUSED = {name: change for _, kinds in EVERYWHERE.values() for name, change in kinds.items()}

CONTACTS = {
    "contact of no client": at("contacts/client", 1, 99),
    "half a client": lambda file: (file["contacts"].__setitem__("other", file["contacts/client"][...] + 0.5),
                                   file["contacts"].__delitem__("client"),
                                   file["contacts"].move("other", "client")),
    "contact number 2^60": at("contacts/number", 0, 2**60),
    "contact number": at("contacts/number", -1, 1000),
    "contacts permuted": values("contacts/client", lambda x: x[::-1]),
    "contact of a later model": at("contacts/start", 0, 9),
    "local steps above K": at("contacts/local_steps", 0, 10**6),
    "contact time NaN": at("contacts/time", 0, np.nan),
    "contact times * 0.001": values("contacts/time", lambda x: x * 0.001),
    "contact times descend": values("contacts/time", lambda x: x[::-1]),
    "contact weight 0": at("contacts/weight", 0, 0.0),
    "contact factor NaN": at("contacts/factor", 0, np.nan),
    "real_time": values("rounds/real_time", lambda x: x * 0.5),
    "local_steps": values("rounds/local_steps", lambda x: x * 2),
    "contacts": values("rounds/contacts", lambda x: x + 1),
    "staleness": at("rounds/staleness", -1, 0.125),
}
CLOCK = {
    "simulated_time * 0.1": values("rounds/simulated_time", lambda x: x * 0.1),
    "local_steps * 2": values("rounds/local_steps", lambda x: x * 2),
    "contacts + 1": values("rounds/contacts", lambda x: x + 1),
    "contacts_most": at("rounds/contacts_most", -1, 10**4),
    "contacts_least": at("rounds/contacts_least", -1, 10**4),
    "staleness of a row": at("rounds/staleness", -1, 0.125),
    "staleness_most": at("rounds/staleness_most", -1, 10**4),
}

# Columns that privacy.strict withholds.
STRICT = {f"/{name} recorded": recorded(name) for name in (
    "rounds/objective", "rounds/update_norm_most", "rounds/mean_norm", "rounds/clipped", "mpi/seconds_under_way",
    "mpi/bits_control")}
STRICT["another column recorded"] = lambda file: added_column(file, [1.0], np.float64, ["updates"])
STRICT["wall_seconds recorded"] = lambda file: file.attrs.__setitem__("wall_seconds", 3.25)
STRICT["/partition@assignment recorded"] = lambda file: file["partition"].attrs.__setitem__("assignment", "0" * 64)

# What no rule covers there: in real time, requests and messages travel at their own pace.
UNKNOWN_IN_REAL_TIME = ("mpi bits_up", "mpi bits_down falls")

# Forgeries that are impossible in a run of a kind: under privacy.strict there are no such columns.
NOT_HERE = {
    **dict.fromkeys(("synchronous", "trusted", "clock", "public", "real"), ()),
    "strict": (
        "batch_records falls", "batch_records huge", "batch_records shifted", "clipped huge", "not_finite falls",
        "course with its values",
        "objective missing in a row", "objective infinite", "negative gradient norm", "gradient norm", "utility",
        "suboptimality of no minimum", "distance to no minimiser", "scores out of order", "negative drift",
        "negative mean norm", "infinite mean norm", "noise_norm", "norms out of order", "record norm above its bound",
        "negative record norm", "no objective", "no traffic of control", "negative seconds under way",
    ),
}

# Rules that some runs have in addition, in the same form.
SOME_RUNS = {
    "simulated clock": ("follows from the configuration", CLOCK),
    "contacts in real time": ("are in order, of existing clients and models, and give the columns", CONTACTS),
    "values that `privacy.strict` withholds": ("are not in the file", STRICT),
}

def utility_too(file):
    """Gradient norms and the utility that follows from them."""
    gradient = file["rounds/gradient_norm_squared"][...] * 0.1
    file["rounds/gradient_norm_squared"][...] = gradient
    file["rounds/utility"][...] = np.cumsum(gradient) / np.arange(1, len(gradient) + 1)


def draws_too(file):
    """One record fewer in a round, with consistent numbers of draws in /privacy."""
    drawn = file["rounds/batch_records"][...].astype(np.int64)
    drawn[1:] += 1
    steps = np.diff(drawn)
    file["rounds/batch_records"][...] = drawn
    for name, value in (("least", steps.min()), ("most", steps.max()), ("mean", drawn[-1] / len(steps))):
        file["privacy"].attrs[f"drawn_{name}"] = float(value)


def dressed_as(path):
    """The whole file of another run except its results."""
    def change(file):
        with h5py.File(path) as other:
            for name in other.attrs:
                file.attrs[name] = other.attrs[name]
            for name in ("config", "privacy", "environment"):
                del file[name]
                other.copy(other[name], file, name)
            for name in other["rounds"]:
                if name in ("epsilon", "noise_norm", "record_norm_most", "batch_records", *COUNTS):
                    file["rounds"][name][...] = other["rounds"][name][...]
    return change


# What `verify` accepts all the same: why it is not in the file, whether `--rerun` detects it, and the changes. These
# are the rows of another table there.
UNSEEN = {
    "follows from the records, which `verify` does not read": (True, {
        "objective": values("rounds/objective", lambda x: x * 0.5),
        "test_loss": values("rounds/test_loss", lambda x: x * 0.5),
        "gradient norms with their utility": utility_too,
        "baseline_score": attribute("/", "baseline_score", 0.25),
        "labels of clients": attribute("partition", "labels_mean", 1.5),
        "assignment": attribute("partition", "assignment", RANDOM_SUM),
    }),
    "follows from the whole run": (True, {
        "final model": values("model/final", lambda x: x + 0.001),
        "mean_norm": values("rounds/mean_norm", lambda x: x * 0.5),
        "draws of records": draws_too,
    }),
    "nothing else in the file says when, where or how fast the run was made": (False, {
        "wall_seconds": attribute("/", "wall_seconds", 3.5),
        "phases": values("phases/seconds", lambda x: x * 0.5),
        "cpu": text("environment/cpu", lambda _: "a fast one"),
        "started": text("environment/started", lambda _: "1999-01-01T00:00:00Z"),
        "command_line": text("environment/command_line", lambda _: "trilemma run x.toml"),
        "bits of control": values("mpi/bits_control", lambda x: x + 8),
    }),
    "says nothing about the run": (False, {
        "an attribute more": lambda file: file.attrs.__setitem__("remark", "signed"),
        "a group more": lambda file: file.create_group("remarks"),
    }),
}
# What needs a second run, which a test of its own makes.
OTHER_RUN = ("the whole file of another run around the results of this run",
             "all statements agree with each other, and a rerun makes the other run")
