"""Exports whole networks to ONNX together with PyTorch's gradients of their weights.

    python verify/golden/networks.py OUT_DIR [--only REGEX] [--again]

The loss is the mean cross-entropy of the logits, the first output, with random labels. Every variant of a
network in `NETWORKS` becomes a folder OUT_DIR/<name>.<variant> of three files:

model.onnx  ends at the logits
case.json   what goes in, the loss, and which tensors of the file hold which weights (see matching.py), with
            places in data.bin as {"dims", "offset"} in bytes
data.bin    inputs and labels; gradients twice, as torch computes them in float32 ("float32"), and from the
            same weights in float64, stored rounded to float32 ("float64")

and an entry of OUT_DIR/manifest.json, or of its failures, where an exporter refuses. An interrupted run
continues where it stopped; --only takes a regular expression that has to match a whole variant name.

Variants:

torchscript  TorchScript exporter with constant folding, opset 17; batch normalisation is not fused
training     the same, module in training mode: statistics of the batch; dropout is there, but drops nothing.
             Networks with batch normalisation have smooth activations instead of those with a kink: at a
             kink, where rounding decides the sign, PyTorch's own gradients in float32 and float64 differ
dynamo       torch.export exporter, opset 20, optimised: batch normalisation may be fused into a convolution,
             whose weight then has no counterpart in torch and is not compared
dynamo.raw   the same without optimisation, for networks with batch normalisation
dynamo.23    the same as dynamo with opset 23, which has operators for attention and RMS normalisation, for some
             transformers

What holds: weights are random and seeded by the name; none is all zero or one, nor are the statistics of
normalisation, so that no gradient vanishes or is right by chance.
"""

import argparse
import contextlib
import gc
import json
import logging
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Callable
from unittest import mock

import onnx
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[1] / "exports"))
import handwritten as hand  # noqa: E402
import export as corpus  # noqa: E402
from measure import BATCH_NORM, tensors  # noqa: E402
from networks import narrow, torchvision  # noqa: E402
from matching import match  # noqa: E402

BATCH = 2
VARIANTS = ("torchscript", "dynamo", "dynamo.raw", "dynamo.23", "training")


@dataclass
class Network:
    source: str
    build: Callable  # gives (module, {argument: tensor})
    class_axis: int = 1  # of the logits
    training: bool = True  # whether it is also exported in training mode
    has_attention: bool = False  # whether it is also exported with opset 23


NETWORKS: dict[str, Network] = {}


def add(name, *rest, **more):
    assert name not in NETWORKS, name
    NETWORKS[name] = Network(*rest, **more)


# --- torchvision -------------------------------------------------------------------------------

def vision(name, size=64, module="", change=lambda m: m, training=True, argument="x", **options):
    def build():
        root = getattr(torchvision.models, module) if module else torchvision.models
        model = change(getattr(root, name)(weights=None, num_classes=10, **options))
        return model, {argument: torch.randn(BATCH, 3, size, size)}

    add(name, f"torchvision.models.{module + '.' if module else ''}{name}", build, training=training)


def small_classifier(model):
    """VGG and AlexNet have nine tenths of their weights in two linear layers."""
    wide = next(m for m in model.classifier if isinstance(m, nn.Linear)).in_features
    model.classifier = nn.Sequential(nn.Linear(wide, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 10))
    return model


def small_vit():
    model = torchvision.models.VisionTransformer(image_size=64, patch_size=16, num_layers=4, num_heads=3,
                                                 hidden_dim=96, mlp_dim=192, num_classes=10)
    return model, {"x": torch.randn(BATCH, 3, 64, 64)}


def small_maxvit():
    model = torchvision.models.MaxVit((64, 64), stem_channels=16, partition_size=2, block_channels=[16, 32],
                                      block_layers=[1, 2], head_dim=8, stochastic_depth_prob=0.2, num_classes=10)
    return model, {"x": torch.randn(BATCH, 3, 64, 64)}


