"""Makes examples/resnet18.onnx and examples/resnet34.onnx: networks for ImageNet, without their weights.

Usage: python examples/resnets.py examples/

Weights are external data that is not there: a file has some 20 kB. Predicting needs no weights.
"""

import pathlib
import sys
import tempfile

import onnx
import torch
from onnx.external_data_helper import convert_model_to_external_data
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = None
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        width = 64
        for stage, count in enumerate(blocks):
            for i in range(count):
                outputs = 64 * 2**stage
                layers.append(Block(width, outputs, 2 if stage > 0 and i == 0 else 1))
                width = outputs
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


for name, blocks in {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3)}.items():
    torch.manual_seed(0)
    model = ResNet(blocks).eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):  # as if trained: equal tensors would be written once
            for tensor in (module.weight, module.bias, module.running_mean, module.running_var):
                nn.init.uniform_(tensor, 0.5, 1.5)
    print(name, sum(p.numel() for p in model.parameters()), "parameters")
    with tempfile.TemporaryDirectory() as folder:
        whole = f"{folder}/{name}.onnx"
        torch.onnx.export(
            model, torch.zeros(1, 3, 224, 224), whole, input_names=["image"], output_names=["logits"],
            opset_version=17, dynamo=False, training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
        )
        graph = onnx.load(whole)
        convert_model_to_external_data(graph, location=f"{name}.weights", size_threshold=128)
        onnx.save(graph, f"{folder}/{name}.parts.onnx")
        (pathlib.Path(sys.argv[1]) / f"{name}.onnx").write_bytes(pathlib.Path(f"{folder}/{name}.parts.onnx").read_bytes())
