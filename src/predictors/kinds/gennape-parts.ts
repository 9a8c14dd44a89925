// The members of GENNAPE that are trained: how, and what they are in a graph.
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { costFactors } from '../gennape/flops-transform.js';
import { EmbeddedRows, HEAD, MEMBERSHIPS } from '../gennape/head-inputs.js';
import { labelStage } from '../label-stage.js';
import { labelScale, transformOf, unlearned } from '../labels.js';
import { COMPUTATION_GNN, type ComputationInputs, computationGnn } from '../models/computation-gnn.js';
import type { Stage } from '../train.js';
import { partOf } from '../views/joined.js';
import { divided, headOf } from './cl.js';
import { pairStage } from './cl-pairwise.js';
import { CLASSIFIERS, hasClusters, K_GNN, type Options, REGRESSORS } from './gennape-options.js';
import type { HeadRows, headSteps } from './head-kind.js';

/** A member that is trained: how, and what it is in a graph. */
export interface Part {
  readonly name: string;
  stage(steps: ReturnType<typeof headSteps>): Stage;
  /** (B, labels) in the labels' units, or (B, latent). */
  write(s: Scope, seen: Inputs, given: Inputs, macs: Value): Value;
}

export function partsOf(rows: HeadRows, model: Options): Part[] {
  return [
    ...REGRESSORS.map((name) => regressorPart(name, rows, model)),
    ...CLASSIFIERS.map((name) => classifierPart(name, rows, model)),
    graphPart(rows),
  ];
}

/** The rows of a member: with memberships, or without. */
export function rowsOf(name: string, { train, inputs }: HeadRows): EmbeddedRows {
  return hasClusters(name) ? train : new EmbeddedRows(train.rows, inputs);
}

export function seenBy(name: string, seen: Inputs): Inputs {
  const { [MEMBERSHIPS]: memberships, [HEAD]: x } = seen;
  return hasClusters(name) ? { [HEAD]: x!, [MEMBERSHIPS]: memberships! } : { [HEAD]: x! };
}

export const LEARNED = { loss: { error: 'squared', rank: 0, consistency: 0 }, emaDecay: 0.99 } as const;

export function regressorPart(name: string, rows: HeadRows, model: Options): Part {
  const { prepared } = rows;
  const isDivided = prepared.labels.names.map((_, i) => transformOf(prepared.labels, i).scale === 'linear');
  const labels = divided(prepared.labels, rows.macs, isDivided);
  const scales = labels.names.map((_, i) => labelScale(labels, i, prepared.scales[i]!.scale));
  const width = hasClusters(name) ? model.clusterWidth : model.width;
  const build = (s: Scope, inputs: Inputs): Value =>
    headOf(s, inputs, { ...model, width, outputs: scales.length });
  const { validation: _, ...others } = prepared;
  return {
    name,
    stage: (steps) =>
      labelStage(
        { ...others, set: rowsOf(name, rows), labels, scales },
        { ...steps, ...LEARNED, weightDecay: 0.01 },
        build,
      ),
    write: (s, seen, _given, macs) => {
      const mask = s.builder.constant(isDivided.map(Number), 'float32', [scales.length]);
      return unlearned(build(s, seenBy(name, seen)), scales).mul(costFactors(macs).sub(1).mul(mask).add(1));
    },
  };
}

export function classifierPart(name: string, rows: HeadRows, model: Options): Part {
  const options = { ...model, width: model.classifierWidth };
  return {
    name,
    stage: (steps) => pairStage({ ...rows, train: rowsOf(name, rows) }, steps, options),
    write: (s, seen) => headOf(s, seenBy(name, seen), { ...options, outputs: model.latent }),
  };
}

export function graphPart({ prepared }: HeadRows): Part {
  const { set, scales, state } = prepared;
  const [{ labels }] = state as unknown as readonly [{ readonly labels: readonly string[] }];
  const options = { ...COMPUTATION_GNN, convolution: K_GNN, labels: labels.length } as const;
  const build = (s: Scope, inputs: Inputs): Value =>
    computationGnn(s, inputs as unknown as ComputationInputs, { ...options, outputs: scales.length });
  const { validation: _, ...others } = prepared;
  return {
    name: K_GNN,
    stage: (steps) =>
      labelStage(
        { ...others, set: partOf(set, 0) },
        { ...steps, ...LEARNED, batch: Math.min(32, steps.batch), weightDecay: 0, clipNorm: 5 },
        build,
      ),
    write: (s, _, given) => unlearned(build(s, given), scales),
  };
}
