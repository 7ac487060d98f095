"""`trilemma verify` on run files that were changed on purpose, including the checksum: a contradiction within the file
is refused; what cannot be detected from the file is listed with the reason, and `--rerun` detects most of it."""
import json
import re
from pathlib import Path

import h5py
import pytest

import forged_runs
from conftest import LOGISTIC, ROOT, call
from extent import ALL, tenth

TRUSTED = ["method=dp-fedavg-clip", "participation.kind=poisson", "participation.rate=0.5"]
CLOCK = ["method=fedbuff", "bound.kind=clip-client", "server.buffer=2", "local.rate=0.1", "privacy.epsilon=20"]
RUNS = {
    "synchronous": [],
    "trusted": TRUSTED,
    "clock": CLOCK,
    "public": ["method=gd"],
    "strict": ["privacy.strict=true", "data.scaling=none"],
}


def words(settings):
    return [word for setting in settings for word in ("--set", setting)]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """Run files by kind, and the exit code of `verify` for each: 0, or 5 where there is no claim."""
    folder = tmp_path_factory.mktemp("honest")
    experiment = folder / "small.toml"
    experiment.write_text(LOGISTIC)
    files = {}
    for kind, settings in RUNS.items():
        files[kind] = folder / f"{kind}.h5"
        result = call("run", experiment, *words(settings), "--quiet", "--output", files[kind])
        assert result.code == 0, result.err
    return files


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A run in real time."""
    folder = tmp_path_factory.mktemp("real")
    experiment = folder / "small.toml"
    experiment.write_text(LOGISTIC)
    result = call("run", experiment, *words(["method=fedbuff", "server.buffer=2", "local.rate=0.1", "local.steps=3",
                  "rounds=12", "clock.time=real"]), "--quiet", "--output", folder / "real.h5", ranks=3)
    assert result.code == 0, result.err
    return folder / "real.h5"


def verdicts(files, *options):
    """The verdict on each file, None if it is refused as damaged."""
    found = dict.fromkeys(map(str, files))
    for first in range(0, len(files), 100):
        out = call("verify", "--json", *options, *files[first:first + 100]).out.strip()
        while out:
            answer, end = json.JSONDecoder().raw_decode(out)
            found[answer["file"]] = answer
            out = out[end:].strip()
    return found


def forgeries(source, folder, kinds, impossible=()):
    """A file for each forgery except those that are impossible here, since the run has no such column or setting. A
    forgery that cannot be made although it should be, or the other way around, is an error."""
    made, failed = {}, {}
    for name, change in kinds.items():
        target = folder / f"{len(made)}.h5"
        try:
            forged_runs.forge(source, target, change)
        except forged_runs.IMPOSSIBLE as error:
            failed[name] = repr(error)
        else:
            made[target] = name
    assert set(failed) == set(impossible) & set(kinds), failed
    return made


def changes_something(source, target):
    with h5py.File(source) as one, h5py.File(target) as other:
        return forged_runs.content_sum(one) != forged_runs.content_sum(other) or \
            forged_runs.CHECKSUM not in other.attrs


def every_fourth(kinds, first):
    """The other runs differ in few places: each gets a different quarter of the forgeries."""
    return dict(list(kinds.items())[first % 4::4])


def refused(source, folder, kinds, impossible):
    """Asserts that every forgery is refused as damaged, or by a difference of a known kind; returns how many there
    are."""
    made = {file: name for file, name in forgeries(source, folder, kinds, impossible).items()
            if changes_something(source, file)}
    found = verdicts(list(made))
    kinds_found = {made[Path(file)]: {difference["kind"] for difference in answer["differences"]}
                   for file, answer in found.items() if answer is not None}
    assert [name for name, kinds in kinds_found.items() if not kinds] == []
    assert set().union(*kinds_found.values()) <= forged_runs.KINDS
    return len(made)


@pytest.mark.parametrize("kind", RUNS)
def test_a_file_that_contradicts_itself_is_refused(honest, tmp_path, kind):
    source = honest[kind]
    before = verdicts([source])[str(source)]
    assert before["verdict"] == ("no_claim" if kind == "public" else "holds"), before["reason"]
    first = list(RUNS).index(kind)
    kinds = forged_runs.REFUSED if first == 0 else every_fourth(forged_runs.REFUSED, first)
    if kind == "clock":
        kinds = {**kinds, **forged_runs.CLOCK}
    if kind == "strict":
        kinds = {**kinds, **forged_runs.STRICT}
    kinds = {name: kinds[name] for name in tenth(kinds)}
    count = refused(source, tmp_path, kinds, forged_runs.NOT_HERE[kind])
    assert count >= (110 if first == 0 else 20) // (1 if ALL else 20)


def test_what_the_file_does_not_tell(honest, tmp_path):
    """Each with its reason; a rerun detects those that follow from the run."""
    source = honest["synchronous"]
    changes = {name: change for _, kinds in forged_runs.UNSEEN.values() for name, change in kinds.items()}
    made = forgeries(source, tmp_path, changes)
    assert len(made) == len(changes)
    found = verdicts(list(made))
    assert {made[Path(file)]: answer["verdict"] for file, answer in found.items()} == dict.fromkeys(changes, "holds")
    again = verdicts(list(made), "--rerun")
    told = {name for file, name in made.items() if again[str(file)]["verdict"] == "fails"}
    assert told == {name for by_rerun, kinds in forged_runs.UNSEEN.values() if by_rerun for name in kinds}


def test_the_guide_lists_what_is_refused():
    """Without --rerun, only with it, and never: the rows of two tables."""
    page = (ROOT / "docs/how-to/verify-a-run.md").read_text(encoding="utf-8")
    rules = {**forged_runs.EVERYWHERE, **forged_runs.SOME_RUNS}
    other, why = forged_runs.OTHER_RUN
    wanted = [*(f"| {subject} | {rule} |" for subject, (rule, _) in rules.items()),
              *(f"| {', '.join(kinds)} | {reason} | {'refused' if by_rerun else 'accepted'} |"
                for reason, (by_rerun, kinds) in forged_runs.UNSEEN.items()), f"| {other} | {why} | refused |"]
    section = page.partition("## Which forgeries")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (?!---).*$(?!\n\| ---)", section, re.M) == wanted  # without the heads of the tables


def test_a_run_dressed_as_another_is_found_by_its_rerun(honest, tmp_path):
    """Less noise than its file claims: the whole file is that of another run except for the results."""
    other = tmp_path / "other.h5"
    experiment = honest["synchronous"].parent / "small.toml"
    assert call("run", experiment, "--set", "privacy.epsilon=0.5", "--quiet", "--output", other).code == 0
    target = tmp_path / "dressed.h5"
    forged_runs.forge(honest["synchronous"], target, forged_runs.dressed_as(other))
    assert verdicts([target])[str(target)]["verdict"] == "holds"  # forged_runs.OTHER_RUN
    result = call("verify", "--rerun", target)
    assert result.code == 4 and "when it is repeated" in result.out


def test_an_honest_run_is_repeated_to_the_bit(honest):
    result = call("verify", "--rerun", "--long", *honest.values())
    assert result.code == 0, "one of them makes no claim, the others hold"
    assert result.out.count("the repeated run has the same columns and models, to the bit") == len(honest)


def test_a_secret_cannot_be_repeated(honest, tmp_path):
    file = tmp_path / "secret.h5"
    experiment = honest["synchronous"].parent / "small.toml"
    assert call("run", experiment, "--set", "privacy.rng=chacha20", "--quiet", "--output", file).code == 0
    assert call("verify", file).code == 0
    result = call("verify", "--rerun", file)
    assert result.code == 5 and "came from a secret" in result.out and "without that the claim holds" in result.out


def test_verify_says_what_it_does_not_show(honest):
    result = call("verify", honest["synchronous"])
    assert "it does not show that the run was executed that way" in result.err and "--rerun" in result.err
    assert "it does not show" not in call("verify", "--rerun", honest["synchronous"]).err


def test_a_repeated_run_without_a_claim_succeeds(honest, tmp_path):
    """Its exit code says whether the bits agree; without --rerun nothing was checked that a script could rely on."""
    assert call("verify", honest["public"]).code == 5
    result = call("verify", "--rerun", honest["public"])
    assert result.code == 0 and "the same columns and models, to the bit" in " ".join(result.out.split()), result.out
    missing = call("verify", "--rerun", honest["public"], tmp_path / "missing.h5")
    assert missing.code == 2


def test_contacts_that_no_server_had_are_refused(real, tmp_path):
    """By verify and by replay, which refuses them before it computes anything."""
    assert verdicts([real])[str(real)]["verdict"] == "no_claim"
    kinds = {name: change for name, change in every_fourth(forged_runs.REFUSED, 0).items()
             if name not in forged_runs.UNKNOWN_IN_REAL_TIME}
    assert refused(real, tmp_path, {**kinds, **forged_runs.CONTACTS}, forged_runs.NOT_HERE["real"]) >= 35
    for name, change in forged_runs.CONTACTS.items():
        forged = tmp_path / "contacts.h5"
        forged_runs.forge(real, forged, change)
        result = call("replay", forged, "--quiet", "--overwrite", "--output", tmp_path / "again.h5")
        assert result.code not in (0, 1), (name, result.out)
        assert any(words in result.err for words in ("contact", "is recorded as", "do not lead")), (name, result.err)


@pytest.mark.parametrize("column", ["objective", "accuracy", "bits_up_payload", "real_time", "mean_norm"])
def test_replay_compares_all_columns_of_rank_0(real, tmp_path, column):
    forged = tmp_path / "forged.h5"
    forged_runs.forge(real, forged, forged_runs.values(f"rounds/{column}", lambda x: x * 0.5))
    result = call("replay", forged, "--quiet", "--output", tmp_path / "again.h5")
    assert result.code == 3 and f"/rounds/{column} is recorded as" in result.err


def test_replay_compares_the_start(real, tmp_path):
    forged = tmp_path / "forged.h5"
    forged_runs.forge(real, forged, forged_runs.values("model/start", lambda x: x + 0.25))
    result = call("replay", forged, "--quiet", "--output", tmp_path / "again.h5")
    assert result.code == 3 and "/model/start is recorded as" in result.err