for name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x1_0", "convnext_tiny", "swin_t", "resnext50_32x4d",
             "mobilenet_v2", "mnasnet0_5", "densenet121", "efficientnet_b0", "regnet_y_400mf", "regnet_x_400mf",
             "squeezenet1_1", "swin_v2_t"):
    vision(name)
vision("googlenet", aux_logits=False, init_weights=False)
vision("inception_v3", 128, aux_logits=False, init_weights=False)
vision("vgg11_bn", 224, change=small_classifier)
vision("alexnet", 224, change=small_classifier)
vision("lraspp_mobilenet_v3_large", module="segmentation", weights_backbone=None, training=False, argument="input")
vision("deeplabv3_mobilenet_v3_large", module="segmentation", weights_backbone=None, training=False)
add("vit", "torchvision.models.VisionTransformer, 4 layers of width 96", small_vit, has_attention=True)
add("maxvit", "torchvision.models.MaxVit, 3 blocks", small_maxvit)

# --- timm --------------------------------------------------------------------------------------


def timm(name, size=64, training=True, resized=False, **options):
    """`resized`: the network is made for this size of image."""
    def build():
        import timm as library
        more = {"img_size": size} if resized else {}
        model = library.create_model(name, pretrained=False, num_classes=10, **more, **options)
        return model, {"x": torch.randn(BATCH, 3, size, size)}

    add(name, f"timm.{name}", build, training=training, has_attention=name.startswith("vit_"))


for name in ("vit_tiny_patch16_224", "deit_tiny_distilled_patch16_224", "xcit_nano_12_p16_224", "cait_xxs24_224"):
    timm(name, resized=True, depth=4)
for name in ("mixer_s16_224", "gmlp_ti16_224", "resmlp_12_224"):
    timm(name, resized=True, num_blocks=4)
for name in ("poolformer_s12", "convnextv2_atto", "ghostnet_100", "repvgg_a0", "eca_nfnet_l0", "mobilevit_xxs",
             "edgenext_xx_small", "mobilenetv4_conv_small", "hrnet_w18_small", "skresnet18", "pvt_v2_b0",
             "resnetv2_50", "res2net50_26w_4s", "fastvit_t8", "efficientvit_b0"):
    timm(name)
timm("efficientformer_l1", 224)
timm("levit_128s", 224)
timm("coatnet_pico_rw_224", 64, resized=True)

# --- transformers ------------------------------------------------------------------------------

WORDS, LENGTH = 200, 12
SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=WORDS)
GROUPED = dict(SMALL, num_key_value_heads=2)


def token_ids(length=LENGTH):
    return torch.randint(3, WORDS - 3, (BATCH, length))


def masked():
    """Token ids, the second sequence being three shorter."""
    mask = torch.ones(BATCH, LENGTH, dtype=torch.int64)
    mask[1, -3:] = 0
    return {"input_ids": token_ids(), "attention_mask": mask}


def hugging(name, model, options, inputs=masked, class_axis=1, attention="eager", training=False):
    def build():
        import transformers
        cls = getattr(transformers, model)
        config = cls.config_class(**options)
        config.use_cache = False
        config._attn_implementation = attention
        values = inputs()
        return narrow(cls(config), list(values)), values

    add(name, f"transformers.{model}", build, class_axis, training, attention == "sdpa")


def images():
    return {"pixel_values": torch.randn(BATCH, 3, 64, 64)}


LM = dict(class_axis=-1)
hugging("gpt2", "GPT2LMHeadModel", dict(n_embd=96, n_layer=4, n_head=4, n_positions=32, vocab_size=WORDS), **LM,
        training=True)
hugging("gpt2_sdpa", "GPT2LMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, n_positions=32, vocab_size=WORDS), **LM,
        attention="sdpa")
hugging("bert_mini", "BertForSequenceClassification",
        dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024, vocab_size=WORDS),
        training=True)
hugging("bert_sdpa", "BertForMaskedLM", SMALL, **LM, attention="sdpa")
hugging("roberta", "RobertaForTokenClassification", SMALL, class_axis=-1)
hugging("albert", "AlbertForSequenceClassification", dict(SMALL, embedding_size=32, num_hidden_layers=4))
hugging("distilbert", "DistilBertForSequenceClassification",
        dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=WORDS), training=True)
