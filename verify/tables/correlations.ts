// How well zero-cost scores of a table's networks agree with what was measured of them, proxy by proxy and for ranks put
// together, over several seeds.
import { combinationNamed, requestNamed } from '../../src/proxies/index.js';
import { agreement, markdown, meanText, type ScoreFile } from './scores.js';

export interface Comparison {
  readonly file: ScoreFile;
  readonly set: string;
  readonly texts: readonly string[];
  /** The higher, the better. */
  readonly truths: readonly number[];
  readonly proxies: readonly string[];
  /** Proxies that no seed changes: their scores are those of seed 0. */
  readonly fixed: ReadonlySet<string>;
  /** Ranks within the pool that are put together, such as `ntsr`. */
  readonly combined: readonly string[];
  readonly seeds: number;
  /** Numbers that do not come from the file. */
  readonly more?: Readonly<Record<string, readonly number[]>>;
  /** What was published, by proxy. */
  readonly paper?: Readonly<Record<string, string>>;
  /** The least τ-b that is asked for, by proxy. */
  readonly floors?: Readonly<Record<string, number>>;
}

/** Without proxies that too few networks are scored by. */
export function correlationTable(given: Comparison): string {
  const { file, set, texts, truths, proxies, fixed, combined, more = {}, paper = {}, floors = {} } = given;
  const scores = (proxy: string, seed: number): (number | undefined)[] =>
    texts.map((arch) => file.get(set, arch, fixed.has(proxy) ? 0 : seed, proxy));
  const line = (name: string, isFixed: boolean, of: (seed: number) => (number | undefined)[]): string[][] => {
    const found = Array.from({ length: isFixed ? 1 : given.seeds }, (_, seed) => agreement(of(seed), truths));
    const made = found.filter((each) => each !== undefined);
    if (made.length === 0) return [];
    const networks = [...new Set(made.map(({ n }) => n))].join(', ');
    const [tau, rho] = [made.map((each) => each.tau), made.map((each) => each.rho)];
    const floor = floors[name];
    const mean = tau.reduce((sum, x) => sum + x, 0) / tau.length;
    const judged = floor === undefined ? '' : `${mean >= floor ? 'reached' : 'missed'} (≥ ${floor})`;
    return [[name, networks, meanText(tau), meanText(rho), paper[name] ?? '', judged]];
  };
  const single = proxies.flatMap((name) => {
    const sign = requestNamed(name).proxy.better === 'higher' ? 1 : -1;
    return line(name, fixed.has(name), (seed) => scores(name, seed).map((score) => score && sign * score));
  });
  const together = combined.flatMap((text) => {
    const { members, combine } = combinationNamed(text);
    const names = members.map(({ proxy, variant }) => (variant ? `${proxy.name}:${variant}` : proxy.name));
    const isFixed = names.every((name) => fixed.has(name));
    return line(text, isFixed, (seed) => combine(names.map((name) => scores(name, seed))));
  });
  const others = Object.entries(more).flatMap(([name, values]) => line(name, true, () => [...values]));
  return markdown(
    ['proxy', 'networks', 'τ-b', 'Spearman', 'paper: KT / SPR', 'floor of τ-b'],
    [...others, ...single, ...together],
  );
}

/** What scoring took. */
export function costTable(file: ScoreFile, set: string): string {
  return markdown(
    ['scored together', 'networks', 'core-seconds a network'],
    [...file.costs(set)].map(([proxies, { networks, coreSeconds }]) => [
      proxies,
      String(networks),
      coreSeconds.toFixed(2),
    ]),
  );
}
