// The spaces of transformers against published tables: every row is read, its network written, and counted.
//   node build/verify/tables/transformers.js AUTOFORMER_TINY.jsonl.gz LTS_GPT2.jsonl.gz HWGPT_S_HARDWARE.jsonl.gz
//
// The table of AutoFormer has no counts, so the network is compared with the formula of the authors' code. That of
// LiteTransformerSearch has parameters by kind of layer. HW-GPT-Bench has parameters, and FLOPs as DeepSpeed's
// profiler counts them for 8 texts of 1024 tokens: two for each multiply-accumulate of linear layers, five for each
// element of a layer normalisation, one for each of a SiLU; the products of attention are not seen by it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { inferShapes } from '../../src/analysis/infer.js';
import { toldKind } from '../../src/analysis/parameters.js';
import type { Model } from '../../src/graph/graph.js';
import { elementCount } from '../../src/graph/tensor.js';
import { type AutoFormer, autoFormerTiny } from '../../src/spaces/transformers/autoformer.js';
import { hwGptS } from '../../src/spaces/transformers/hwgpt.js';
import { decoderParameters, ltsGpt2 } from '../../src/spaces/transformers/lts-gpt2.js';

type Row = Readonly<Record<string, unknown>>;

function* rowsOf(path: string): Generator<Row> {
  for (const line of gunzipSync(readFileSync(path)).toString('utf8').split('\n')) {
    if (line !== '') yield JSON.parse(line);
  }
}

/** Trained parameters of which the name matches. */
function parameters(model: Model, name = /./): number {
  let count = 0;
  for (const tensor of model.graph.initializers.values()) {
    if (toldKind(tensor) === 'parameter' && name.test(tensor.name)) count += elementCount(tensor);
  }
  return count;
}

/** How many rows of a table agree, by what was compared. */
class Agreement {
  rows = 0;
  readonly #agreed = new Map<string, number>();

  compare(what: string, ours: number, theirs: unknown): void {
    this.#agreed.set(what, (this.#agreed.get(what) ?? 0) + Number(ours === theirs));
  }

  report(title: string): boolean {
    console.log(`${title}: ${this.rows} rows`);
    for (const [what, count] of this.#agreed) console.log(`  ${what}: ${count} equal`);
    return [...this.#agreed.values()].every((count) => count === this.rows);
  }
}

/** `get_sampled_params_numel` of the authors' code, for images of 224×224 and 1000 classes. */
function autoFormerParameters({ embedDim: d, mlpRatios, heads }: AutoFormer): number {
  const layers = heads.map((h, i) => {
    const hidden = Math.floor(d * mlpRatios[i]!);
    const attention = 4 * 64 * h * d + 3 * 64 * h + d + 2 * (2 * 30 * 64);
    return attention + 2 * d * hidden + hidden + d + 4 * d;
  });
  return layers.reduce((sum, n) => sum + n, 769 * d + d * (2 + 196) + 2 * d + 1000 * d + 1000);
}

function checkAutoFormer(path: string): boolean {
  const agreement = new Agreement();
  for (const { arch } of rowsOf(path)) {
    agreement.rows++;
    const parsed = autoFormerTiny.parse(JSON.stringify(arch));
    const count = parameters(autoFormerTiny.network(parsed));
    agreement.compare('parameters by the formula', count, autoFormerParameters(parsed));
  }
  return agreement.report('AutoFormer-Tiny');
}

function checkLts(path: string): boolean {
  const agreement = new Agreement();
  for (const { config, params } of rowsOf(path)) {
    agreement.rows++;
    const table = params as Row;
    const arch = ltsGpt2.parse(JSON.stringify(config));
    const model = ltsGpt2.network(arch);
    agreement.compare('AdaEmb', parameters(model, /^(embedding|position)/), table.AdaEmb);
    agreement.compare('Attn', parameters(model, /\.attention\./), table.Attn);
    agreement.compare('FFN', parameters(model, /\.(up|down)\./), table.FFN);
    agreement.compare('nonembedding', parameters(model, /^(layer|norm)\./), table.nonembedding);
    agreement.compare('nonembedding by decoderParameters', decoderParameters(arch), table.nonembedding);
    agreement.compare('total', parameters(model), table.total);
  }
  return agreement.report('LTS GPT-2');
}

/** FLOPs as DeepSpeed's profiler counts them. */
function profiledFlops(model: Model): number {
  const { nodes, initializers } = inferShapes(model).graph;
  let flops = 0;
  for (const { node, call, operator } of nodes) {
    if (node.opType === 'MatMul' && initializers.has(node.inputs[1]!)) {
      flops += 2 * Number(operator!.cost.of(call)!.macs);
    }
    if (node.opType === 'LayerNormalization') flops += 5 * Number(call.outputSize(0));
    if (node.opType === 'Sigmoid') flops += Number(call.outputSize(0));
  }
  return flops;
}

function checkHwGpt(path: string): boolean {
  const agreement = new Agreement();
  for (const row of rowsOf(path)) {
    agreement.rows++;
    const model = hwGptS.network(hwGptS.parse(JSON.stringify(row.arch)), { batch: 8 });
    agreement.compare('params', parameters(model), row.params);
    agreement.compare('flops', profiledFlops(model), row.flops);
  }
  return agreement.report('HW-GPT-Bench GPT-S');
}

const CHECKS = [checkAutoFormer, checkLts, checkHwGpt];
const paths = process.argv.slice(2);
if (paths.length !== CHECKS.length) {
  console.error('needs the tables of AutoFormer-Tiny, LTS GPT-2 and HW-GPT-Bench GPT-S');
  process.exitCode = 2;
} else {
  const agreed = CHECKS.map((check, i) => check(paths[i]!));
  process.exitCode = agreed.every(Boolean) ? 0 : 1;
}