hugging("electra", "ElectraForSequenceClassification", dict(SMALL, embedding_size=32))
hugging("deberta_v2", "DebertaV2ForSequenceClassification",
        dict(SMALL, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=32))
hugging("mpnet", "MPNetForSequenceClassification", SMALL)
hugging("squeezebert", "SqueezeBertForSequenceClassification",
        dict(SMALL, embedding_size=64, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1,
             intermediate_groups=2, output_groups=2))
hugging("fnet", "FNetForSequenceClassification", SMALL, lambda: {"input_ids": token_ids()})
hugging("llama", "LlamaForCausalLM", GROUPED, **LM)
hugging("llama_sdpa", "LlamaForCausalLM", GROUPED, **LM, attention="sdpa")
hugging("mistral", "MistralForCausalLM", dict(GROUPED, sliding_window=4), **LM)
hugging("qwen2", "Qwen2ForCausalLM", dict(GROUPED, tie_word_embeddings=True), **LM)
hugging("qwen3", "Qwen3ForCausalLM", dict(GROUPED, head_dim=16), **LM)
hugging("gemma2", "Gemma2ForCausalLM", dict(GROUPED, head_dim=16), **LM)
hugging("phi", "PhiForCausalLM", SMALL, **LM)
hugging("falcon", "FalconForCausalLM", SMALL, **LM)
hugging("gpt_neox", "GPTNeoXForCausalLM", SMALL, **LM)
hugging("gpt_neo", "GPTNeoForCausalLM",
        dict(hidden_size=64, num_layers=2, num_heads=4, vocab_size=WORDS, attention_types=[[["global", "local"], 1]],
             window_size=4, max_position_embeddings=32), **LM)
hugging("opt", "OPTForCausalLM",
        dict(hidden_size=64, ffn_dim=128, num_hidden_layers=2, num_attention_heads=4, word_embed_proj_dim=64,
             vocab_size=WORDS, max_position_embeddings=32), **LM)
hugging("bloom", "BloomForCausalLM", dict(hidden_size=64, n_layer=2, n_head=4, vocab_size=WORDS), **LM)
T5 = dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=WORDS)
PAIR = lambda: {"input_ids": token_ids(), "decoder_input_ids": token_ids(8)}
hugging("t5", "T5ForConditionalGeneration", T5, PAIR, **LM)
hugging("t5_gated", "T5ForConditionalGeneration", dict(T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
        PAIR, **LM)
hugging("bart", "BartForConditionalGeneration",
        dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
             encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=WORDS, max_position_embeddings=32), PAIR, **LM)
hugging("clip", "CLIPModel",
        dict(text_config=dict(SMALL, eos_token_id=2), projection_dim=32,
             vision_config=dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                                image_size=64, patch_size=16)),
        lambda: {"input_ids": token_ids(), "pixel_values": torch.randn(BATCH, 3, 64, 64),
                 "attention_mask": torch.ones(BATCH, LENGTH, dtype=torch.int64)})
hugging("segformer", "SegformerForSemanticSegmentation",
        dict(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 128], decoder_hidden_size=32, num_labels=10), images)
hugging("dinov2", "Dinov2ForImageClassification",
        dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=64, patch_size=16), images)
hugging("wav2vec2", "Wav2Vec2ForSequenceClassification",
        dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, conv_dim=(32,) * 7,
             num_conv_pos_embedding_groups=4, num_conv_pos_embeddings=16, classifier_proj_size=32),
        lambda: {"input_values": torch.randn(BATCH, 4000)})

# --- written by hand ---------------------------------------------------------------------------


class ResizeUNet(nn.Module):
    """A U-Net whose way up is resizing: bilinear, then nearest."""

    def __init__(self):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.SiLU())
        self.down1, self.down2, self.bottom = block(3, 8), block(8, 16), block(16, 16)
        self.merge2, self.merge1, self.out = block(32, 8), block(16, 8), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.avg_pool2d(a, 2))
        c = self.bottom(F.max_pool2d(b, 3, 2, 1))
        b = self.merge2(torch.cat([F.interpolate(c, scale_factor=2, mode="bilinear", align_corners=False), b], 1))
        return self.out(self.merge1(torch.cat([F.interpolate(b, scale_factor=2, mode="nearest"), a], 1)))


