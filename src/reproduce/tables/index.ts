// All tables that can be reproduced, by name.
import { AuspexError } from '../../util/errors.js';
import type { ReproducedTable } from '../table.js';
import { DECODING_TABLE, EMBEDDINGS_TABLE } from './embeddings.js';
import { FAMILIES } from './families.js';
import { GENNAPE_COST, GENNAPE_NB101, GENNAPE_TRANSFER } from './gennape.js';
import { LATENCY, LATENCY_TRANSFER } from './latency.js';
import { NB101_ABLATION, NB101_ACCURACY } from './nb101.js';
import { NB201_ACCURACY } from './nb201-accuracy.js';
import { NB201_DATASETS } from './nb201-datasets.js';
import { NNLQP_FAMILIES } from './nnlqp.js';

export const TABLES: readonly ReproducedTable[] = [
  NB201_ACCURACY,
  NB101_ACCURACY,
  NB101_ABLATION,
  LATENCY,
  LATENCY_TRANSFER,
  NNLQP_FAMILIES,
  NB201_DATASETS,
  FAMILIES,
  GENNAPE_COST,
  GENNAPE_NB101,
  GENNAPE_TRANSFER,
  EMBEDDINGS_TABLE,
  DECODING_TABLE,
];

export function reproducedTable(id: string, tables = TABLES): ReproducedTable {
  const found = tables.find((table) => table.id === id);
  if (found) return found;
  throw new AuspexError('REPRODUCE_UNKNOWN', `there is no table '${id}'`, {
    hint: `choose one of ${tables.map((table) => table.id).join(', ')}`,
  });
}
