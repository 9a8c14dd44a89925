// What kinds that embed cells without labels have in common: cells of networks, encoded, and what is said of the predictor.
import type { Networks } from '../../networks/networks.js';
import { encodeRows } from '../encode.js';
import type { FitRun, PredictorKind, TrainingData } from '../kind.js';
import type { Json, PredictorInfo } from '../predictor.js';
import { reachOf } from '../reach.js';
import { type CellState, cellView } from '../views/cell.js';
import type { GraphSet } from '../views/view.js';

export interface EncodedNetworks {
  readonly set: GraphSet;
  /** Names of spaces that networks are of. */
  readonly spaces: ReadonlySet<string>;
}

export async function encodedCells(
  networks: Networks,
  state: CellState,
  { title }: Pick<PredictorKind, 'title'>,
  run: FitRun,
): Promise<EncodedNetworks> {
  const spaces = new Set<string>();
  const { set } = await encodeRows(networks, (some, options) => cellView.encode(some, state, options), {
    subject: title,
    visit: (_, { arch }) => spaces.add(arch?.space.name ?? 'onnx'),
    ...(run.onBad ? { onBad: run.onBad } : {}),
    ...(run.signal ? { signal: run.signal } : {}),
  });
  return { set, spaces };
}

/** Of a predictor that embeds cells. It predicts nothing that could be tested, so that it does not list what it has seen. */
export function embeddingInfo(
  kind: Pick<PredictorKind, 'name'>,
  state: CellState,
  { set, spaces }: EncodedNetworks,
  { split }: TrainingData,
  seed: number,
  recipe: Json,
): PredictorInfo {
  const reach = reachOf(set);
  return {
    version: 2,
    kind: kind.name,
    entries: [{ view: cellView.name, state, gives: 'latent', ...(reach ? { reach } : {}) }],
    labels: [],
    seen: {
      spaces: [...spaces].sort(),
      rows: set.count,
      seed,
      ...(split ? { split } : {}),
    },
    recipe,
  };
}
