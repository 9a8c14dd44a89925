// GENNAPE as a graph: what goes in and comes out of it.
import { symbol } from '../../graph/dim.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { type EntryGraph, pairOf } from '../entries.js';
import { ENCODER } from '../gennape/encoder.js';
import { preference } from '../gennape/heads.js';
import { nearValue } from '../gennape/nearness.js';
import { STRUCTURE, structureScore, structureValues } from '../gennape/structure-order.js';
import { unlearned } from '../labels.js';
import { viewNamed } from '../views/view.js';
import type { BesideHeads } from './gennape-beside.js';
import {
  CLASSIFIERS,
  FEW_SHOT_MEMBER,
  FLOPS,
  K_GNN,
  NEAR,
  type Options,
  REGRESSORS,
} from './gennape-options.js';
import type { Part } from './gennape-parts.js';
import { fewShotShare } from './gennape-weights.js';
import { type HeadRows, headValues, STRUCTURE_INPUT } from './head-kind.js';

/**
 * Values are the mean of what the regressors say; of networks unlike those of the training what their structure says; and,
 * where there are few labels, mostly what the regression for these does.
 */
export function entriesOf(
  rows: HeadRows,
  parts: readonly Part[],
  model: Options,
  { structure, near, fewShot }: BesideHeads,
): EntryGraph[] {
  const inputs = viewNamed(rows.view).inputs(rows.prepared.state);
  const { labels, scales } = rows.prepared;
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const values = headValues(rows);
  const share = fewShotShare(labels.values.length / labels.names.length);
  const written = new Map<string, Value>();
  const once = (name: string, write: () => Value): Value => {
    const found = written.get(name) ?? write();
    written.set(name, found);
    return found;
  };
  const of = (name: string, s: Scope, given: Inputs): Value => {
    const { macs, head } = values(s, given);
    return once(name, () => parts.find((part) => part.name === name)!.write(s.at(name), head, given, macs));
  };
  const features = (given: Inputs): Value => given[STRUCTURE_INPUT]!;
  const scoreOf = (s: Scope, given: Inputs): Value =>
    once(STRUCTURE, () => structureScore(s, features(given), structure.weights));
  const nearOf = (s: Scope, given: Inputs): Value =>
    once(NEAR, () => nearValue(s.at(NEAR), values(s, given).rows, near!));
  const fewOf = (s: Scope, given: Inputs): Value =>
    once(FEW_SHOT_MEMBER, () => {
      const seen = s.builder.concat([features(given), values(s, given).rows], 1);
      const each = fewShot!.map((write) => write(seen));
      return unlearned(each.length === 1 ? each[0]! : s.builder.concat(each, 1), scales);
    });
  const first = (value: Value): Value => value.slice([0], [1], [1]).mul(sign);
  const pair = { type: 'float32' as const, dims: [symbol('pairs'), model.latent] };
  const score = (name: string, write: EntryGraph['write']): EntryGraph => ({
    ...{ name, inputs, write },
    gives: 'score',
  });
  return [
    {
      gives: 'values',
      inputs,
      write: (s, given) => {
        const each = REGRESSORS.map((name) => of(name, s, given));
        const mean = s.builder.sum(each).div(each.length);
        if (fewShot) return mean.mul(1 - share).add(fewOf(s, given).mul(share));
        if (model.far === 'equal') return mean;
        const unlike = structureValues(scoreOf(s, given), structure.curves);
        return mean.sub(unlike).mul(nearOf(s, given)).add(unlike);
      },
    },
    { name: ENCODER, gives: 'latent', inputs, write: (s, given) => values(s, given).latent },
    ...[...REGRESSORS, K_GNN].map((name) => score(name, (s, given) => first(of(name, s, given)))),
    score(FLOPS, (s, given) => values(s, given).macs.mul(sign)),
    score(STRUCTURE, scoreOf),
    ...(near ? [score(NEAR, nearOf)] : []),
    ...(fewShot ? [score(FEW_SHOT_MEMBER, (s, given) => first(fewOf(s, given)))] : []),
    ...CLASSIFIERS.flatMap((name): EntryGraph[] => {
      const [a, b] = pairOf({ name });
      return [
        { name, gives: 'latent', inputs, write: (s, given) => of(name, s, given) },
        {
          name,
          gives: 'preference',
          inputs: { [a]: pair, [b]: pair },
          write: (s, given) => preference(s.at(name), given[a]!, given[b]!),
        },
      ];
    }),
  ];
}
