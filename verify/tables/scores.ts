// Scores of many networks in a file of JSON lines. Each is written as soon as it is known, so that a run that was ended
// goes on where it was; what was tried and failed is kept with its error and not tried again.
import { kendallTauB, spearman } from '../../src/metrics/index.js';
import { requestNamed, Subject, scoreAll } from '../../src/proxies/index.js';
import type { AnySpace, NetworkOptions } from '../../src/spaces/space.js';
import { TrialLog } from '../../src/store/trial-log.js';
import { Random } from '../../src/util/random.js';

/** What was found of one network in one go: proxies of a line shared what they could. */
interface Line {
  /** Where the network is from and in which setting it was scored: `lts-gpt2 n192`. */
  readonly set: string;
  readonly arch: string;
  readonly seed: number;
  readonly scores: Readonly<Record<string, number>>;
  readonly errors?: Readonly<Record<string, string>>;
  /** Of one core: what the process computed, however many others it shared the machine with. */
  readonly coreSeconds: number;
}

export interface Network {
  readonly arch: string;
  readonly subject: (seed: number, samples: number) => Subject;
}

/** An architecture of a space, at sizes of its own or others; scored on one thread. */
export function networkOf(space: AnySpace, arch: string, sizes: NetworkOptions = {}): Network {
  const subject = (seed: number, batch: number): Subject =>
    Subject.of(space.network(space.parse(arch), { ...sizes, batch, seed }), {
      seed,
      session: { threads: 1 },
    });
  return { arch, subject };
}

/** Proxies that are scored together, on batches of so many samples. */
export interface ProxyGroup {
  readonly samples: number;
  readonly proxies: readonly string[];
}

export class ScoreFile {
  readonly #log: TrialLog;
  readonly #lines: Line[];
  readonly #values = new Map<string, number>();

  constructor(path: string) {
    this.#log = TrialLog.open(path, { resume: true });
    this.#lines = [...(this.#log.records as readonly Line[])];
    for (const line of this.#lines) this.#note(line);
  }

  /** A score; NaN where the proxy failed, undefined where it was not tried. */
  get(set: string, arch: string, seed: number, proxy: string): number | undefined {
    return this.#values.get(JSON.stringify([set, arch, seed, proxy]));
  }

  add(line: Line): void {
    this.#log.append(line);
    this.#lines.push(line);
    this.#note(line);
  }

  /** Scores a network by the proxies (`fisher:released`) that it has no scores of. */
  async score(set: string, network: Network, seed: number, { proxies, samples }: ProxyGroup): Promise<void> {
    const missing = proxies.filter((name) => this.get(set, network.arch, seed, name) === undefined);
    if (missing.length === 0) return;
    const before = process.cpuUsage();
    const outcomes = await scoreAll(network.subject(seed, samples), missing.map(requestNamed));
    const { user, system } = process.cpuUsage(before);
    const scores: Record<string, number> = {};
    const errors: Record<string, string> = {};
    outcomes.forEach((outcome, i) => {
      if ('score' in outcome) scores[missing[i]!] = outcome.score.value;
      else errors[missing[i]!] = `${outcome.error.code}: ${outcome.error.message}`;
    });
    const failed = Object.keys(errors).length > 0 ? { errors } : {};
    this.add({ set, arch: network.arch, seed, scores, ...failed, coreSeconds: (user + system) / 1e6 });
  }

  /** Mean core-seconds of a network, by the proxies that were scored together. */
  costs(set: string): Map<string, { readonly networks: number; readonly coreSeconds: number }> {
    const sums = new Map<string, { networks: number; coreSeconds: number }>();
    for (const line of this.#lines.filter((each) => each.set === set)) {
      const together = [...Object.keys(line.scores), ...Object.keys(line.errors ?? {})].join(' ');
      const sum = sums.get(together) ?? { networks: 0, coreSeconds: 0 };
      sums.set(together, {
        networks: sum.networks + 1,
        coreSeconds: sum.coreSeconds + line.coreSeconds,
      });
    }
    return new Map(
      [...sums].map(([name, { networks, coreSeconds }]) => [
        name,
        { networks, coreSeconds: coreSeconds / networks },
      ]),
    );
  }

  #note({ set, arch, seed, scores, errors = {} }: Line): void {
    const key = (proxy: string): string => JSON.stringify([set, arch, seed, proxy]);
    for (const [proxy, value] of Object.entries(scores)) this.#values.set(key(proxy), value);
    for (const proxy of Object.keys(errors)) this.#values.set(key(proxy), Number.NaN);
  }
}

export interface ScoringOptions {
  readonly seeds: number;
  readonly groups: readonly ProxyGroup[];
  /** Proxies that no seed changes. */
  readonly fixed?: ReadonlySet<string>;
  /** Only these of the proxies, separated by commas. */
  readonly only?: string | undefined;
  /** When to stop, counted from the beginning of the process. */
  readonly seconds: number;
}

/** Scores all networks, seed by seed and group by group of proxies, until the time is over. */
export async function scoreUntil(
  file: ScoreFile,
  set: string,
  networks: readonly Network[],
  { seeds, groups, fixed, only, seconds }: ScoringOptions,
): Promise<void> {
  const wanted = only?.split(',');
  for (let seed = 0; seed < seeds; seed++) {
    const isDue = (proxy: string): boolean =>
      (wanted?.includes(proxy) ?? true) && (seed === 0 || !fixed?.has(proxy));
    for (const { samples, proxies } of groups) {
      for (const network of networks) {
        if (performance.now() >= 1000 * seconds) return;
        await file.score(set, network, seed, { samples, proxies: proxies.filter(isDue) });
      }
    }
  }
}

/** The set of a space in a setting: its tokens, and its vocabulary where that is not the space's own. */
export function settingName(
  { name, defaults }: AnySpace,
  { resolution, classes }: { readonly resolution: number; readonly classes: number },
): string {
  return `${name} n${resolution}${classes === defaults.classes ? '' : ` v${classes}`}`;
}

/** Rows drawn without replacement, always the same: those of a smaller count are the first of a larger one. */
export function drawnRows(rows: number, count: number): number[] {
  return [...Random.seeded(0).sample(rows, count)];
}

export interface Agreement {
  readonly n: number;
  readonly tau: number;
  readonly rho: number;
}

/** What fewer networks say of a proxy is chance. */
const LEAST_NETWORKS = 20;

/** Correlations over the pairs that are both finite; none of a handful. */
export function agreement(
  scores: readonly (number | undefined)[],
  truths: readonly number[],
): Agreement | undefined {
  const rows = truths
    .map((_, i) => i)
    .filter((i) => Number.isFinite(scores[i]) && Number.isFinite(truths[i]));
  const [a, b] = [rows.map((i) => scores[i]!), rows.map((i) => truths[i]!)];
  if (rows.length < LEAST_NETWORKS || new Set(a).size < 2 || new Set(b).size < 2) return undefined;
  return { n: rows.length, tau: kendallTauB(a, b), rho: spearman(a, b) };
}

/** Mean and standard deviation (of a sample) as `0.812 ± 0.004`, without the latter for one value. */
export function meanText(values: readonly number[], digits = 3): string {
  if (values.length === 0) return '–';
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  if (values.length === 1) return mean.toFixed(digits);
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1);
  return `${mean.toFixed(digits)} ± ${Math.sqrt(variance).toFixed(digits)}`;
}

export function markdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = `|---|${columns
    .slice(1)
    .map(() => '---:|')
    .join('')}`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}
