"""Makes examples/resnet8.onnx: a small residual network for 32x32 images, with fixed random weights.

Usage: python examples/resnet8.py examples/resnet8.onnx
"""

import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = None if stride == 1 and inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.stage1 = Block(16, 16, 1)
        self.stage2 = Block(16, 32, 2)
        self.stage3 = Block(32, 64, 2)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.stage3(self.stage2(self.stage1(self.stem(x)))).mean((2, 3)))


torch.manual_seed(0)
model = ResNet8().eval()
for module in model.modules():
    if isinstance(module, nn.BatchNorm2d):  # as if trained: equal tensors would be written once
        for tensor in (module.weight, module.bias, module.running_mean, module.running_var):
            nn.init.uniform_(tensor, 0.5, 1.5)
print(sum(p.numel() for p in model.parameters()), "parameters")
torch.onnx.export(
    model, torch.zeros(1, 3, 32, 32), sys.argv[1], input_names=["image"], output_names=["logits"],
    opset_version=17, dynamo=False, training=torch.onnx.TrainingMode.PRESERVE,
    do_constant_folding=False,
)