def small(name, build, shape, class_axis=1, argument="x", training=True):
    value = lambda: torch.randint(0, 100, shape) if argument == "tokens" else torch.randn(shape)
    add(name, f"{build.__module__}: {name}", lambda: (build(), {argument: value()}), class_axis, training)


small("unet", hand.UNet, (BATCH, 3, 32, 32))
small("unet_resize", ResizeUNet, (BATCH, 3, 32, 32))
small("decoder", hand.decoder, (BATCH, 16), argument="input")
small("conv1d", hand.conv1d, (BATCH, 4, 64), argument="input")
small("conv3d", hand.conv3d, (BATCH, 1, 16, 16, 16), argument="input")
small("prelu", lambda: hand.prelu(8), (BATCH, 3, 16, 16), argument="input")
small("weight_norm", lambda: hand.weight_norm(True), (BATCH, 4, 16), argument="input")
small("transformer_encoder", hand.Encoder, (BATCH, 12, 48), class_axis=-1)
small("lstm", lambda: hand.Recurrent(nn.LSTM), (BATCH, 12), argument="tokens")
small("gru", lambda: hand.Recurrent(nn.GRU), (BATCH, 12), argument="tokens")
small("bilstm2", lambda: hand.Recurrent(nn.LSTM, 2, True), (BATCH, 12), argument="tokens")

# -----------------------------------------------------------------------------------------------


def smoothed():
    """While this lasts, activations have no kinks."""
    silu = lambda x, *rest, **more: F.silu(x)
    sigmoid = lambda x, *rest, **more: torch.sigmoid(x)
    stack = contextlib.ExitStack()
    for key, function in dict(relu=silu, relu6=silu, hardtanh=silu, hardswish=silu, hardsigmoid=sigmoid).items():
        stack.enter_context(mock.patch.object(F, key, function))
    return stack


def build(name, training):
    """The module with its inputs and labels; the same numbers in both modes."""
    network = NETWORKS[name]
    module, inputs = corpus.build(name, network, trained=True)
    with torch.no_grad():
        for p in module.parameters():
            p.requires_grad_(True)
            if p.ndim == 1:  # scales and shifts, which start as ones and zeros
                p.add_(torch.randn_like(p) * 0.1)
    for part in module.modules():
        for key, value in vars(part).items():
            if isinstance(value, float) and (key == "p" or "drop" in key):
                setattr(part, key, 0.0)
    with torch.no_grad():
        logits = next(tensors(module(**inputs))).movedim(network.class_axis, 1)
    labels = torch.randint(0, logits.shape[1], (logits.shape[0], *logits.shape[2:]))
    return module.train(training), inputs, labels


def truth(name, training, dtype):
    """The loss, and its gradients by parameter and by float input. Parameters that it does not depend on have none."""
    module, inputs, labels = build(name, training)
    module.to(dtype)
    inputs = {key: value.to(dtype).requires_grad_() if value.is_floating_point() else value
              for key, value in inputs.items()}
    logits = next(tensors(module(**inputs))).movedim(NETWORKS[name].class_axis, 1)
    loss = F.cross_entropy(logits, labels)
    wanted = {**dict(module.named_parameters()),
              **{key: value for key, value in inputs.items() if value.requires_grad}}
    found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    return loss.item(), {key: value.detach().float() for key, value in zip(wanted, found) if value is not None}


class Blob:
    """Tensors one behind the other."""

    def __init__(self, file):
        self.file = file

    def put(self, tensor):
        array = tensor.contiguous().numpy()
        place = {"dims": list(array.shape), "offset": self.file.tell()}
        self.file.write(array.tobytes())
        return place


