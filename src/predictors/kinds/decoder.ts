// What decodes the latents of a trained model of cells, and how latents of the cells that it learned from are spread.
import type { Weights } from '../../nn/trainer.js';
import { nodeLatentsModel } from '../cell-autoencoder.js';
import type { CellDecoder } from '../cell-decoder.js';
import type { Arch2vecOptions } from '../models/arch2vec.js';
import { Runner } from '../runner.js';
import type { CellState } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';

/** Rows whose latents say how latents are spread. */
const SPREAD_ROWS = 20_000;

export async function decoderOf(
  weights: Weights,
  set: GraphSet,
  state: CellState,
  options: Arch2vecOptions,
  threads: number,
): Promise<CellDecoder> {
  const { vocabulary, nodes } = state;
  const encoder = [...weights].filter(([name]) => name.startsWith('encoder.'));
  const runner = new Runner(nodeLatentsModel(state, options, new Map(encoder)), { threads });
  const count = Math.min(set.count, SPREAD_ROWS);
  const places = Array.from({ length: count }, (_, i) => Math.floor((i * set.count) / count));
  const some: GraphSet = { count, batch: (rows) => set.batch(rows.map((row) => places[row]!)) };
  const found = await runner.runAll(['latent'], some);
  await runner.dispose();
  const width = nodes * options.latent;
  const sums = new Float64Array(width);
  const squares = new Float64Array(width);
  found.forEach((x, i) => {
    sums[i % width]! += x;
    squares[i % width]! += x * x;
  });
  const mean = Array.from(sums, (sum) => sum / count);
  const deviation = Array.from(squares, (sum, i) => Math.sqrt(Math.max(0, sum / count - mean[i]! ** 2)));
  return {
    ...{ vocabulary, nodes, latent: options.latent },
    weight: [...weights.get('decoder.weight')!],
    bias: [...weights.get('decoder.bias')!],
    mean,
    deviation,
  };
}
