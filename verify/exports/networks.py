"""The networks of the corpus. Each is built from its configuration with random weights: nothing is
downloaded. `NETWORKS` maps a name to a Network; `build()` gives (module, {argument: tensor})."""

import inspect
from dataclasses import dataclass, field
from typing import Callable

import torch

import handwritten as hand
from measure import tensors

IMAGE = (1, 3, 224, 224)


@dataclass
class Network:
    source: str
    family: str
    build: Callable
    dynamic: dict = field(default_factory=dict)  # {argument: {axis: name}}, for the dynamic variants
    variants: tuple = ()  # beyond the two plain exports: see export.py
    note: str = ""


NETWORKS: dict[str, Network] = {}


def add(name, source, family, build, **rest):
    assert name not in NETWORKS, name
    NETWORKS[name] = Network(source, family, build, **rest)


def import_torchvision():
    """torchvision, also where its compiled extension was built for another torch: its import then
    stops at operators (box suppression) that no network here calls, so they are declared by hand."""
    try:
        import torchvision
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
        torchvision.declared = library  # the declarations last as long as this object
    return torchvision


torchvision = import_torchvision()  # before transformers and timm, which import it too


# --- torchvision -------------------------------------------------------------------------------

def vision(name, family="cnn", shape=IMAGE, module="models", argument="x", variants=(), note="", **options):
    def build():
        root = torchvision.models
        for part in module.split(".")[1:]:
            root = getattr(root, part)
        return getattr(root, name)(weights=None, **options), {argument: torch.randn(shape)}

    add(name, f"torchvision.{module}.{name}", family, build,
        dynamic={argument: {0: "batch"}}, variants=variants, note=note)


ALL = ("nofold", "dynamic", "fresh", "fused", "dynamo.dynamic")
vision("resnet18", variants=ALL)
vision("mobilenet_v2", variants=("nofold", "dynamic", "fused"))
vision("vit_b_16", "transformer", variants=("nofold", "dynamic", "dynamo.raw"))
vision("swin_t", "transformer", variants=("nofold", "dynamic", "dynamo.raw"))
vision("resnet50")
vision("resnext50_32x4d")
vision("wide_resnet50_2")
vision("vgg11")
vision("vgg16_bn", variants=("fused",))
vision("alexnet", variants=("nofold",))
vision("densenet121", variants=("dynamic", "fused"))
vision("googlenet", variants=("fused",), aux_logits=False, init_weights=False,
       note="aux_logits=False: no auxiliary heads")
vision("inception_v3", shape=(1, 3, 299, 299), aux_logits=False, init_weights=False,
       note="aux_logits=False: no auxiliary head")
vision("mobilenet_v3_small", variants=("fresh",))
vision("mobilenet_v3_large")
vision("mnasnet1_0")
vision("shufflenet_v2_x1_0", variants=("nofold", "dynamic", "fused"))
vision("squeezenet1_0")
vision("squeezenet1_1")
vision("efficientnet_b0", variants=("dynamic", "fused"))
vision("efficientnet_v2_s")
vision("regnet_y_400mf")
vision("regnet_x_400mf")
vision("convnext_tiny", variants=("nofold", "dynamo.dynamic"))
vision("vit_b_32", "transformer")
vision("swin_v2_t", "transformer", variants=("nofold",))
vision("maxvit_t", "transformer")
vision("fcn_resnet50", module="models.segmentation", weights_backbone=None)
vision("deeplabv3_mobilenet_v3_large", module="models.segmentation", weights_backbone=None)
vision("lraspp_mobilenet_v3_large", module="models.segmentation", weights_backbone=None, argument="input")
vision("r3d_18", shape=(1, 3, 8, 112, 112), module="models.video")

# --- transformers ------------------------------------------------------------------------------

TOKENS = (1, 16)
SEQUENCE = {"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "sequence"}}
SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
SEQ2SEQ = dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
               encoder_ffn_dim=128, decoder_ffn_dim=128)


def narrow(module, arguments):
    """Gives the module a forward with just these arguments, whose result is a tuple of tensors: the
    exporters trip over optional arguments, caches and dataclass results. Parameter names stay."""
    original = module.forward

    def forward(*args, **kwargs):
        return tuple(tensors(original(**dict(zip(arguments, args)), **kwargs)))

    forward.__signature__ = inspect.Signature(
        [inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD) for key in arguments])
    module.forward = forward
    return module