def write_case(folder, name, training, truths):
    """case.json and data.bin beside an exported model. Returns what the manifest says of it."""
    model = onnx.load(folder / "model.onnx")
    module, inputs, labels = build(name, training)
    (loss, gradients), (_, precise) = truths
    parameters = dict(module.named_parameters())
    matched = match(model, parameters) + [
        {"parameters": [key], "uses": [{"name": key}], "of": lambda gradients, key=key: gradients[key]}
        for key, value in inputs.items() if value.is_floating_point()]
    types = {torch.float32: "float32", torch.int64: "int64"}
    present = {value.name for value in model.graph.input}
    with open(folder / "data.bin", "wb") as file:
        blob = Blob(file)
        case = {
            "classAxis": NETWORKS[name].class_axis,
            "loss": loss,
            "inputs": {key: {"type": types[value.dtype], **blob.put(value)}
                       for key, value in inputs.items() if key in present},
            "labels": blob.put(labels),
            "weights": [{"parameters": entry["parameters"], "uses": entry["uses"],
                         "float32": blob.put(entry["of"](gradients)), "float64": blob.put(entry["of"](precise))}
                        for entry in matched if all(key in gradients for key in entry["parameters"])],
        }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    held = {key for entry in case["weights"] for key in entry["parameters"]}
    left = [key for key in parameters if key in gradients and key not in held]
    return {"weights": len(case["weights"]), "parameters": sum(key in gradients for key in parameters), "left": left}


def has_batch_norm(name):
    return any(isinstance(module, BATCH_NORM) for module in NETWORKS[name].build()[0].modules())


def variants_of(name, has_norm):
    network = NETWORKS[name]
    some = {"dynamo.raw": has_norm, "dynamo.23": network.has_attention, "training": network.training}
    return [variant for variant in VARIANTS if some.get(variant, True)]


def run(name, wanted, has_norm, out, manifest):
    truths = {}
    for variant in wanted:
        full, training = f"{name}.{variant}", variant == "training"
        is_smooth = training and has_norm
        exporter = "dynamo" if variant.startswith("dynamo") else "torchscript"
        folder = out / full
        folder.mkdir(exist_ok=True)
        try:
            with smoothed() if is_smooth else contextlib.nullcontext():
                module, inputs, _ = build(name, training)
                kind = {"torchscript": "", "training": "nofold", "dynamo.23": "dynamo"}.get(variant, variant)
                with mock.patch.dict(corpus.OPSET, {"dynamo": 23} if variant == "dynamo.23" else {}):
                    corpus.export(module, inputs, folder / "model.onnx", kind, {})
                if training not in truths:
                    truths[training] = [truth(name, training, dtype) for dtype in (torch.float32, torch.float64)]
                entry = write_case(folder, name, training, truths[training])
            manifest.put("networks", {"name": full, "source": NETWORKS[name].source, "exporter": exporter,
                                      "training": training, "smooth": is_smooth, **entry})
            print(f"{full}: {entry['weights']} weights matched, {len(entry['left'])} of {entry['parameters']} parameters "
                  "not in the file", flush=True)
        except Exception as error:  # one exporter's refusal says nothing about the next network
            manifest.fail(full, NETWORKS[name], exporter, error)
        gc.collect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default=".*")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # the fused encoder layer has no ONNX form
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    manifest = corpus.Manifest(options.out / "manifest.json")
    for name in NETWORKS:
        possible = [f"{name}.{variant}" for variant in VARIANTS]
        if not any(re.fullmatch(options.only, full) and (options.again or not manifest.has(full)) for full in possible):
            continue
        try:
            has_norm = has_batch_norm(name)
            wanted = [variant for variant in variants_of(name, has_norm) if re.fullmatch(options.only, f"{name}.{variant}")
                      and (options.again or not manifest.has(f"{name}.{variant}"))]
            run(name, wanted, has_norm, options.out, manifest)
        except Exception as error:
            manifest.fail(name, NETWORKS[name], "none", error)
        gc.collect()
    print(f"{len(manifest.data['networks'])} files, {len(manifest.data['failures'])} failures")


if __name__ == "__main__":
    main()
