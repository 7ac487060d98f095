"""A list of experiments for jobs/reproduce, one of which has a sweep of a second."""

SWEEP = """name = "tiny"
experiment = "{root}/jobs/experiments/norm-quad.toml"
[set]
rounds = 30
clients = 10
data.functions = 10
data.features = 20
data.rank = 5
[axes]
bound.threshold = [100]
method = ["dp-fedavg-clip", "dp-normfedavg"]
start.scale = [1.0, 0.2]
local.rate = [0.001]
[[zip]]
seed = [1, 2, 3]
data.seed = [1, 2, 3]
"""
LIST = """[papers]
MADE = "Made up"
[rules.norm-quad-traj]
sweeps = ["tiny"]
data = [{data}]
[experiments."MADE-UP"]
paper = "MADE"
figure = "figure 1"
expected = "nothing"
rules = ["norm-quad-traj"]
[experiments."MADE-GONE"]
paper = "MADE"
figure = "figure 2"
expected = "nothing"
reason = "it was made up"
substitutes = ["MADE-UP"]
"""
