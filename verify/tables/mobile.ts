// Compares the mobile spaces with published tables, on every row.
//   node build/verify/tables/mobile.js accel_nasbench.jsonl.gz ofa_mbv3_mit_ofa.jsonl.gz fbnet_latency.csv.gz …
// Accel-NASBench has counts of `thop`: parameters, and multiply-accumulates to which it adds 4 for every
// element that is normalised, and every element into and out of a global pooling. Memory-optimised
// once-for-all has the peak memory of a layer: inputs, outputs and weights of a convolution, and the input of
// its block where that is still needed. Tables of latencies have no counts; how latencies go with
// multiply-accumulates is printed.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { cost } from '../../src/analysis/cost.js';
import { inferShapes } from '../../src/analysis/infer.js';
import type { Model } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';
import { fbNet } from '../../src/spaces/mobile/fbnet.js';
import { accelMnasNet } from '../../src/spaces/mobile/mnasnet-accel.js';
import { ofaMobileNetV3 } from '../../src/spaces/mobile/ofa-mobilenetv3.js';
import { ofaResNet } from '../../src/spaces/mobile/ofa-resnet.js';
import { proxylessNas } from '../../src/spaces/mobile/proxylessnas.js';
import type { AnySpace, NetworkOptions } from '../../src/spaces/space.js';
import { Random } from '../../src/util/random.js';

type Inference = ReturnType<typeof inferShapes>;

/** The elements of a value. */
function elements({ graph }: Inference, name: string): number {
  const type = graph.types.get(name);
  if (!isTensor(type!) || type.shape === undefined) throw new Error(`the shape of ${name} is not known`);
  return (type.shape as readonly number[]).reduce((n, d) => n * d, 1);
}

function thopMacs(inference: Inference, macs: number): number {
  let more = 0;
  for (const { node } of inference.graph.nodes) {
    const out = elements(inference, node.outputs[0]!);
    if (node.opType === 'BatchNormalization') more += 4 * out;
    if (node.opType === 'ReduceMean') more += elements(inference, node.inputs[0]!) + out;
  }
  return macs + more;
}

/** Without squeeze-and-excitation and what comes behind the last pooling, as its authors count. */
function peakMemory(model: Model): number {
  const inference = inferShapes(model);
  const nodes = inference.graph.nodes.map(({ node }) => node);
  const added = new Set(nodes.flatMap(({ opType, inputs }) => (opType === 'Add' ? inputs : [])));
  const weights = model.graph.initializers;
  const inputOf = new Map(nodes.map(({ inputs }) => [inputs[1], inputs[0]!]));
  let peak = 0;
  for (const { opType, inputs, outputs } of nodes) {
    const weight = inputs[1] ?? '';
    if (opType !== 'Conv' || /squeeze|mix/.test(weight)) continue;
    const block = weight.endsWith('depth.conv.weight') ? weight.replace('depth.conv.weight', '') : undefined;
    const entry = inputOf.get(`${block}expand.conv.weight`) ?? inputs[0]!;
    const kept = block !== undefined && added.has(entry) ? elements(inference, entry) : 0;
    const own = weights.get(weight)!.dims.reduce((n, d) => n * d, 1);
    peak = Math.max(peak, elements(inference, inputs[0]!) + elements(inference, outputs[0]!) + own + kept);
  }
  return peak;
}

class Tally {
  readonly #counts = new Map<string, { equal: number; differ: number; example?: string }>();

  add(name: string, ours: number, theirs: number, arch: string): void {
    const count = this.#counts.get(name) ?? { equal: 0, differ: 0 };
    this.#counts.set(name, count);
    if (Math.abs(ours - theirs) < 0.5) count.equal++;
    else {
      count.differ++;
      count.example ??= `${arch}: ${ours}, not ${theirs}`;
    }
  }

  print(): void {
    for (const [name, { equal, differ, example }] of this.#counts) {
      console.log(`  ${name}: ${equal} equal, ${differ} differ`, example ?? '');
    }
  }
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const mean = (list: readonly number[]): number => list.reduce((n, x) => n + x, 0) / list.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((x, i) => {
    const [u, v] = [x - ma, b[i]! - mb];
    ab += u * v;
    aa += u * u;
    bb += v * v;
  });
  return ab / Math.sqrt(aa * bb);
}

function macsOf(space: AnySpace, arch: unknown, options: NetworkOptions): number {
  return Number(cost(inferShapes(space.network(arch, options))).totals.macs);
}

function checkCounts(lines: readonly string[]): void {
  const tally = new Tally();
  for (const line of lines) {
    const row = JSON.parse(line);
    if (row.model_info) {
      const arch = accelMnasNet.parse(JSON.stringify(row.architecture));
      const inference = inferShapes(accelMnasNet.network(arch));
      const { parameters, macs } = cost(inference).totals;
      const text = accelMnasNet.format(arch);
      tally.add('parameters', parameters, row.model_info.params * 1e6, text);
      tally.add('macs', thopMacs(inference, Number(macs)), row.model_info.macs * 1e6, text);
    } else {
      const arch = ofaMobileNetV3.parse(JSON.stringify(row.arch));
      const found = peakMemory(ofaMobileNetV3.network(arch));
      tally.add('peak memory', found, row.peak_memory, ofaMobileNetV3.format(arch));
    }
  }
  tally.print();
}

function checkLatencies(header: string, lines: readonly string[]): void {
  const [, ...devices] = header.split(',');
  const space: AnySpace = lines[0]!.startsWith('"') ? ofaMobileNetV3 : fbNet;
  const texts = new Set<string>();
  const latencies = devices.map((): number[] => []);
  // What the tables do not say: the size of images (FBNet), and the supernet (OFA).
  const variants: NetworkOptions[] =
    space === fbNet ? [{ resolution: 32 }, { resolution: 224 }] : [{ width: 1 }, { width: 1.2 }];
  const macs = variants.map((): number[] => []);
  for (const line of lines) {
    const quoted = /^"(.*)",([^"]*)$/.exec(line);
    const [text, ...rest] = quoted
      ? [quoted[1]!.replaceAll('""', '"'), ...quoted[2]!.split(',')]
      : line.split(',');
    const arch = space.parse(text!);
    texts.add(space.format(arch));
    rest.forEach((latency, i) => void latencies[i]!.push(Number(latency)));
    variants.forEach((options, i) => void macs[i]!.push(macsOf(space, arch, options)));
  }
  console.log(`  ${space.name}: ${lines.length} rows read, ${texts.size} different architectures`);
  variants.forEach((options, i) => {
    const correlations = devices.map((d, j) => `${d} ${pearson(macs[i]!, latencies[j]!).toFixed(4)}`);
    console.log('  latency with multiply-accumulates at', options, correlations.join(', '));
  });
}

for (const path of process.argv.slice(2)) {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split(/\r?\n/);
  console.log(`${path}: ${lines.length} lines`);
  if (lines[0]!.startsWith('{')) checkCounts(lines);
  else checkLatencies(lines[0]!, lines.slice(1));
}

console.log('milliseconds to write and count a network, median of 100');
for (const space of [ofaMobileNetV3, ofaResNet, proxylessNas, fbNet, accelMnasNet] as AnySpace[]) {
  const random = Random.seeded(1);
  const times = Array.from({ length: 150 }, () => {
    const arch = space.sample(random);
    const start = performance.now();
    cost(inferShapes(space.network(arch)));
    return performance.now() - start;
  });
  const sorted = times.slice(50).sort((a, b) => a - b);
  console.log(`  ${space.name}: ${sorted[50]!.toFixed(1)}, greatest ${sorted.at(-1)!.toFixed(1)}`);
}