def hugging(name, model, config, inputs="text", attention="eager", part="", options=None, variants=(), note="",
            family="transformer"):
    """`inputs` is "text" (ids and mask), "ids", or {argument: shape} of float inputs."""
    def build():
        import transformers
        chosen = config(transformers) if callable(config) else getattr(transformers, config)(**(options or {}))
        chosen.use_cache = False
        chosen._attn_implementation = attention
        module = getattr(transformers, model)(chosen)
        for step in filter(None, part.split(".")):
            module = getattr(module, step)
        if inputs in ("text", "ids"):
            values = {"input_ids": torch.randint(3, 90, TOKENS)}
            if inputs == "text":
                values["attention_mask"] = torch.ones(TOKENS, dtype=torch.int64)
        else:
            values = {key: shape if isinstance(shape, torch.Tensor) else torch.randn(shape)
                      for key, shape in inputs.items()}
        return narrow(module, list(values)), values

    dynamic = {k: SEQUENCE[k] for k in (["input_ids", "attention_mask"] if inputs == "text" else ["input_ids"])} \
        if inputs in ("text", "ids") else {key: {0: "batch"} for key in inputs}
    add(name, f"transformers.{model}" + (f".{part}" if part else ""), family, build,
        dynamic=dynamic, variants=variants, note=note)


PIXELS = {"pixel_values": IMAGE}
hugging("gpt2", "GPT2Model", "GPT2Config", variants=("nofold", "dynamic", "dynamo.raw", "dynamo.dynamic"))
hugging("gpt2_lm", "GPT2LMHeadModel", "GPT2Config", variants=("nofold",), note="lm_head is tied to wte")
hugging("bert", "BertModel", "BertConfig", variants=("nofold", "dynamic", "dynamo.raw", "dynamo.dynamic"))
hugging("bert_classifier", "BertForSequenceClassification", "BertConfig", options=SMALL)
hugging("bert_mlm", "BertForMaskedLM", "BertConfig", options=SMALL, variants=("nofold", "fresh", "dynamo.raw"),
        note="the decoder is tied to the word embeddings")
hugging("bert_sdpa", "BertModel", "BertConfig", attention="sdpa", options=SMALL)
hugging("gpt2_small_lm", "GPT2LMHeadModel", "GPT2Config", attention="sdpa",
        options=dict(n_embd=64, n_layer=2, n_head=4), variants=("fresh", "dynamic", "dynamo.raw"),
        note="lm_head is tied to wte")
hugging("distilbert", "DistilBertModel", "DistilBertConfig",
        options=dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128))
hugging("distilbert_sinusoidal", "DistilBertModel", "DistilBertConfig",
        options=dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, sinusoidal_pos_embds=True),
        note="the position table is a parameter that is not trained")
hugging("roberta", "RobertaModel", "RobertaConfig", options=SMALL, variants=("dynamic",))
hugging("albert", "AlbertModel", "AlbertConfig", options=dict(SMALL, embedding_size=32, num_hidden_layers=4),
        note="one layer applied four times")
hugging("electra", "ElectraModel", "ElectraConfig", options=dict(SMALL, embedding_size=32))
hugging("t5_encoder", "T5EncoderModel", "T5Config",
        options=dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4), variants=("nofold", "dynamic"))
hugging("t5_gated_encoder", "T5EncoderModel", "T5Config",
        options=dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, feed_forward_proj="gated-gelu"))
hugging("whisper_encoder", "WhisperModel", "WhisperConfig", {"input_features": (1, 80, 3000)}, part="encoder",
        options=dict(SEQ2SEQ, decoder_layers=1),
        note="the sinusoidal position table is a parameter that is not trained")
hugging("llama", "LlamaModel", "LlamaConfig", options=dict(SMALL, vocab_size=1000, num_key_value_heads=2),
        variants=("nofold", "dynamic", "dynamo.raw", "dynamo.dynamic"))
hugging("llama_lm", "LlamaForCausalLM", "LlamaConfig", options=dict(SMALL, vocab_size=1000, num_key_value_heads=4))
hugging("qwen2_lm", "Qwen2ForCausalLM", "Qwen2Config",
        options=dict(SMALL, vocab_size=1000, num_key_value_heads=2, tie_word_embeddings=True),
        note="lm_head is tied to embed_tokens")
