// How fast trained predictors answer, from texts of architectures. NN-Formers of cells stand beside the same model in
// PyTorch, which begins with tensors that are already there.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { listOf } from '../src/networks/networks.js';
import { Resolver } from '../src/networks/resolver.js';
import { decodePredictor } from '../src/predictors/load.js';
import type { NNFormerOptions } from '../src/predictors/models/nn-former.js';
import type { CellState } from '../src/predictors/views/cell.js';
import { spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { python } from './answerer.js';
import { type Bench, timed } from './bench.js';

const MANY = 4096;
/** In whichever part PyTorch is faster with. */
const PARTS = [64, 256, 1024];

async function loaded(file: string, threads: number) {
  const predictor = await decodePredictor(readFileSync(file), { threads });
  const { kind, recipe, entries } = predictor.info;
  if (kind !== 'nn-former') throw new Error(`${file} is no NN-Former of cells`);
  const { model, members } = recipe as unknown as { model: NNFormerOptions; members: number };
  return { predictor, state: entries[0]!.state as CellState, model, members };
}

export const bench: Bench = {
  usage: 'predictors predictor.onnx …',
  options: { threads: { type: 'string', default: '2' } },

  async rows({ values: { threads }, files }, side) {
    const rows = files.map(async (file) => {
      const { predictor, state, model, members } = await loaded(file, 1);
      await predictor.dispose();
      const sizes = [model.width, model.layers, state.nodes, members].map(String);
      const torch = python(['bench/peers/nn_former.py', threads!, ...sizes], 'torch');
      const row = (name: string, line: string, lines: readonly string[]) => ({
        name: `${basename(file, '.onnx')}, ${name}`,
        ours: { side, line: `${line} ${file}` },
        peers: lines.map((asked) => ({ side: torch, line: asked })) as [{ side: typeof torch; line: string }],
      });
      const many = PARTS.map((part) => `many ${part} ${MANY / part}`);
      return [
        { ...row('one architecture', 'one', ['infer 1']), repeats: 101 },
        row('4,096 different', 'different', many),
        row('4,096 at random', 'random', many),
      ];
    });
    return (await Promise.all(rows)).flat();
  },

  async side({ values: { threads } }) {
    let run: (() => Promise<number>) | undefined;
    return async (line) => {
      run ??= await runOf(line, Number(threads));
      return run();
    };
  },
};

async function runOf(line: string, threads: number): Promise<() => Promise<number>> {
  const [, what, file] = /^(\w+) (.*)$/.exec(line)!;
  const { predictor, state } = await loaded(file!, threads);
  const space = spaceNamed(state.space);
  const random = Random.seeded(1);
  const cellOf = (state.form === 'pruned' ? space.prunedCell : undefined) ?? space.cell!;
  const texts = new Map<string, string>();
  while (texts.size < (what === 'one' ? 1 : MANY)) {
    const arch = space.sample(random);
    // Of cells that are different, nothing is gained by predicting what is written alike only once.
    const key = what === 'different' ? JSON.stringify(cellOf(arch)) : String(texts.size);
    texts.set(key, space.format(arch));
  }
  const all = [...texts.values()];
  return () =>
    timed(() => {
      const resolver = new Resolver();
      return predictor.predict!(listOf(all.map((text) => resolver.network(text, { space: state.space }))));
    });
}
