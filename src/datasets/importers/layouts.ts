// Tables that others publish as CSV or JSON lines, each known by its columns or keys and not by its file's name.
// One entry says the space, where the architecture's text is, and what the labels mean.
import type { Label } from '../table.js';

/** A label and the column, or path of keys joined by dots, it comes from. */
interface LabelSource extends Label {
  readonly from: string;
}

/** A piece of an architecture's text: a column, perhaps with its spaces replaced, or a text as it is. */
export type ArchPart = { readonly column: string; readonly spaces?: string } | { readonly text: string };

export interface Layout {
  /** What it is, for people. */
  readonly title: string;
  readonly format: 'csv' | 'jsonl';
  readonly space: string;
  /** Columns or paths that no other layout has together. */
  readonly has: readonly string[];
  readonly arch: readonly ArchPart[];
  readonly labels: readonly LabelSource[];
  /** Columns of words to keep. */
  readonly texts?: readonly string[];
}

type Describe = (provenance: string, unit?: string) => (name: string, from?: string) => LabelSource;

const higher: Describe = (provenance, unit = '') => {
  return (name, from = name) => ({ name, from, unit, better: 'higher', provenance });
};
const lower: Describe = (provenance, unit = '') => {
  return (name, from = name) => ({ name, from, unit, better: 'lower', provenance });
};

const ARCH = [{ column: 'arch' }];

const each = (names: string, describe: (name: string) => LabelSource): LabelSource[] =>
  names.split(' ').map((name) => describe(name));

const NB101 = 'NAS-Bench-101 (Ying et al. 2019), CIFAR-10';
const NB201 = 'NAS-Bench-201 (Dong & Yang 2020), 200 epochs';
const NATS_SIZE = 'NATS-Bench, size space (Dong et al. 2021)';
const TRANSNAS = 'TransNAS-Bench-101, cells (Duan et al. 2021): validation metric';
const HELP = 'latency as collected by HELP (Lee et al. 2021); a number after the device is the batch size';
const SUITE_ZERO = 'zero-cost score published with NAS-Bench-Suite-Zero (Krishnakumar et al. 2022)';
const ACCEL = 'Accel-NASBench (Ahmad et al. 2024)';
const LTS = 'Lite Transformer Search (Javaheripi et al. 2022), trained on WikiText-103';
const HW_GPT = 'HW-GPT-Bench (Sukthanker et al. 2024), GPT-S';
const AUTO_PROX = 'Auto-Prox (Wei et al. 2024)';

const score = higher(SUITE_ZERO);
const latency = lower(HELP, 'ms');

/** Fields of Lite Transformer Search that all its tables have. */
const LTS_LABELS: readonly LabelSource[] = [
  lower(`${LTS}: perplexity on the test set`)('test_ppl', 'ppl.test_ppl'),
  lower(`${LTS}: perplexity on the validation set`)('valid_ppl', 'ppl.valid_ppl'),
  lower(`${LTS}: time of the training`, 's')('train_seconds', 'ppl.train_elapsed'),
  lower(`${LTS}: all parameters`)('params', 'params.total'),
  lower(`${LTS}: parameters without embeddings`)('decoder_params', 'params.nonembedding'),
  lower(`${LTS}: parameters of the adaptive embedding`)('embedding_params', 'params.AdaEmb'),
  lower(`${LTS}: parameters of attention`)('attention_params', 'params.Attn'),
  lower(`${LTS}: parameters of feed-forward layers`)('ffn_params', 'params.FFN'),
];

/** CIFAR-100, Flowers, Chaoyang: trained plainly and with a teacher. */
const VIT_LABELS: readonly LabelSource[] = [
  ['c100', 'CIFAR-100'] as const,
  ['flower', 'Flowers'] as const,
  ['chaoyang', 'Chaoyang'] as const,
].flatMap(([key, set]) => [
  higher(`${AUTO_PROX}: accuracy on ${set}, trained from scratch`, '%')(`${key}_base_acc`),
  higher(`${AUTO_PROX}: accuracy on ${set}, trained with knowledge distillation`, '%')(`${key}_kd_acc`),
]);