hugging("gemma", "GemmaModel", "GemmaConfig", options=dict(SMALL, vocab_size=1000, num_key_value_heads=1, head_dim=16),
        note="RMSNorm multiplies by 1 + weight")
hugging("mistral", "MistralModel", "MistralConfig", options=dict(SMALL, vocab_size=1000, num_key_value_heads=2))
hugging("opt", "OPTModel", "OPTConfig",
        options=dict(hidden_size=64, ffn_dim=128, num_hidden_layers=2, num_attention_heads=4, word_embed_proj_dim=64,
                     vocab_size=1000, max_position_embeddings=128))
hugging("gpt_neox", "GPTNeoXModel", "GPTNeoXConfig", options=dict(SMALL, vocab_size=1000))
hugging("vit_hf", "ViTModel", "ViTConfig", PIXELS, options=SMALL, variants=("nofold",))
hugging("deit", "DeiTModel", "DeiTConfig", PIXELS, options=SMALL)
hugging("clip", "CLIPModel",
        lambda t: t.CLIPConfig(text_config=dict(SMALL, vocab_size=1000, eos_token_id=2), vision_config=dict(SMALL),
                               projection_dim=32),
        {"input_ids": torch.arange(3, 19)[None], "pixel_values": IMAGE,
         "attention_mask": torch.ones(TOKENS, dtype=torch.int64)},
        variants=("nofold", "dynamo.raw"), note="logit_scale is a learned scalar")
hugging("segformer", "SegformerForImageClassification", "SegformerConfig", PIXELS,
        options=dict(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 128]))
hugging("detr", "DetrForObjectDetection",
        lambda t: t.DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
                               backbone_config=t.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 64, 128],
                                                              depths=[1, 1, 1, 1], out_features=["stage4"]),
                               d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
                               decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, num_queries=10),
        PIXELS)
hugging("wav2vec2", "Wav2Vec2Model", "Wav2Vec2Config", {"input_values": (1, 16000)},
        options=dict(SMALL, conv_dim=(32,) * 7, num_conv_pos_embedding_groups=4, num_conv_pos_embeddings=16),
        note="masked_spec_embed belongs to training only")

PAIR = {"input_ids": torch.arange(3, 19)[None], "decoder_input_ids": torch.arange(3, 11)[None]}
hugging("bart", "BartModel", "BartConfig", PAIR, options=dict(SEQ2SEQ, vocab_size=1000, max_position_embeddings=64),
        note="encoder and decoder share their token embeddings")
hugging("marian", "MarianMTModel", "MarianConfig", PAIR,
        options=dict(SEQ2SEQ, vocab_size=1000, pad_token_id=0, max_position_embeddings=64),
        note="the sinusoidal position tables are parameters that are not trained; the output projection is tied, "
             "its bias a buffer")
hugging("t5_lm", "T5ForConditionalGeneration", "T5Config", PAIR,
        options=dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=1000))
hugging("whisper", "WhisperForConditionalGeneration", "WhisperConfig",
        {"input_features": (1, 80, 3000), "decoder_input_ids": torch.arange(3, 11)[None]},
        options=dict(SEQ2SEQ, vocab_size=1000, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                     decoder_start_token_id=1))
hugging("deberta_v2", "DebertaV2Model", "DebertaV2Config", options=dict(SMALL, vocab_size=1000, relative_attention=True,
        pos_att_type=["c2p", "p2c"], position_buckets=32))
hugging("mpnet", "MPNetModel", "MPNetConfig", options=dict(SMALL, vocab_size=1000))
hugging("mobilebert", "MobileBertModel", "MobileBertConfig", options=dict(num_hidden_layers=2, vocab_size=1000))
hugging("squeezebert", "SqueezeBertModel", "SqueezeBertConfig",
        options=dict(SMALL, vocab_size=1000, embedding_size=64, q_groups=2, k_groups=2, v_groups=2,
                     post_attention_groups=1, intermediate_groups=2, output_groups=2))
hugging("bloom", "BloomModel", "BloomConfig", options=dict(hidden_size=64, n_layer=2, n_head=4, vocab_size=1000))
hugging("falcon", "FalconModel", "FalconConfig", options=dict(SMALL, vocab_size=1000))
hugging("phi", "PhiForCausalLM", "PhiConfig", options=dict(SMALL, vocab_size=1000))
hugging("gemma2", "Gemma2ForCausalLM", "Gemma2Config",
        options=dict(SMALL, vocab_size=1000, num_key_value_heads=2, head_dim=16))
