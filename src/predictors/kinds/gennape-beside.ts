// What GENNAPE has beside the members on its encoder: an order by structure, how near networks are, and a regression for few
// labels.
import type { Value } from '../../ops/build.js';
import { paced } from '../../util/pauses.js';
import { Random } from '../../util/random.js';
import { EMBEDDING, FEW_SHOT, fewShotFitting } from '../few-shot.js';
import type { EmbeddedRows } from '../gennape/head-inputs.js';
import { type Nearness, nearnessOf } from '../gennape/nearness.js';
import { fitStructure, type StructureOrder, structureFrom } from '../gennape/structure-order.js';
import type { FitRun } from '../kind.js';
import type { Labels } from '../labels.js';
import type { Predictor } from '../predictor.js';
import { expectGoing } from '../stopped.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { joinedLabels, knownRows } from './feature-kind.js';
import type { HeadRows } from './head-kind.js';

/** Rows that the order by structure is fitted to: more change nothing. */
const STRUCTURE_ROWS = 4000;
/** What stands beside members on the encoder. */
export interface BesideHeads {
  readonly structure: StructureOrder;
  /** Where weights depend on it. */
  readonly near?: Nearness;
  /** By label: (B, F) → (B, 1) as it is learned; the last features are embeddings and MACs, as heads see them. */
  readonly fewShot?: readonly ((x: Value) => Value)[];
  /** The same, where held-out rows were learned too. */
  readonly withoutHeldOut?: readonly ((x: Value) => Value)[];
}

export async function besideHeads(
  rows: HeadRows,
  from: Predictor | undefined,
  run: FitRun,
): Promise<BesideHeads> {
  const { prepared, structure: features, soft, train } = rows;
  const chosen = Random.seeded(run.seed, 29).sample(features!.count, STRUCTURE_ROWS);
  const fitted = fitStructure(features!, prepared, chosen);
  if (!rows.isFurther) return { structure: fitted, near: nearnessOf(train.rows, soft!.components) };
  const known = structureFrom(from!.model);
  const structure = known?.length === fitted.weights.length ? { ...fitted, weights: known } : fitted;
  const fitting = async (some: FeatureRows, labels: Labels): Promise<((x: Value) => Value)[]> => {
    const each: ((x: Value) => Value)[] = [];
    for (const [label, scale] of prepared.scales.entries()) {
      const steps = fewShotFitting(...knownRows(some, labels, label, scale), FEW_SHOT, run.seed);
      each.push(await paced(steps, () => expectGoing(run.signal)));
    }
    return each;
  };
  const seen = embeddedBeside(features!, train);
  const own = await fitting(seen, prepared.labels);
  const { held } = rows;
  if (!prepared.validation || !held?.structure) return { structure, fewShot: own };
  const all = joinedLabels(prepared.labels, prepared.validation.labels);
  const fewShot = await fitting(seen.concat(embeddedBeside(held.structure, held.rows)), all);
  return { structure, fewShot, withoutHeldOut: own };
}

function embeddedBeside(features: FeatureRows, { rows, width }: EmbeddedRows): FeatureRows {
  return features.beside(
    Array.from({ length: width }, (_, k) => `${EMBEDDING}${k}`),
    rows,
  );
}
