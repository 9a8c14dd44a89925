// How far the outputs of an IO model are from what trained networks compute, on networks and images that it did not learn from
// (Kadlecová et al. 2023, Table 5), beside the mean of all that it learned from.
import { symbol } from '../../graph/dim.js';
import type { Shape } from '../../graph/types.js';
import type { Batch } from '../../nn/batch.js';
import type { Weights } from '../../nn/trainer.js';
import { type EntryGraph, entriesModel, outputOf } from '../entries.js';
import type { FitRun, IoExamples, IoTraining, PredictorKind } from '../kind.js';
import { type Arch2vecOptions, cellsOf, encodeCells } from '../models/arch2vec.js';
import { type IoHeadOptions, imageBranch, ioOutputs } from '../models/cell-heads.js';
import { Runner } from '../runner.js';
import { expectGoing } from '../stopped.js';
import { type CellState, cellView } from '../views/cell.js';
import { encodedCells } from './cell-embedding.js';

export interface IoTest {
  readonly name: string;
  readonly networks: number;
  readonly images: number;
  /** Mean squared errors: of the model, and of the mean of what it learned from. */
  readonly error: number;
  readonly baseline: number;
}

export interface TrainedIo {
  readonly state: CellState;
  readonly options: Arch2vecOptions;
  readonly head: IoHeadOptions;
  readonly kind: Pick<PredictorKind, 'title'>;
}

/** Images that are run at once. */
const AT_ONCE = 250;

/** Empty where there is nothing to test with. */
export async function ioTests(
  io: IoTraining,
  weights: Weights,
  trained: TrainedIo,
  run: FitRun,
): Promise<IoTest[]> {
  const tests = (io.tests ?? []).filter(({ networks, images }) => networks.count > 0 && images.count > 0);
  if (tests.length === 0) return [];
  const mean = meanOf(io);
  const parts = new Parts(weights, trained, run);
  try {
    const found: IoTest[] = [];
    for (const test of tests) found.push(await tested(test, mean, parts, trained, run));
    return found;
  } finally {
    await parts.dispose();
  }
}

async function tested(
  test: IoExamples & { readonly name: string },
  mean: Float64Array,
  parts: Parts,
  { state, kind }: TrainedIo,
  run: FitRun,
): Promise<IoTest> {
  const { name, width, images } = test;
  const { set } = await encodedCells(test.networks, state, kind, run);
  const cells = set.merged?.(set.count) ?? set;
  const pooled = await parts.images(test);
  const target = new Float32Array(width);
  let [error, baseline] = [0, 0];
  for (let network = 0; network < set.count; network++) {
    expectGoing(run.signal);
    const outputs = await parts.outputs(await parts.latents(cells.batch([network])), pooled, images.count);
    for (let image = 0; image < images.count; image++) {
      test.read(network, image, target, 0);
      target.forEach((value, k) => {
        error += (outputs[image * width + k]! - value) ** 2;
        baseline += (mean[k]! - value) ** 2;
      });
    }
  }
  const count = set.count * images.count * width;
  return {
    name,
    networks: set.count,
    images: images.count,
    error: error / count,
    baseline: baseline / count,
  };
}

/** Of every number, over all examples. */
function meanOf({ networks, images, width, read }: IoExamples): Float64Array {
  const sum = new Float64Array(width);
  const one = new Float32Array(width);
  for (let network = 0; network < networks.count; network++) {
    for (let image = 0; image < images.count; image++) {
      read(network, image, one, 0);
      one.forEach((value, k) => {
        sum[k]! += value;
      });
    }
  }
  return sum.map((total) => total / (networks.count * images.count));
}

/** The parts of the model, so that every image and every cell is run once for all examples that they are in. */
class Parts {
  readonly #runner: Runner;
  readonly #names: Readonly<Record<'cell' | 'image' | 'outputs', string>>;
  readonly #latent: readonly [nodes: number, width: number];
  readonly #pooled: number;

  constructor(weights: Weights, { state, options, head }: TrainedIo, run: FitRun) {
    const nodes = cellView.inputs(state).adjacency!.dims[1] as number;
    this.#latent = [nodes, options.latent];
    this.#pooled = head.channels.at(-1)!;
    const numbers = (...dims: Shape) => ({ type: 'float32' as const, dims });
    const [images, rows] = [symbol('images'), symbol('rows')];
    const entries = {
      cell: {
        name: 'cell',
        gives: 'latent',
        inputs: cellView.inputs(state),
        write: (s, given) =>
          encodeCells(s, cellsOf(given), options).mean.reshape([-1, nodes * options.latent]),
      },
      image: {
        name: 'image',
        gives: 'latent',
        inputs: { image: numbers(images, 3, symbol('height'), symbol('width')) },
        write: (s, { image }) => imageBranch(s, image!, head),
      },
      outputs: {
        name: 'outputs',
        gives: 'values',
        inputs: { latent: numbers(rows, ...this.#latent), pooled: numbers(rows, this.#pooled) },
        write: (s, { latent, pooled }) => ioOutputs(s, latent!, pooled!, head),
      },
    } satisfies Record<string, EntryGraph>;
    this.#names = {
      cell: outputOf(entries.cell),
      image: outputOf(entries.image),
      outputs: outputOf(entries.outputs),
    };
    this.#runner = new Runner(entriesModel(Object.values(entries), weights), { threads: run.threads });
  }

  latents(cell: Batch): Promise<Float32Array> {
    return this.#runner.run(this.#names.cell, cell);
  }

  /** What the image branch gives for all images. */
  async images({ images: { count, side, pixels } }: IoExamples): Promise<Float32Array> {
    const size = 3 * side ** 2;
    const pooled = new Float32Array(count * this.#pooled);
    for (let start = 0; start < count; start += AT_ONCE) {
      const rows = Math.min(AT_ONCE, count - start);
      const data = pixels.subarray(start * size, (start + rows) * size);
      const image = { type: 'float32' as const, dims: [rows, 3, side, side], data };
      pooled.set(await this.#runner.run(this.#names.image, { image }), start * this.#pooled);
    }
    return pooled;
  }

  /** Of one cell for all images. */
  outputs(latent: Float32Array, pooled: Float32Array, count: number): Promise<Float32Array> {
    const latents = new Float32Array(count * latent.length);
    for (let i = 0; i < count; i++) latents.set(latent, i * latent.length);
    return this.#runner.run(this.#names.outputs, {
      latent: { type: 'float32', dims: [count, ...this.#latent], data: latents },
      pooled: { type: 'float32', dims: [count, this.#pooled], data: pooled },
    });
  }

  dispose(): Promise<void> {
    return this.#runner.dispose();
  }
}