hugging("gpt_neo", "GPTNeoForCausalLM", "GPTNeoConfig",
        options=dict(hidden_size=64, num_layers=2, num_heads=4, vocab_size=1000,
                     attention_types=[[["global", "local"], 1]]))
hugging("fnet", "FNetModel", "FNetConfig", "ids", options=dict(SMALL, vocab_size=1000))
hugging("dinov2", "Dinov2Model", "Dinov2Config", PIXELS, options=SMALL,
        note="the mask token belongs to pre-training only")
hugging("convnextv2", "ConvNextV2Model", "ConvNextV2Config", PIXELS,
        options=dict(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 128]), family="cnn")
hugging("swin_hf", "SwinModel", "SwinConfig", PIXELS, options=dict(embed_dim=24, depths=[2, 2], num_heads=[2, 4]))
hugging("hubert", "HubertModel", "HubertConfig", {"input_values": (1, 16000)},
        options=dict(SMALL, conv_dim=(32,) * 7, num_conv_pos_embedding_groups=4, num_conv_pos_embeddings=16),
        note="masked_spec_embed belongs to training only")
hugging("resnet_hf", "ResNetForImageClassification", "ResNetConfig", PIXELS,
        options=dict(embedding_size=16, hidden_sizes=[16, 32, 64, 128], depths=[1, 1, 1, 1]), family="cnn")
hugging("dpt", "DPTForDepthEstimation", "DPTConfig", PIXELS,
        options=dict(SMALL, image_size=224, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[16, 32, 64, 64],
                     fusion_hidden_size=32, is_hybrid=False, num_hidden_layers=4),
        note="forward skips the final layer norm and one residual branch of the first fusion layer")
hugging("videomae", "VideoMAEModel", "VideoMAEConfig", {"pixel_values": (1, 16, 3, 32, 32)},
        options=dict(SMALL, image_size=32, patch_size=8))

# --- timm --------------------------------------------------------------------------------------


def timm(name, family="transformer", shape=IMAGE, variants=(), note="", **options):
    def build():
        import timm as library
        return library.create_model(name, pretrained=False, **options), {"x": torch.randn(shape)}

    add("timm_" + name, f"timm.{name}", family, build, dynamic={"x": {0: "batch"}}, variants=variants, note=note)


for name in ("resnet50d", "ghostnet_100", "repvgg_a0", "eca_nfnet_l0", "nf_resnet26"):
    timm(name, "cnn")
for name in ("mixer_s32_224", "poolformer_s12"):
    timm(name, "other")
for name in ("coatnet_0_rw_224", "levit_128s", "mobilevit_xs", "efficientformer_l1", "cait_xxs24_224",
             "xcit_nano_12_p16_224", "beit_base_patch16_224", "twins_svt_small", "pvt_v2_b0", "edgenext_xx_small",
             "fastvit_t8", "tiny_vit_5m_224", "deit3_small_patch16_224"):
    timm(name)

for name in ("hrnet_w18_small", "dla34", "skresnet18", "res2net50_26w_4s", "gcresnet33ts", "mobileone_s0",
             "mobilenetv4_conv_small", "xception41", "selecsls42b", "rexnet_100", "darknet53", "resnetv2_50",
             "convmixer_768_32"):
    timm(name, "cnn")
for name in ("gmlp_s16_224", "resmlp_12_224", "sequencer2d_s"):
    timm(name, "other")
for name in ("visformer_tiny", "botnet26t_256", "halonet26t", "lambda_resnet26t", "volo_d1_224", "crossvit_9_240",
             "pit_ti_224", "efficientvit_b0", "swinv2_cr_tiny_224", "nest_tiny", "focalnet_tiny_srf", "davit_tiny",
             "hiera_tiny_224", "convit_tiny", "tnt_s_patch16_224", "eva02_tiny_patch14_224",
             "vit_relpos_small_patch16_224"):
    timm(name, shape=(1, 3, 240, 240) if "240" in name else (1, 3, 256, 256) if "26t" in name else IMAGE)

# --- written by hand ---------------------------------------------------------------------------


def small(name, family, build, shapes, variants=(), note=""):
    """Shapes of integers are token ids where the argument is called tokens."""
    def inputs():
        return {key: torch.randint(0, 100, shape) if key == "tokens" else torch.randn(shape)
                for key, shape in shapes.items()}

    add("hand_" + name, f"verify/exports/handwritten.py: {name}", family, lambda: (build(), inputs()),
        dynamic={key: {0: "batch"} for key in shapes}, variants=variants, note=note)


