// How much each member of GENNAPE weighs: without labels of a family, and with some.
import { kendallTauB } from '../../metrics/index.js';
import { outputOf, pairOf } from '../entries.js';
import { STRUCTURE } from '../gennape/structure-order.js';
import { column } from '../labels.js';
import { orderOfLatents } from '../pool-order.js';
import type { Ensemble } from '../predictor.js';
import type { Runner } from '../runner.js';
import {
  CLASSIFIERS,
  FEW_SHOT_MEMBER,
  FLOPS,
  MEMBERS,
  NEAR,
  type Options,
  PAPER_MEMBERS,
} from './gennape-options.js';
import type { HeadRows } from './head-kind.js';

/** Weights for networks unlike those of the training: chosen on NATS-Bench size, Accel-NASBench and DyNAS-T's OFA. */
const FAR: Readonly<Record<string, number>> = {
  [STRUCTURE]: 0.7,
  [FLOPS]: 0.1,
  'cl-fcm-pairwise': 0.1,
  'cl-pairwise': 0.1,
};
/**
 * What τ is divided by before the softmax of members. The paper's softmax (1) makes weights nearly equal, whatever members
 * learned. It was chosen on NATS-Bench size and Accel-NASBench.
 */
const TAU_TEMPERATURE = 0.2;
/** How much the regression for few labels weighs: heads come into their own with thousands of rows. */
export function fewShotShare(rows: number): number {
  return Math.max(0.3, Math.min(0.9, 0.9 - 0.4 * Math.log10(rows / 200)));
}

/** The labels that are known, higher being better, and their rows. */
function knownLabels({ prepared: { labels } }: HeadRows): { rows: number[]; values: number[] } {
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const truths = column(labels, 0);
  const rows = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
  return { rows, values: rows.map((row) => sign * truths[row]!) };
}

/** Weights where no label of a family is known: the paper's, all the same, and others for networks that look different. */
export function untold({ combine, far }: Options): Ensemble {
  const equal = 1 / PAPER_MEMBERS.length;
  if (far === 'equal') return { combine, members: PAPER_MEMBERS.map((name) => ({ name, weight: equal })) };
  const members = MEMBERS.map((name) => ({
    ...{ name, weight: name === STRUCTURE ? 0 : equal },
    far: FAR[name] ?? 0,
  }));
  return { combine, members, near: NEAR };
}

/** Weights by the softmax of how members agree (Kendall's τ-b) with the labels of the rows, beside the regression's. */
export async function agreeing({ combine }: Options, runner: Runner, rows: HeadRows): Promise<Ensemble> {
  const { set } = rows.prepared;
  const known = knownLabels(rows);
  const taus: number[] = [];
  for (const name of MEMBERS) {
    const isPairs = (CLASSIFIERS as readonly string[]).includes(name);
    const output = outputOf({ name, gives: isPairs ? 'latent' : 'score' });
    const data = await runner.runAll([output], set);
    const answers = isPairs ? await orderedBy(runner, name, data, set.count) : data;
    taus.push(
      tauOf(
        known.rows.map((row) => answers[row]!),
        known.values,
      ),
    );
  }
  const share = fewShotShare(set.count);
  const powers = taus.map((tau) => Math.exp(tau / TAU_TEMPERATURE));
  const sum = powers.reduce((total, power) => total + power, 0);
  return {
    combine,
    members: [
      ...MEMBERS.map((name, i) => ({ name, weight: ((1 - share) * powers[i]!) / sum })),
      { name: FEW_SHOT_MEMBER, weight: share },
    ],
  };
}

/** 0 for a member that says the same of all rows. */
export function tauOf(answers: readonly number[], truths: readonly number[]): number {
  return answers.every((x) => x === answers[0]) ? 0 : kendallTauB(answers, truths);
}

export function orderedBy(
  runner: Runner,
  name: string,
  data: Float64Array,
  rows: number,
): Promise<Float64Array> {
  const width = data.length / rows;
  const [first, second] = pairOf({ name });
  const tensor = (values: Float32Array) => ({
    type: 'float32' as const,
    dims: [values.length / width, width],
    data: values,
  });
  return orderOfLatents({ rows, width, data }, (a, b) =>
    runner.run(outputOf({ name, gives: 'preference' }), { [first]: tensor(a), [second]: tensor(b) }),
  );
}
