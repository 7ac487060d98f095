"""One sentence for each mistake of a first experiment: what was found, and what to set instead."""
import pytest

from conftest import call

CSV = 'method = "fedavg"\nrounds = 1\nclients = 2\n[data]\nsource = "csv"\ntrain = "t.csv"\ntarget = "y"\n'


def refused(tmp_path, *settings, text='method = "fedavg"\nrounds = 1\nclients = 2\n'):
    file = tmp_path / "e.toml"
    file.write_text(text)
    words = [word for setting in settings for word in ("--set", setting)]
    result = call("run", file, *words, "--data-dir", tmp_path, "--output", tmp_path / "a.h5")
    assert result.code == 2, result.out
    return " ".join(result.err.split())


@pytest.mark.parametrize("setting, hint", [
    ("partition.kind=iid", 'did you mean "shuffled"?'),
    ("partition.kind=IID", 'did you mean "shuffled"?'),
    ("partition.kind=shufled", 'did you mean "shuffled"?'),
    ("data.source=fashion-mnist", 'did you mean "idx"?'),
    ("problem.kind=resnet18", 'set problem.kind = "layers" and problem.layers = "resnet18"'),
    ("problem.kind=pytorch", 'did you mean "plugin"?'),
    ("problem.kind=cnn", 'for generated ones choose data.source = "prototypes"'),
    ("graph.kind=ring", "choose parts that use it: decentralised methods, dsgd, ")])
def test_other_names_of_parts(tmp_path, setting, hint):
    assert hint in refused(tmp_path, setting)


def test_other_names_of_layers_and_graphs(tmp_path):
    layers = "[data]\nsource = 'prototypes'\n[problem]\nkind = 'layers'\nlayers = ['conv 8 3', 'bn', 'dense']\n"
    assert '"bn" is not a layer; did you mean batchnorm?' in refused(
        tmp_path, text="method = 'fedavg'\nrounds = 1\nclients = 2\n" + layers).replace("'", '"') \
        or "bn is not a layer; did you mean batchnorm?" in refused(tmp_path, text="method = 'fedavg'\n" + layers)
    assert 'did you mean "ring"?' in refused(tmp_path, "method=dsgd", "privacy.sigma=0", "graph.kind=rng")


@pytest.mark.parametrize("method, private", [
    ("fedavg", "dp-fedavg-clip"), ("fedprox", "dp-fedavg-clip"), ("scaffold", "dp-scaffold"),
    ("decomfl", "dp-decomfl"), ("gd", "dp-gd"),
    ("compressed-gd", "cdp-sgd"), ("diana", "soteriafl-gd"), ("beer", "porter-dp"), ("porter-gc", "porter-dp")])
def test_a_method_without_privacy_names_its_private_form(tmp_path, method, private):
    assert f"choose method = {private}, or set privacy.sigma = 0" in refused(
        tmp_path, text=f"method = '{method}'\n[privacy]\nepsilon = 2\n")
    assert f"choose method = {private}," in refused(tmp_path, f"method={method}", "privacy.sigma=1")
    assert call("config", tmp_path / "e.toml", "--set", f"method={method}", "--set", "privacy.sigma=0").code == 0


def test_all_columns_without_numbers_are_named_at_once(tmp_path):
    (tmp_path / "t.csv").write_text("born,age,sex,y\n2020-01-03,3,m,0.5\n2021-02-04,4,f,1\n2021-02-05,5,f,2\n")
    text = refused(tmp_path, text=CSV)
    assert 'not numbers: "born" (line 2: "2020-01-03", a date), "sex" (line 2: "m")' in text
    assert 'data.drop = ["born", "sex"]' in text and "convert dates" in text
    assert 'data.drop = ["age", "born", "sex"]' in refused(tmp_path, text=CSV + 'drop = ["age"]\n')
    assert 'take "born", "sex" out of data.columns' in refused(tmp_path, text=CSV + 'columns = ["born", "sex"]\n')
    (tmp_path / "t.csv").write_text("born,age,y\n3/1/2020,3,0.5\n4/2/2021,4,1\n")
    assert '"born" (line 2: "3/1/2020", a date)' in refused(tmp_path, text=CSV)
    (tmp_path / "t.csv").write_text("age,sex,y\n3,m,0.5\n4,f,1\n")
    assert "data.one_hot" in refused(tmp_path, text=CSV)


def test_a_column_of_numbers_with_a_wrong_cell_is_not_dropped(tmp_path):
    (tmp_path / "t.csv").write_text("age,size,sex,y\n3,1,m,0.5\n4o,2,f,1\n5,l,f,2\n")
    text = refused(tmp_path, text=CSV)
    assert 'not numbers: "age" (line 3: "4o"), "size" (line 4: "l"), "sex" (line 2: "m")' in text
    assert 'correct the cells of "age", "size"; set data.drop = ["sex"], or name' in text
    (tmp_path / "t.csv").write_text("age,size,y\n3,1,0.5\n4o,2,1\n5,l,2\n")
    assert refused(tmp_path, text=CSV).endswith('correct the cells of "age", "size"')


@pytest.mark.parametrize("text", ['{"a": 1, "y": 2}\n{"a": 2, "y": 1}\n', '{ "a": 1 }\n', '[{"a": 1}]\n', "[\n {}]\n"])
def test_json_is_recognised(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    assert "t.csv: JSON, not CSV; convert it" in refused(tmp_path, text=CSV)


@pytest.mark.parametrize("targets, classes, says", [
    ("0101", "", True), ("0101", "classes = 0\n", False), ("0101", "classes = 2\n", False), ("0120", "", False)])
def test_targets_of_two_whole_numbers_get_a_note(tmp_path, targets, classes, says):
    (tmp_path / "t.csv").write_text("age,y\n" + "".join(f"{age},{y}\n" for age, y in enumerate(targets)))
    (tmp_path / "e.toml").write_text(CSV + classes)
    result = call("run", tmp_path / "e.toml", "--data-dir", tmp_path, "--output", tmp_path / "a.h5")
    assert result.code == 0, result.err
    assert ("set data.classes = 2 to classify" in " ".join(result.err.split())) == says