nn = torch.nn
X32, X16 = {"input": (1, 3, 32, 32)}, {"input": (1, 3, 16, 16)}
TEXT, SERIES = {"tokens": (2, 12)}, {"x": (2, 12, 48)}
small("lstm", "rnn", lambda: hand.Recurrent(nn.LSTM), TEXT, ("nofold", "dynamic", "dynamo.raw"))
small("gru", "rnn", lambda: hand.Recurrent(nn.GRU), TEXT, ("nofold",))
small("rnn", "rnn", lambda: hand.Recurrent(nn.RNN), TEXT)
small("bilstm2", "rnn", lambda: hand.Recurrent(nn.LSTM, 2, True), TEXT, ("nofold",))
small("bigru2", "rnn", lambda: hand.Recurrent(nn.GRU, 2, True), TEXT)
small("prelu1", "cnn", lambda: hand.prelu(1), X16, ("nofold",))
small("prelu_channel", "cnn", lambda: hand.prelu(8), X16, ("nofold", "dynamo.raw"))
small("decoder", "cnn", hand.decoder, {"input": (1, 16)}, ("fused",))
small("unet", "cnn", hand.UNet, {"x": (1, 3, 32, 32)}, ("dynamic", "fused"))
small("conv1d", "cnn", hand.conv1d, {"input": (1, 4, 64)}, ("nofold", "fused"))
small("conv3d", "cnn", hand.conv3d, {"input": (1, 1, 16, 16, 16)})
small("group_norm", "cnn", hand.group_norm, X16, ("nofold", "dynamo.raw"))
small("instance_norm", "cnn", hand.instance_norm, X16, ("nofold", "dynamo.raw"))
small("unaffine_norms", "cnn", hand.unaffine_norms, X16)
small("transformer_encoder", "transformer", hand.Encoder, SERIES, ("nofold", "dynamo.raw"))
small("transformer_encoder_prenorm", "transformer", lambda: hand.Encoder(True), SERIES)
small("attention", "transformer", hand.Attention, SERIES, ("nofold", "dynamo.raw"))
small("attention_bias_kv", "transformer", lambda: hand.Attention(add_bias_kv=True), SERIES)
small("embedding_linear", "other", hand.EmbeddingLinear, TEXT)
small("scalar", "other", hand.Scalar, {"x": (2, 16)}, ("nofold", "dynamo.raw"))
small("normalised", "cnn", hand.Normalised, {"x": (1, 3, 16, 16)}, ("nofold", "dynamo.raw"))
small("sinusoidal", "other", hand.Sinusoidal, TEXT, ("nofold", "dynamo.raw"))
small("learned_positions", "other", hand.LearnedPositions, TEXT, ("nofold", "dynamo.raw"),
      note="forward reads the first 12 rows of a table of 64")
small("bilinear", "other", hand.Bilinear, {"a": (2, 8), "b": (2, 12)})
small("shared", "cnn", hand.Shared, {"x": (1, 8, 8, 8)}, ("nofold",))
small("tied", "other", lambda: hand.Tied(False), TEXT, ("nofold", "dynamo.raw"))
small("tied_bias", "other", lambda: hand.Tied(True), TEXT, ("nofold", "dynamo.raw"))
small("causal_mask", "transformer", hand.CausalMask, {"x": (2, 16, 32)}, ("nofold", "dynamo.raw"))
small("layer_scale", "transformer", hand.LayerScale, {"x": (2, 3, 32, 32)}, ("nofold", "dynamo.raw"))
small("bare_matrix", "other", hand.BareMatrix, {"x": (2, 16)}, ("nofold", "dynamo.raw"))
small("weight_norm", "cnn", lambda: hand.weight_norm(False), {"input": (1, 4, 16)}, ("nofold", "dynamo.raw"),
      note="a weight is stored as a direction and a magnitude")
small("weight_norm_legacy", "cnn", lambda: hand.weight_norm(True), {"input": (1, 4, 16)}, ("nofold",),
      note="a weight is stored as a direction and a magnitude")
small("mlp", "other", hand.mlp, {"input": (2, 10)}, ("nofold", "fresh"))
small("linear_batch_norm", "other", hand.linear_batch_norm, {"input": (2, 10)}, ("nofold", "dynamo.raw"))
