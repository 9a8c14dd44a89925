// All zero-cost proxies, by name, and their combinations. Adding one is its file and a line in its list.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { combineRanks } from './combination.js';
import type { ProxyRequest, ZeroCostProxy } from './proxy.js';
import { ACTIVATION_PROXIES, TRANSFORMER_PROXIES } from './scores/activation-proxies.js';
import { GRADIENT_PROXIES } from './scores/gradient-proxies.js';

export { combineRanks } from './combination.js';
export {
  type Outcome,
  type ProxyOptions,
  type ProxyRequest,
  type Score,
  scoreAll,
  scoreNetwork,
  type ZeroCostProxy,
} from './proxy.js';
export { explainBlocks, separationRank, septOf } from './scores/sept.js';
export type { InputBatch, InputTensor } from './subject/batch.js';
export { type AttentionBlock, findBlocks } from './subject/blocks.js';
export { type ExplainedTensor, type Explanation, explainSubject } from './subject/explain.js';
export { type Features, featuresOf } from './subject/features.js';
export { LOSS_KINDS, type LossKind } from './subject/head-evidence.js';
export type { Head } from './subject/heads.js';
export type { Initialisation } from './subject/reinitialise.js';
export { Subject, type SubjectOptions } from './subject/subject.js';

const proxies: ZeroCostProxy[] = [...GRADIENT_PROXIES, ...ACTIVATION_PROXIES, ...TRANSFORMER_PROXIES];

/** All proxies, those that were registered last. */
export const PROXIES: readonly ZeroCostProxy[] = proxies;

/**
 * Makes a zero-cost proxy known by its name; `defineProxy` makes one.
 *
 * @throws AuspexError PROXY_TWICE
 * @example
 * registerProxy(
 *   defineProxy({
 *     name: 'nodes',
 *     title: 'Nodes',
 *     paper: 'none',
 *     formula: 'the number of nodes',
 *     better: 'higher',
 *     scale: 'raw',
 *     needs: { weights: false, samples: 0, batches: 0, labels: false, gradients: false },
 *     variants: {},
 *     elsewhere: '',
 *     score: async ({ model }) => ({ value: model.graph.nodes.length, details: {} }),
 *   }),
 * );
 * const [net] = await score('resnet8.onnx', ['nodes']);
 * net.scores.nodes; // 28
 */
export function registerProxy(proxy: ZeroCostProxy): void {
  if (proxies.some(({ name }) => name === proxy.name)) {
    throw new AuspexError('PROXY_TWICE', `a proxy called '${proxy.name}' already exists`);
  }
  proxies.push(proxy);
}

/** Combinations that have a name of their own. */
export const COMBINATIONS: Readonly<Record<string, string>> = { ntsr: 'ntkt+sept' };

/**
 * The proxy of a name.
 *
 * @example
 * const snip = proxyNamed('snip');
 */
export function proxyNamed(name: string): ZeroCostProxy {
  const proxy = PROXIES.find((p) => p.name === name);
  if (proxy) return proxy;
  const shown = printableStart(name, 40);
  if (Object.hasOwn(COMBINATIONS, name)) {
    throw new AuspexError(
      'PROXY_POOL',
      `'${shown}' ranks networks against each other; it has no value for one network`,
      {
        hint: `score several networks with ${COMBINATIONS[name]!.split('+').join(' and ')}, then combine the ranks`,
      },
    );
  }
  const close = suggestions(name);
  throw new AuspexError('PROXY_UNKNOWN', `there is no proxy called '${shown}'`, {
    hint:
      close.length > 0
        ? `did you mean ${close.map((other) => `'${other}'`).join(' or ')}?`
        : `choose one of ${[...PROXIES.map((p) => p.name), ...Object.keys(COMBINATIONS)].join(', ')}`,
  });
}

/** Names that begin alike, or are a slip or two away, however they are cased and joined. */
function suggestions(name: string): string[] {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(name);
  if (wanted === '') return [];
  const names = [...PROXIES.map((p) => p.name), ...Object.keys(COMBINATIONS)];
  const distances = names.map((other) => {
    const isPart = wanted.length >= 3 && (plain(other).startsWith(wanted) || wanted.startsWith(plain(other)));
    return [other, isPart ? 0 : editDistance(plain(other), wanted)] as const;
  });
  const allowed = wanted.length < 5 ? 1 : 2;
  return distances
    .filter(([, distance]) => distance <= allowed)
    .sort(([, a], [, b]) => a - b)
    .slice(0, 3)
    .map(([other]) => other);
}

/** How many letters must be put in, left out or changed (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1])));
    }
    row = next;
  }
  return row[b.length]!;
}

/** A proxy and one of its variants, such as `fisher:released`. */
export function requestNamed(text: string): ProxyRequest {
  const at = text.indexOf(':');
  if (at < 0) return { proxy: proxyNamed(text) };
  const proxy = proxyNamed(text.slice(0, at));
  const variant = text.slice(at + 1);
  if (Object.hasOwn(proxy.variants, variant)) return { proxy, variant };
  const known = Object.keys(proxy.variants);
  throw new AuspexError('PROXY_VARIANT', `${proxy.name} has no variant '${printableStart(variant, 40)}'`, {
    hint: known.length === 0 ? 'it has none' : `there is ${known.map((v) => `'${v}'`).join(', ')}`,
  });
}

/** Several proxies whose ranks within a pool are averaged. */
interface Combination {
  readonly name: string;
  readonly members: readonly ProxyRequest[];
  /**
   * One number a network, higher for a better one; undefined where it has none of the scores.
   *
   * @param scores one list a member, each with one score a network.
   */
  combine(scores: readonly (readonly (number | undefined)[])[]): (number | undefined)[];
}

/**
 * A combination by its name or the names of its members.
 *
 * @example
 * combinationNamed('ntsr');
 * combinationNamed('ntkt:eq12+sept:qkv+params');
 */
export function combinationNamed(text: string): Combination {
  const full = Object.hasOwn(COMBINATIONS, text) ? COMBINATIONS[text]! : text;
  const members = full.split('+').map((part) => requestNamed(part.trim()));
  const proxies = members.map(({ proxy }) => proxy);
  return { name: text, members, combine: (scores) => combineRanks(proxies, scores) };
}
