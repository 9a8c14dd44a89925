// Metrics of how well cells are decoded from latents, for tables of embeddings; see `predictors/decoding-quality.ts`.
import type { Table } from '../datasets/table.js';
import { CellAutoencoder } from '../predictors/cell-autoencoder.js';
import { decodingQuality, reconstructionQuality } from '../predictors/decoding-quality.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import type { Predictor } from '../predictors/predictor.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';

/** By name, as people read them; more is better for all. */
export const DECODING_METRICS: Readonly<Record<string, string>> = {
  validity: 'Validity',
  uniqueness: 'Uniqueness',
  'unique-networks': 'Unique networks',
  operators: 'Operations',
  'operators-all': 'Operations, padding counted',
  adjacency: 'Edges',
  cells: 'Whole cells',
  'constrained-validity': 'Validity, constrained decoder',
  'constrained-uniqueness': 'Uniqueness, constrained decoder',
  'constrained-networks': 'Unique networks, constrained decoder',
};

/**
 * All of them for a predictor: of random latents, and of the latents of some rows.
 *
 * @param draws random latents
 */
export async function decodingMetrics(
  predictor: Predictor,
  table: Table,
  rows: Uint32Array,
  { draws, seed }: { readonly draws: number; readonly seed: number },
): Promise<Record<string, { readonly estimate: number }>> {
  const autoencoder = CellAutoencoder.of(predictor);
  if (autoencoder === undefined) {
    throw new AuspexError('CANNOT_DECODE', `a predictor of the kind ${predictor.info.kind} cannot decode`);
  }
  try {
    const { decoder, space } = autoencoder;
    const quality = (isConstrained: boolean) =>
      decodingQuality(decoder, space, { count: draws, random: Random.seeded(seed, 4), isConstrained });
    const [plain, constrained] = [quality(false), quality(true)];
    const networks = tableNetworks(table, rows);
    const { data } = await autoencoder.latents(networks);
    const cells = Array.from(rows, (_, row) => networks.at(row).cell('whole')!);
    const { operatorsOfAllRows, ...reconstruction } = reconstructionQuality(decoder, cells, data);
    const all = {
      validity: plain.validity,
      uniqueness: plain.uniqueness,
      'unique-networks': plain.uniqueNetworks,
      ...reconstruction,
      'operators-all': operatorsOfAllRows,
      'constrained-validity': constrained.validity,
      'constrained-uniqueness': constrained.uniqueness,
      'constrained-networks': constrained.uniqueNetworks,
    };
    return Object.fromEntries(Object.entries(all).map(([name, estimate]) => [name, { estimate }]));
  } finally {
    await autoencoder.dispose();
  }
}
