// How fast a trained NN-Former predicts, beside the same model in PyTorch: one architecture, and many. Our side begins with
// texts of architectures, PyTorch's with tensors that are already there. Then all rows of a table.
// Arguments: predictor.onnx [table.csv.gz]; options --threads 2, --repeats 15.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { listOf } from '../src/networks/networks.js';
import { Resolver } from '../src/networks/resolver.js';
import { decodePredictor } from '../src/predictors/load.js';
import type { NNFormerOptions } from '../src/predictors/models/nn-former.js';
import type { CellState } from '../src/predictors/views/cell.js';
import { spaceNamed } from '../src/spaces/index.js';
import { readTableFile } from '../src/store/table-file.js';
import { Random } from '../src/util/random.js';
import { inTurn, Peer } from './peer.js';

const { values: options, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { threads: { type: 'string', default: '2' }, repeats: { type: 'string', default: '15' } },
});
const threads = Number(options.threads);
const [file, table] = positionals;
if (file === undefined) {
  console.error('usage: npm run bench -- predictors predictor.onnx [table.csv.gz]');
  process.exit(2);
}
const predictor = await decodePredictor(readFileSync(file), { threads });
if (predictor.info.kind !== 'nn-former') throw new Error(`${file} is no NN-Former of cells`);
const { info } = predictor;
const { model, members } = info.recipe as unknown as { model: NNFormerOptions; members: number };
const state = info.entries[0]!.state as CellState;
const sizes = [model.width, model.layers, state.nodes, members];
console.log(
  `${state.space}, ${threads} threads: ${members} x NN-Former of width ${model.width}, ${model.layers} layers`,
);

const space = spaceNamed(state.space);
const resolver = new Resolver();
const networksOf = (texts: readonly string[]) =>
  listOf(texts.map((text) => resolver.network(text, { space: state.space })));
const random = Random.seeded(1);
const MANY = 4096;
const drawn = Array.from({ length: MANY }, () => space.format(space.sample(random)));
const different = differentOnes();
const timed = (texts: readonly string[]) => async (): Promise<number> => {
  const start = performance.now();
  await predictor.predict!(networksOf(texts));
  return performance.now() - start;
};

/** No two of the same cell: nothing is gained by predicting what is written alike only once. */
function differentOnes(): string[] {
  const cellOf = (state.form === 'pruned' ? space.prunedCell : undefined) ?? space.cell!;
  const found = new Map<string, string>();
  while (found.size < MANY) {
    const arch = space.sample(random);
    found.set(JSON.stringify(cellOf(arch)), space.format(arch));
  }
  return [...found.values()];
}

console.log('                          auspex     PyTorch   ratio');
for (const [name, texts, parts] of [
  ['one architecture', drawn.slice(0, 1), [1]],
  // In whichever part PyTorch is faster with.
  ['4,096 different', different, [64, 256, 1024]],
  ['4,096 at random', drawn, [64, 256, 1024]],
] as const) {
  const count = texts.length;
  let best: { ours: number; theirs: number; ratio: number } | undefined;
  for (const part of parts) {
    const peer = new Peer(['bench/peers/nn_former.py', String(threads), ...sizes.map(String)], 'torch');
    await peer.line();
    const theirs = async (): Promise<number> => {
      let sum = 0;
      for (let done = 0; done < count; done += part) sum += await peer.measure(`infer ${part}`);
      return sum;
    };
    const counts = {
      repeats: count === 1 ? 8 * Number(options.repeats) : Number(options.repeats),
      warmUp: 3,
    };
    const found = await inTurn(timed(texts), theirs, counts, async () => {});
    peer.close();
    if (best === undefined || found.theirs < best.theirs) best = found;
  }
  const { ours, theirs, ratio } = best!;
  console.log(
    `${name.padEnd(22)}${`${ours.toFixed(2)} ms`.padStart(11)}${`${theirs.toFixed(2)} ms`.padStart(12)}${`${ratio.toFixed(2)}x`.padStart(8)}`,
  );
}
if (table !== undefined) {
  const rows = await readTableFile(table);
  const all = Array.from({ length: rows.rows }, (_, row) => rows.arch(row));
  const start = performance.now();
  await predictor.predict!(networksOf(all));
  const seconds = (performance.now() - start) / 1000;
  console.log(`all ${all.length} rows of ${table}: ${seconds.toFixed(1)} s`);
}
await predictor.dispose();
