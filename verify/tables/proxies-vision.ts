// Zero-cost proxies against the accuracy of vision transformers: AutoFormer-tiny (ImageNet with weights of its supernet,
// CIFAR-100 trained from scratch) and PiT (CIFAR-100), both as Auto-Prox measured them.
//
//   node build/verify/tables/proxies-vision.js DATA SCORES.jsonl [--rows 100] [--seeds 5] [--seconds 3600]
//     [--resolution 224] [--only ntkt,snip]
//
// Scores come into the file as they are found and a second run goes on; --seconds 0 only reports. PiT is no space here, so
// that only what follows from a configuration is scored.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../../src/ops/index.js';
import { combinationNamed } from '../../src/proxies/index.js';
import { autoFormerTiny as space } from '../../src/spaces/transformers/autoformer.js';
import { readTableFile } from '../../src/store/table-file.js';
import { correlationTable, costTable } from './correlations.js';
import {
  agreement,
  drawnRows,
  markdown,
  networkOf,
  type ProxyGroup,
  ScoreFile,
  scoreUntil,
} from './scores.js';
import { pit } from './transformer-tables.js';

/** What is scored together, cheap ones first. */
const GROUPS: readonly ProxyGroup[] = [
  { samples: 1, proxies: ['sept', 'sept:qkv', 'params', 'macs'] },
  { samples: 1, proxies: ['l2_norm'] },
  { samples: 4, proxies: ['snip', 'grad_norm'] },
  { samples: 4, proxies: ['zico'] },
  { samples: 16, proxies: ['naswot'] },
  { samples: 1, proxies: ['meco', 'meco:tokens'] },
  { samples: 1, proxies: ['ntkt'] },
  { samples: 1, proxies: ['ntkt:eq12'] },
  { samples: 1, proxies: ['dss', 'dss:released'] },
  { samples: 5, proxies: ['ld'] },
];

/** Scores that no draw of weights or data changes. */
const FIXED: ReadonlySet<string> = new Set(GROUPS[0]!.proxies);

const COMBINED = ['ntsr', 'ntkt:eq12+sept', 'ntkt+sept:qkv', 'ntkt+sept+params'];

/** Of AutoFormer tiny in Table 1 of ETAS: τ, and the correlation of ranks, of 1,000 networks and 5 seeds. */
const PAPER: Readonly<Record<string, string>> = {
  params: '0.57 / 0.76',
  macs: '0.49 / 0.68',
  snip: '0.56 / 0.74',
  grad_norm: '0.33 / 0.51',
  naswot: '0.54 / 0.71',
  zico: '0.48 / 0.65',
  meco: '0.46 / 0.68',
  'meco:tokens': '0.46 / 0.68',
  dss: '0.66 / 0.80',
  ld: '0.52 / 0.69',
  sept: '0.71 / 0.89',
  ntkt: '0.70 / 0.87',
  ntsr: '0.74 / 0.90',
};

/** The first is what the paper's numbers are of. */
const LABELS = ['imagenet_super_acc', 'c100_base_acc', 'c100_kd_acc'];
const PIT_LABELS = ['c100_base_acc', 'c100_kd_acc', 'flower_base_acc', 'chaoyang_base_acc'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '100' },
    seeds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3600' },
    resolution: { type: 'string', default: '224' },
    only: { type: 'string' },
  },
});
const [data, scores] = positionals;
if (!data || !scores) throw new Error('usage: proxies-vision.js DATA SCORES.jsonl');

const table = await readTableFile(join(data, 'autoformer_tiny.jsonl.gz'));
const rows = drawnRows(table.rows, Number(flags.rows));
const texts = rows.map((row) => space.format(space.parse(table.arch(row))));
const file = new ScoreFile(scores);
const [resolution, seeds] = [Number(flags.resolution), Number(flags.seeds)];
const set = `${space.name} ${resolution}`;
const networks = texts.map((arch) => networkOf(space, arch, { resolution }));
await scoreUntil(file, set, networks, {
  seeds,
  groups: GROUPS,
  fixed: FIXED,
  only: flags.only,
  seconds: Number(flags.seconds),
});

const truthsOf = (label: string): number[] => rows.map((row) => table.column(label)[row]!);
const TRUTHS: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(LABELS.map((label) => [label, truthsOf(label)])),
  // With weights of the supernet, networks of the largest width are four points behind all others, so that whatever grows
  // with width seems to be wrong. Without them, what is left tells something.
  [`${LABELS[0]} without width 240`]: truthsOf(LABELS[0]!).map((accuracy, i) =>
    space.parse(texts[i]!).embedDim === 240 ? Number.NaN : accuracy,
  ),
};
for (const [label, truths] of Object.entries(TRUTHS)) {
  console.log(`${set}: against ${label}\n`);
  const comparison = {
    file,
    set,
    texts,
    truths,
    proxies: GROUPS.flatMap((group) => group.proxies),
    fixed: FIXED,
    combined: COMBINED,
  };
  const paper = label === LABELS[0] ? { paper: PAPER } : {};
  console.log(`${correlationTable({ ...comparison, seeds, ...paper })}\n`);
}
console.log(`${costTable(file, set)}\n`);

const pits = await readTableFile(join(data, 'pit.jsonl.gz'));
const closed = Array.from({ length: pits.rows }, (_, row) => pit(pits.arch(row)));
const sept = closed.map((each) => each.sept);
const parameters = closed.map((each) => each.parameters);
const both = combinationNamed('sept+params').combine([sept, parameters]);
console.log('PiT: τ-b / Spearman\n');
console.log(
  markdown(
    ['proxy', ...PIT_LABELS],
    Object.entries({ sept, params: parameters, 'sept+params': both }).map(([name, values]) => [
      name,
      ...PIT_LABELS.map((label) => {
        const found = agreement(values, [...pits.column(label)])!;
        return `${found.tau.toFixed(3)} / ${found.rho.toFixed(3)}`;
      }),
    ]),
  ),
);
