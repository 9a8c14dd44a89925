// The networks of DARTS against a table of NAS-Bench-301 as NASLib measures it: parameters and FLOPs of every row.
// Usage: node build/verify/tables/darts.js TABLE.jsonl.gz, rows with `arch`, `params` and `flops` in millions.
//
// NASLib's FLOPs are those of tensorwatch: multiply-accumulates of convolutions and products, plus one for each
// element of a ReLU and of a normalisation (two with scale and shift), nine for each that a pool of 3×3 puts out,
// and (H + 1)·(W + 1) for each channel of the last pool.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { inferShapes } from '../../src/analysis/infer.js';
import { toldKind } from '../../src/analysis/parameters.js';
import type { Model } from '../../src/graph/graph.js';
import { elementCount } from '../../src/graph/tensor.js';
import { isTensor } from '../../src/graph/types.js';
import { darts } from '../../src/spaces/cells/darts.js';
import { dartsNetwork } from '../../src/spaces/cells/darts-network.js';
import { describeArchitecture } from '../../src/spaces/describe.js';

const [path] = process.argv.slice(2);
process.exitCode = path === undefined ? 2 : await main(path);

interface Counts {
  parameters: number;
  flops: number;
  macs: number;
  /** Scales and shifts that operations other than pools would have. */
  withoutAffine: number;
}

function count(model: Model): Counts {
  const { nodes, types, initializers } = inferShapes(model).graph;
  const sizes = (name: string): readonly number[] => {
    const type = types.get(name);
    if (type === undefined || !isTensor(type)) throw new Error(`'${name}' has no shape`);
    return type.shape as readonly number[];
  };
  const elements = (name: string): number => sizes(name).reduce((n, d) => n * d, 1);
  const producers = new Map(nodes.map(({ node }) => [node.outputs[0]!, node]));
  const counts: Counts = { parameters: 0, flops: 0, macs: 0, withoutAffine: 0 };
  for (const tensor of initializers.values()) {
    if (toldKind(tensor) === 'parameter') counts.parameters += elementCount(tensor);
  }
  for (const { node, call, operator } of nodes) {
    const [x = '', scale = ''] = node.inputs;
    const macs = Number(operator?.cost.of(call)?.macs ?? 0);
    counts.macs += macs;
    counts.flops += macs;
    if (node.opType === 'Relu') counts.flops += elements(x);
    else if (node.opType === 'BatchNormalization') {
      const isAffine = toldKind(initializers.get(scale)!) === 'parameter';
      counts.flops += (isAffine ? 2 : 1) * elements(x);
      if (!isAffine && !isPool(producers.get(x)?.opType)) counts.withoutAffine += 2 * sizes(x)[1]!;
    } else if (isPool(node.opType)) counts.flops += 9 * elements(node.outputs[0]!);
    else if (node.opType === 'ReduceMean') {
      const [, channels, height, width] = sizes(x);
      counts.flops += channels! * (height! + 1) * (width! + 1);
    }
  }
  return counts;
}

function isPool(opType: string | undefined): boolean {
  return opType === 'MaxPool' || opType === 'AveragePool';
}

async function main(table: string): Promise<number> {
  const same = { rows: 0, parameters: 0, flops: 0, evaluationParameters: 0, evaluationMacs: 0 };
  for await (const line of createInterface({ input: createReadStream(table).pipe(createGunzip()) })) {
    if (line.trim() === '') continue;
    const row = JSON.parse(line) as { arch: string; params: number; flops: number };
    const arch = darts.parse(row.arch);
    const found = count(dartsNetwork('darts', arch, { norms: 'search' }));
    const [parameters, flops] = [row.params, row.flops].map((millions) => Math.round(millions * 1e6));
    const trained = describeArchitecture(darts, arch);
    same.rows++;
    same.parameters += Number(found.parameters === parameters);
    same.flops += Number(found.flops === flops);
    same.evaluationParameters += Number(trained.parameters === parameters! + found.withoutAffine);
    same.evaluationMacs += Number(trained.macs === found.macs);
  }
  console.log(`rows ${same.rows}; as NASLib measures: parameters ${same.parameters}, FLOPs ${same.flops}`);
  console.log(
    `as trained: the table's parameters plus scales and shifts ${same.evaluationParameters}, the same multiply-accumulates ${same.evaluationMacs}`,
  );
  const { rows, ...matches } = same;
  return Object.values(matches).every((n) => n === rows) ? 0 : 1;
}
