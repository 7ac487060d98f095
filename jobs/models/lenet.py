"""LeNet for MNIST in PyTorch: a model of one's own (problem.kind = "plugin"). See docs/tutorials/own-model.md."""
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.set_num_threads(1)  # every rank has one core


class Model:
    name = "LeNet"

    def __init__(self, features, classes):
        self.classes = classes
        self.side = round(features**0.5)
        self.net = self.build()
        self.parameters = sum(p.numel() for p in self.net.parameters())

    def build(self):
        size = ((self.side - 4) // 2 - 4) // 2
        return nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(16 * size * size, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, self.classes))

    def start(self, seed):
        torch.manual_seed(seed)
        return parameters_to_vector(self.build().parameters()).detach().numpy()

    def outputs(self, x, records):
        vector_to_parameters(torch.from_numpy(x), self.net.parameters())
        return self.net(torch.from_numpy(records).reshape(-1, 1, self.side, self.side))

    def gradient(self, x, records, labels):
        """The sum of the losses of the records, and the sum of their gradients."""
        loss = functional.cross_entropy(self.outputs(x, records), torch.from_numpy(labels).long(), reduction="sum")
        gradient = torch.autograd.grad(loss, list(self.net.parameters()))
        return loss.item(), parameters_to_vector(gradient).numpy()

    def predict(self, x, records):
        with torch.no_grad():
            return self.outputs(x, records).argmax(dim=1).numpy()