const GPUS = 'P100 a100 a40 a6000 h100 rtx2080 rtx3080 v100';
// Without cpu_meta, whose numbers are milliseconds in some rows and seconds in others.
const CPUS = 'cpu_a6000 cpu_alldlc cpu_mlgpu cpu_p100 helix_cpu';
// Without P100 and cpu_p100, which are zero throughout: they were not measured.
const METERED = 'a100 a40 a6000 h100 rtx2080 rtx3080 v100 cpu_a6000 cpu_alldlc cpu_mlgpu helix_cpu';

export const LAYOUTS: readonly Layout[] = [
  {
    title: 'NAS-Bench-101',
    format: 'csv',
    space: 'nasbench101',
    has: ['vertices', 'adjacency', 'ops', 'test_accuracy'],
    arch: [
      { column: 'vertices' },
      { text: ':' },
      { column: 'adjacency' },
      { text: ':' },
      { column: 'ops', spaces: ',' },
    ],
    labels: [
      higher(`${NB101}: test accuracy after 108 epochs, mean of 3 runs`, 'fraction')('test_accuracy'),
      ...['one_run', '4', '12', '36'].map((which) =>
        higher(
          `${NB101}: validation accuracy of one run of ${which === 'one_run' ? 108 : which} epochs`,
          'fraction',
        )(`val_accuracy_${which}`),
      ),
      lower(`${NB101}: time of the training`, 's')('train_seconds'),
      lower(`${NB101}: trainable parameters`)('params'),
    ],
  },
  {
    title: 'NAS-Bench-201, accuracies',
    format: 'csv',
    space: 'nasbench201',
    has: ['arch', 'cifar10_test', 'cifar100_test', 'imagenet16_test'],
    arch: ARCH,
    labels: [
      higher(`${NB201}: test accuracy on CIFAR-10`, '%')('cifar10_test'),
      higher(`${NB201}: test accuracy on CIFAR-100`, '%')('cifar100_test'),
      higher(`${NB201}: test accuracy on ImageNet16-120`, '%')('imagenet16_test'),
      higher(`${NB201}: validation accuracy on CIFAR-10`, '%')('cifar10_valid'),
      lower('NAS-Bench-201: millions of parameters', 'M')('params_M'),
    ],
  },
  {
    title: 'NAS-Bench-201, latencies of HELP',
    format: 'csv',
    space: 'nasbench201',
    has: ['arch', '1080ti_256', 'titanxp_256', 'eyeriss'],
    arch: ARCH,
    labels: each(
      '1080ti_1 1080ti_256 1080ti_32 2080ti_1 2080ti_256 2080ti_32 essential_ph_1 eyeriss fpga gold_6240 pixel2 pixel3 samsung_a50 samsung_s7 silver_4114 silver_4210r titan_rtx_1 titan_rtx_32 titanx_1 titanx_256 titanx_32 titanxp_1 titanxp_256 titanxp_32',
      latency,
    ),
  },
  {
    title: 'NAS-Bench-201, published zero-cost scores',
    format: 'csv',
    space: 'nasbench201',
    has: ['arch', 'epe_nas', 'jacov', 'synflow', 'zen'],
    arch: ARCH,
    labels: [
      ...each('epe_nas fisher grad_norm grasp jacov l2_norm nwot plain snip synflow zen', score),
      lower('NAS-Bench-Suite-Zero: millions of FLOPs', 'M')('flops'),
      lower('NAS-Bench-Suite-Zero: millions of parameters', 'M')('params'),
    ],
  },
  {
    title: 'NATS-Bench, size space',
    format: 'csv',
    space: 'nats-size',
    has: ['channels', 'cifar10', 'cifar100', 'imagenet16_120'],
    arch: [{ column: 'channels' }],
    labels: [
      higher(`${NATS_SIZE}: accuracy on CIFAR-10`, '%')('cifar10'),
      higher(`${NATS_SIZE}: accuracy on CIFAR-100`, '%')('cifar100'),
      higher(`${NATS_SIZE}: accuracy on ImageNet16-120`, '%')('imagenet16_120'),
    ],
  },
  {
    title: 'TransNAS-Bench-101, cells',
    format: 'csv',
    space: 'transnas-micro',
    has: ['arch', 'class_object', 'class_scene', 'room_layout', 'segmentsemantic'],
    arch: ARCH,
    labels: [
      ...each('class_object class_scene', higher(`${TRANSNAS}, top-1 accuracy on Taskonomy`, '%')),
      ...each('autoencoder jigsaw normal segmentsemantic', higher(`${TRANSNAS} of the task`)),
      higher(`${TRANSNAS} of the task, minus the loss`)('room_layout'),
    ],
  },
  {
    title: 'FBNet, latencies of HELP',
    format: 'csv',
    space: 'fbnet',
    has: ['arch', '1080ti_64', 'samsung_s7', 'titanxp_64'],
    arch: ARCH,
    labels: each(
      '1080ti_1 1080ti_32 1080ti_64 2080ti_1 2080ti_32 2080ti_64 essential_ph_1 eyeriss fpga gold_6240 pixel2 pixel3 samsung_a50 samsung_s7 silver_4114 silver_4210r titan_rtx_1 titan_rtx_32 titan_rtx_64 titanx_1 titanx_32 titanx_64 titanxp_1 titanxp_32 titanxp_64',
      latency,
    ),
  },
  {
    title: 'Once-for-All MobileNetV3, latencies of HELP',
    format: 'csv',
    space: 'ofa-mobilenetv3',
    has: ['arch', 'v100_64', 'titan_xp_64', '2080ti_64'],
    arch: ARCH,
    labels: each(
      '2080ti_1 2080ti_32 2080ti_64 titan_rtx_1 titan_rtx_32 titan_rtx_64 titan_xp_1 titan_xp_32 titan_xp_64 v100_1 v100_32 v100_64',
      latency,
    ),
  },
  {
    title: 'NAS-Bench-301, sample of NASLib',
    format: 'jsonl',
    space: 'darts',
    has: ['arch', 'val_accuracy', 'epe_nas', 'jacov'],
    arch: ARCH,
    labels: [
      higher(
        'validation accuracy on CIFAR-10 as the surrogate of NAS-Bench-301 predicts it (Zela et al. 2022)',
        '%',
      )('val_accuracy'),
      ...each('epe_nas fisher grad_norm grasp jacov l2_norm nwot plain snip synflow', score),
      lower('NAS-Bench-Suite-Zero: millions of FLOPs', 'M')('flops'),
      lower('NAS-Bench-Suite-Zero: millions of parameters', 'M')('params'),
    ],
  },
  {
    title: 'Once-for-All MobileNetV3, accuracy and memory',
    format: 'jsonl',
    space: 'ofa-mobilenetv3',
    has: ['arch.ks', 'arch.e', 'arch.d', 'accuracy', 'peak_memory'],
    arch: ARCH,
    labels: [
      higher(
        'accuracy on ImageNet with weights of the supernet (memory-optimized once-for-all)',
        'fraction',
      )('accuracy'),
      lower(
        'largest count of inputs, outputs and weights of one layer (memory-optimized once-for-all)',
        'elements',
      )('peak_memory'),
    ],
  },
  {
    title: 'Once-for-All MobileNetV3, DyNAS-T',
    format: 'csv',
    space: 'ofa-mobilenetv3',
    has: ['arch', 'params', 'macs', 'imagenet_top1'],
    arch: ARCH,
    labels: [
      higher(
        'accuracy on ImageNet with weights of the supernet, of a search (DyNAS-T)',
        '%',
      )('imagenet_top1'),
      lower('DyNAS-T: parameters of the subnet')('params'),
      lower('DyNAS-T: MACs of the subnet')('macs'),
    ],
  },
  {
    title: 'Accel-NASBench',
    format: 'jsonl',
    space: 'accel-mnasnet',
    has: ['architecture.block0_e', 'metrics.val_top1', 'platform_perf'],
    arch: [{ column: 'architecture' }],
    labels: [
      higher(`${ACCEL}: top-1 accuracy on ImageNet, trained with a proxy recipe`, '%')(
        'val_top1',
        'metrics.val_top1',
      ),
      higher(`${ACCEL}: top-5 accuracy on ImageNet, trained with a proxy recipe`, '%')(
        'val_top5',
        'metrics.val_top5',
      ),
      lower(`${ACCEL}: time of the training`, 's')('train_seconds', 'metrics.train_time'),
      lower(`${ACCEL}: millions of MACs`, 'M')('macs_M', 'model_info.macs'),
      lower(`${ACCEL}: millions of parameters`, 'M')('params_M', 'model_info.params'),
      ...each('zcu102 vck190', (device) =>
        lower(`${ACCEL}: measured on ${device}`, 'ms')(
          `latency_${device}`,
          `platform_perf.latency_${device}.latency_mean`,
        ),
      ),
      ...each('a100 3090 tpuv2 tpuv3 zcu102 vck190', (device) =>
        higher(`${ACCEL}: measured on ${device}`, 'images/s')(
          `throughput_${device}`,
          `platform_perf.throughput_${device}.throughput_mean`,
        ),
      ),
    ],
  },
  {
    title: 'Lite Transformer Search, GPT-2',
    format: 'jsonl',
    space: 'lts-gpt2',
    has: ['config.n_layer', 'config.d_inner', 'ppl.test_word_ppl'],
    arch: [{ column: 'config' }],
    labels: [
      ...LTS_LABELS,
      lower(`${LTS}: perplexity per word on the test set`)('test_word_ppl', 'ppl.test_word_ppl'),
    ],
  },
  {
    title: 'Lite Transformer Search, Transformer-XL',
    format: 'jsonl',
    space: 'lts-transformer-xl',
    has: ['config.n_layer', 'config.d_inner', 'config.warmup_step', 'ppl.test_ppl'],
    arch: [{ column: 'config' }],
    labels: LTS_LABELS,
  },
  {
    title: 'HW-GPT-Bench S, hardware',
    format: 'jsonl',
    space: 'hwgpt-s',
    has: ['arch.sample_embed_dim', 'lat.a100', 'energy_wh.a100'],
    arch: ARCH,
    labels: [
      ...each(GPUS, (device) =>
        lower(`${HW_GPT}: latency measured on ${device}`, 'ms')(`lat_${device}`, `lat.${device}`),
      ),
      ...each(CPUS, (device) =>
        lower(`${HW_GPT}: latency measured on ${device}`, 's')(`lat_${device}`, `lat.${device}`),
      ),
      ...each(METERED, (device) =>
        lower(`${HW_GPT}: energy measured on ${device}`, 'Wh')(`energy_${device}`, `energy_wh.${device}`),
      ),
      lower(`${HW_GPT}: FLOPs`)('flops'),
      lower(`${HW_GPT}: parameters`)('params'),
    ],
  },
  {
    title: 'HW-GPT-Bench S, perplexity',
    format: 'jsonl',
    space: 'hwgpt-s',
    has: ['arch.sample_embed_dim', 'perplexity', 'accuracy'],
    arch: ARCH,
    labels: [
      lower(`${HW_GPT}: perplexity on OpenWebText with weights of the supernet`)('perplexity'),
      higher(`${HW_GPT}: accuracy of the next token with weights of the supernet`, 'fraction')('accuracy'),
    ],
  },
  {
    title: 'AutoFormer tiny, Auto-Prox',
    format: 'jsonl',
    space: 'autoformer-tiny',
    has: ['arch.hidden_dim', 'arch.num_heads', 'c100_base_acc'],
    arch: ARCH,
    labels: [
      ...VIT_LABELS,
      higher(
        `${AUTO_PROX}: accuracy on ImageNet with weights of AutoFormer's supernet`,
        '%',
      )('imagenet_super_acc'),
    ],
  },
  {
    title: 'PiT, Auto-Prox',
    format: 'jsonl',
    space: 'pit',
    has: ['arch.base_dim', 'arch.num_heads', 'c100_base_acc'],
    arch: ARCH,
    labels: VIT_LABELS,
  },
];
