// The grammar of scores and limits: costs, labels of predictors as FILE.onnx#label, zero-cost proxies, joined by `+`.
import { costWithin, scoreWithin } from '../../search/constraints.js';
import type { Constraint, Direction, Scorer } from '../../search/contract.js';
import { COSTS, costScorer, isCost } from '../../search/costs.js';
import { predictorScorer } from '../../search/predicted.js';
import { rankCombined } from '../../search/scorers.js';
import type { AnySpace } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import type { ProxySettings } from '../score/scorers.js';
import { expectDirections } from './directions.js';
import type { SearchPredictors } from './predictors.js';
import type { Limit } from './request.js';

/** Zero-cost proxies as a search asks for them. */
export type ProxySource = (settings: ProxySettings) => ProxyLookup;

/** A zero-cost proxy by its name, for architectures of a space; undefined if there is none. */
type ProxyLookup = (name: string, space?: AnySpace) => Scorer | undefined | Promise<Scorer | undefined>;

/** What names of scores are looked up in. */
export interface ScoreSources {
  readonly space: AnySpace;
  readonly proxies: ProxyLookup;
  readonly predictors: SearchPredictors;
}

const PREDICTED = /^(.+\.onnx)#([^:]+)(?::(higher|lower))?$/;

/** The predictor's file in the name of a score, such as `p.onnx#latency:lower`. */
export function fileOfScore(name: string): string | undefined {
  return PREDICTED.exec(name.trim())?.[1];
}

/** The score of a name that tells the value of one network, which a rank within a pool does not. */
export async function ownScorer(name: string, sources: ScoreSources): Promise<Scorer> {
  const { COMBINATIONS } = await import('../../proxies/index.js');
  if (!name.includes('+') && !Object.hasOwn(COMBINATIONS, name)) return oneScorer(name, sources);
  throw new AuspexError(
    'PROXY_POOL',
    `'${name}' ranks networks against each other; it has no value for one network`,
    {
      hint: 'use it to choose candidates (--strategy etas --proxy), or evaluate with a single proxy',
    },
  );
}

/** The score that names joined by `+` stand for; the mean of ranks where there are several. */
export async function scorerNamed(text: string, sources: ScoreSources): Promise<Scorer> {
  const scorers: Scorer[] = [];
  for (const name of text.split('+')) scorers.push(await oneScorer(name.trim(), sources));
  return scorers.length === 1 ? scorers[0]! : rankCombined(scorers);
}

async function oneScorer(name: string, { space, proxies, predictors }: ScoreSources): Promise<Scorer> {
  if (isCost(name)) return costScorer(name);
  const [, file, label, better] = PREDICTED.exec(name) ?? [];
  if (file !== undefined) {
    const scorer = predictorScorer(await predictors.load(file), label!);
    expectDirections([{ name: label!, better: scorer.better }], [better as Direction | undefined], file);
    return scorer;
  }
  const proxy = await proxies(name, space);
  if (proxy !== undefined) return proxy;
  throw new AuspexError('SCORE_UNKNOWN', `unknown score '${name}'`, {
    hint: `choose one of ${COSTS.join(', ')}, a proxy, or FILE.onnx#label for a predictor`,
  });
}

/** Limits on costs and on what predictors say. */
export async function constraintsOf(
  most: readonly Limit[],
  least: readonly Limit[],
  sources: ScoreSources,
): Promise<Constraint[]> {
  const each = async ({ what, value }: Limit, side: 'most' | 'least'): Promise<Constraint> => {
    const range = { [side]: value };
    if (isCost(what)) return costWithin(what, range);
    return scoreWithin(await oneScorer(what, { ...sources, proxies: () => undefined }), range);
  };
  const found: Constraint[] = [];
  for (const one of most) found.push(await each(one, 'most'));
  for (const one of least) found.push(await each(one, 'least'));
  return found;
}
