"""Layers of the presets of problem.layers, and a network of all other kinds of layers."""

PRESETS = {
    "mlp": ["dense 200", "relu", "dense 200", "relu", "dense"],
    "lenet5": ["conv 6 5", "relu", "maxpool 2", "conv 16 5", "relu", "maxpool 2", "dense 120", "relu", "dense 84", "relu",
               "dense"],
    "cnn-femnist": ["conv 32 5 1 2", "relu", "maxpool 2", "conv 64 5 1 2", "relu", "maxpool 2", "dense 2048", "relu",
                    "dense"],
    "resnet20": ["conv 16 3 1 1", "groupnorm 8", "relu"] + [
        item for channels in (16, 32, 64) for block in range(3)
        for item in ("skip", f"conv {channels} 3 {2 if channels > 16 and block == 0 else 1} 1", "groupnorm 8", "relu",
                     f"conv {channels} 3 1 1", "groupnorm 8", "add", "relu")] + ["globalpool", "dense"],
}
PRESETS["resnet18"] = ["conv 64 3 1 1", "groupnorm 32", "relu"] + [
    item for channels in (64, 128, 256, 512) for stride in (1 if channels == 64 else 2, 1)
    for item in ["skip", f"conv {channels} 3 {stride} 1", "groupnorm 32", "relu", f"conv {channels} 3 1 1", "groupnorm 32",
                 *(["shortcut", f"conv {channels} 1 2", "groupnorm 32"] if stride == 2 else []), "add", "relu"]] + [
    "globalpool", "dense"]
PRESETS["transformer-tiny"] = ["embedding 256 64", "positions"] + 2 * [
    "skip", "layernorm", "attention 4", "add", "skip", "layernorm", "conv 256 1", "gelu", "conv 64 1", "add"] + [
    "last", "layernorm", "dense"]
# All other kinds of layers.
OTHERS = ["conv 4 5 2 2", "layernorm", "gelu", "avgpool 2", "conv 6 3", "tanh", "maxpool 3 1", "dense 9", "sigmoid",
          "dense"]
