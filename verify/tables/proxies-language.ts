// Zero-cost proxies against the perplexity of trained language models: GPT-2 and Transformer-XL of Lite Transformer Search
// on WikiText-103, and HW-GPT-Bench S with weights of its supernet.
//
//   node build/verify/tables/proxies-language.js DATA SCORES.jsonl --set lts-gpt2 [--rows 200] [--seeds 5] [--seconds 3600]
//     [--tokens 192] [--vocabulary 50264] [--only ntkt,snip]
//
// Scores come into the file as they are found and a second run goes on; --seconds 0 only reports. Other sets: hwgpt-s,
// transformer-xl, transformer-xl-homogeneous; the last two are no spaces here, so that only what follows from a
// configuration is scored.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../../src/ops/index.js';
import type { Table } from '../../src/datasets/table.js';
import { combinationNamed } from '../../src/proxies/index.js';
import type { AnySpace } from '../../src/spaces/space.js';
import { hwGptS } from '../../src/spaces/transformers/hwgpt.js';
import { decoderParameters, ltsGpt2 } from '../../src/spaces/transformers/lts-gpt2.js';
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
  settingName,
} from './scores.js';
import { transformerXl } from './transformer-tables.js';

interface PerplexitySet {
  readonly file: string;
  /** The lower, the better. */
  readonly label: string;
  readonly space?: AnySpace;
  readonly rows: number;
  readonly tokens: number;
  /** Different tokens, where not all of the space's. */
  readonly vocabulary?: number;
}

const SETS: Readonly<Record<string, PerplexitySet>> = {
  'lts-gpt2': {
    file: 'lts_random_gpt2_wt103',
    label: 'valid_ppl',
    space: ltsGpt2,
    rows: 200,
    tokens: 192,
  },
  // 1,024 tokens and 50,254 different ones of 100 million parameters are a minute a gradient on one core.
  'hwgpt-s': {
    file: 'hwgpt_s_perplexity',
    label: 'perplexity',
    space: hwGptS,
    rows: 500,
    tokens: 64,
    vocabulary: 1000,
  },
  'transformer-xl': {
    file: 'lts_random_transxl_wt103',
    label: 'valid_ppl',
    rows: 200,
    tokens: 192,
  },
  'transformer-xl-homogeneous': {
    file: 'lts_random_transxl_wt103_homogeneous',
    label: 'valid_ppl',
    rows: 98,
    tokens: 192,
  },
};

/** What is scored together, cheap ones first. */
const GROUPS: readonly ProxyGroup[] = [
  { samples: 1, proxies: ['sept', 'sept:qkv', 'params:non-embedding', 'params', 'macs'] },
  { samples: 1, proxies: ['l2_norm'] },
  { samples: 1, proxies: ['ntkt'] },
  { samples: 16, proxies: ['naswot'] },
  { samples: 1, proxies: ['meco', 'meco:tokens'] },
  { samples: 4, proxies: ['snip', 'grad_norm'] },
  { samples: 1, proxies: ['ntkt:eq12'] },
  { samples: 4, proxies: ['zico'] },
  { samples: 5, proxies: ['ld'] },
  { samples: 1, proxies: ['dss'] },
];

/** Scores that no draw of weights or data changes. */
const FIXED: ReadonlySet<string> = new Set(GROUPS[0]!.proxies);

/** Of WikiText-103 in Table 3 of ETAS: τ, and the correlation of ranks. */
const PAPER: Readonly<Record<string, string>> = {
  'params:non-embedding': '0.79 / 0.94',
  macs: '0.65 / 0.80',
  snip: '0.40 / 0.57',
  grad_norm: '0.15 / 0.23',
  naswot: '0.24 / 0.37',
  zico: '0.18 / 0.36',
  meco: '0.49 / 0.65',
  'meco:tokens': '0.49 / 0.65',
  dss: '0.26 / 0.35',
  ld: '0.48 / 0.64',
  sept: '0.78 / 0.94',
  ntkt: '0.80 / 0.96',
  ntsr: '0.81 / 0.98',
};

/** Ranks within the pool that are put together. */
const COMBINED = [
  'ntsr',
  'ntkt:eq12+sept',
  'ntkt+sept:qkv',
  'sept+params:non-embedding',
  'ntkt+sept+params:non-embedding',
];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: 'string', default: 'lts-gpt2' },
    rows: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3600' },
    tokens: { type: 'string' },
    vocabulary: { type: 'string' },
    only: { type: 'string' },
  },
});
const [data, scores] = positionals;
const set = SETS[flags.set];
if (!data || !scores || !set)
  throw new Error(`usage: proxies-language.js DATA SCORES.jsonl --set …\nsets: ${Object.keys(SETS)}`);
const table = await readTableFile(join(data, `${set.file}.jsonl.gz`));
const rows = drawnRows(table.rows, Number(flags.rows ?? set.rows));
if (set.space) await reportSpace(set, set.space, table);
else reportClosed(table);

async function reportSpace(given: PerplexitySet, space: AnySpace, from: Table): Promise<void> {
  const file = new ScoreFile(scores!);
  const resolution = Number(flags.tokens ?? given.tokens);
  const classes = Number(flags.vocabulary ?? given.vocabulary ?? space.defaults.classes);
  const name = settingName(space, { resolution, classes });
  const seeds = Number(flags.seeds);
  const texts = rows.map((row) => space.format(space.parse(from.arch(row))));
  const networks = texts.map((arch) => networkOf(space, arch, { resolution, classes }));
  const seconds = Number(flags.seconds);
  await scoreUntil(file, name, networks, { seeds, groups: GROUPS, fixed: FIXED, only: flags.only, seconds });
  console.log(`${name}: against −${given.label}\n`);
  const comparison = {
    file,
    set: name,
    texts,
    truths: rows.map((row) => -from.column(given.label)[row]!),
    proxies: GROUPS.flatMap((group) => group.proxies),
    fixed: FIXED,
    combined: COMBINED,
    seeds,
  };
  const decoder = () => texts.map((text) => decoderParameters(ltsGpt2.parse(text)));
  const isLts = space === ltsGpt2;
  const lts = isLts
    ? { more: { 'decoder parameters': decoder() }, paper: PAPER, floors: { sept: 0.85, ntsr: 0.8 } }
    : {};
  console.log(correlationTable({ ...comparison, ...lts }));
  console.log(`\n${costTable(file, name)}`);
}

/** What follows from a configuration; the table's own count of parameters says whether ours is right. */
function reportClosed(from: Table): void {
  const closed = rows.map((row) => transformerXl(from.arch(row)));
  const truths = rows.map((row) => -from.column('valid_ppl')[row]!);
  const equal = rows.filter((row, i) => from.column('decoder_params')[row] === closed[i]!.parameters).length;
  const sept = closed.map((each) => each.sept);
  const parameters = closed.map((each) => each.parameters);
  const both = combinationNamed('sept+params').combine([sept, parameters]);
  const line = (name: string, values: readonly (number | undefined)[]): string[] => {
    const found = agreement(values, truths)!;
    return [name, String(found.n), found.tau.toFixed(3), found.rho.toFixed(3)];
  };
  console.log(
    `${flags.set}: against −valid_ppl; parameters equal to the table: ${equal} of ${rows.length}\n`,
  );
  console.log(
    markdown(
      ['proxy', 'networks', 'τ-b', 'Spearman'],
      [line('sept', sept), line('params:non-embedding', parameters), line('sept+params:non-embedding', both)],
    ),
  );
}
