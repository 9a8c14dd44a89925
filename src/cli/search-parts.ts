// What the options of `auspex search` name: evaluators, scores and limits.
import { InvalidArgumentError } from 'commander';
import type { Table } from '../datasets/table.js';
import { ArchNetwork } from '../networks/arch-network.js';
import { COMBINATIONS } from '../proxies/index.js';
import { costWithin, scoreWithin } from '../search/constraints.js';
import type { Constraint, Direction, Evaluator, Scorer } from '../search/contract.js';
import { joinedEvaluator, scorerEvaluator, tableEvaluator } from '../search/evaluators.js';
import { predictorScorer, rankCombined } from '../search/scorers.js';
import { tableSpace } from '../search/table-space.js';
import { describeArchitecture, type NetworkDescription } from '../spaces/describe.js';
import { ARCH_KEY } from '../spaces/network.js';
import type { AnySpace } from '../spaces/space.js';
import { commandEvaluator } from '../store/command-evaluator.js';
import { readTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { loadPredictor } from './predictors.js';

/** What networks cost, as scores and limits name it. */
export const COSTS = ['parameters', 'macs', 'flops', 'depth', 'nodes'] as const;
type Cost = (typeof COSTS)[number] & keyof NetworkDescription;

const isCost = (name: string): name is Cost => (COSTS as readonly string[]).includes(name);

export interface JudgeFlags {
  evaluator?: string;
  evaluate?: string;
  label?: string[];
  better?: Direction[];
  timeout?: number;
  retries?: number;
}

/** Who evaluates, and the space to search in: of a table only its rows. */
export interface Judge {
  readonly evaluator: Evaluator;
  readonly space: AnySpace;
}

/** A network with its text, as `auspex space export` writes it. */
export function networkOf(space: AnySpace, text: string) {
  const model = space.network(space.parse(text));
  return { ...model, metadata: new Map([...(model.metadata ?? []), [ARCH_KEY, text]]) };
}

export async function judgeOf(space: AnySpace, flags: JudgeFlags, proxies: ProxyScorers): Promise<Judge> {
  const { evaluator, evaluate, label = [], better = [] } = flags;
  if ((evaluator === undefined) === (evaluate === undefined)) {
    throw new AuspexError('BAD_OPTION', 'give one of --evaluator and --evaluate', {
      hint: "--evaluator table:FILE, predictor:FILE or proxy:NAME, or --evaluate './train.sh {onnx}'",
    });
  }
  if (evaluate !== undefined) {
    const names = label.length === 0 ? ['value'] : label;
    const own = commandEvaluator({
      command: evaluate,
      objectives: names.map((name, i) => ({ name, better: better[i] ?? 'higher' })),
      network: (arch) => networkOf(space, arch),
      ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
      ...(flags.retries === undefined ? {} : { retries: flags.retries }),
    });
    return { space, evaluator: own };
  }
  const [, kind, file] = /^(table|predictor|proxy):(.+)$/.exec(evaluator!) ?? [];
  if (kind === undefined || file === undefined) {
    throw new AuspexError('BAD_OPTION', `'${evaluator}' names no evaluator`, {
      hint: '--evaluator table:FILE, predictor:FILE or proxy:NAME',
    });
  }
  if (kind === 'proxy') return { space, evaluator: scorerEvaluator(await ownScorer(file, space, proxies)) };
  if (kind === 'table') {
    const table = await readTableFile(file);
    const labels = label.length > 0 ? label : [onlyLabel(table, file)];
    return { space: tableSpace(space, table, labels), evaluator: tableEvaluator(space, table, labels) };
  }
  const predictor = await loadPredictor(file);
  const uncovered = predictor.covers(new ArchNetwork(space, space.parse(space.example)));
  if (uncovered !== undefined) throw uncovered.within({ file });
  const names = label.length > 0 ? label : [predictor.info.labels[0]!.name];
  const each = names.map((name, i) =>
    scorerEvaluator(predictorScorer(predictor, name, better[i] ?? 'higher', space)),
  );
  return { space, evaluator: each.length === 1 ? each[0]! : joinedEvaluator(each) };
}

function onlyLabel(table: Table, file: string): string {
  const [label, ...more] = table.labels;
  if (label !== undefined && more.length === 0) return label.name;
  throw new AuspexError('LABEL_MISSING', 'the table has several labels: say which with --label', {
    where: { file },
    hint: `it has ${table.labels.map(({ name }) => name).join(', ') || 'none'}`,
  });
}

/** What the scores of proxies depend on, and how many networks are scored at once. */
export interface ProxySettings {
  readonly seed: number;
  readonly batch?: number | undefined;
  readonly workers: number;
}

/** A zero-cost proxy by its name, for architectures of a space; undefined if there is none. */
export type ProxyScorers = (name: string, space: AnySpace) => Scorer | undefined;

/** The score of a name that tells the value of one architecture, which a rank within a pool does not. */
async function ownScorer(name: string, space: AnySpace, proxies: ProxyScorers): Promise<Scorer> {
  if (!name.includes('+') && !Object.hasOwn(COMBINATIONS, name)) return scorerOf(name, space, proxies);
  throw new AuspexError('PROXY_POOL', `'${name}' ranks a pool, and says nothing of one architecture`, {
    hint: 'let it choose candidates (--strategy etas --proxy), or evaluate by one proxy',
  });
}

/**
 * The score that names joined by `+` stand for, the mean of ranks where there are several: costs, predictors as
 * `FILE.onnx#label` (or `FILE.onnx#label:lower`), and proxies.
 */
export async function scorerOf(text: string, space: AnySpace, proxies: ProxyScorers): Promise<Scorer> {
  const scorers: Scorer[] = [];
  for (const name of text.split('+')) scorers.push(await oneScorer(name.trim(), space, proxies));
  return scorers.length === 1 ? scorers[0]! : rankCombined(scorers);
}

async function oneScorer(name: string, space: AnySpace, proxies: ProxyScorers): Promise<Scorer> {
  if (isCost(name)) return costScorer(space, name);
  const [, file, label, better = 'higher'] = /^(.+\.onnx)#([^:]+)(?::(higher|lower))?$/.exec(name) ?? [];
  if (file !== undefined) {
    return predictorScorer(await loadPredictor(file), label!, better as Direction, space);
  }
  const proxy = proxies(name, space);
  if (proxy !== undefined) return proxy;
  throw new AuspexError('SCORE_UNKNOWN', `nothing called '${name}' scores architectures`, {
    hint: `there are ${COSTS.join(', ')}, the proxies, and FILE.onnx#label for a predictor`,
  });
}

/** More is taken for better, as larger networks mostly are. */
function costScorer(space: AnySpace, what: Cost): Scorer {
  return {
    name: what,
    better: 'higher',
    score: async (list) =>
      Float64Array.from(list, (arch) => describeArchitecture(space, space.parse(arch))[what]),
  };
}

export interface Limit {
  readonly what: string;
  readonly value: number;
}

/** `parameters=9e6`. */
export function limit(text: string, before: readonly Limit[] = []): Limit[] {
  const [, what, number] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  const value = Number(number);
  if (what !== undefined && Number.isFinite(value)) return [...before, { what, value }];
  throw new InvalidArgumentError('It must be a cost or a predicted label and a number: parameters=9e6.');
}

/** Limits on costs and on what predictors say. */
export async function constraintsOf(
  space: AnySpace,
  most: readonly Limit[],
  least: readonly Limit[],
): Promise<Constraint[]> {
  const each = async ({ what, value }: Limit, side: 'most' | 'least'): Promise<Constraint> => {
    const range = { [side]: value };
    if (isCost(what)) return costWithin(space, what, range);
    return scoreWithin(await oneScorer(what, space, () => undefined), range);
  };
  const found: Constraint[] = [];
  for (const one of most) found.push(await each(one, 'most'));
  for (const one of least) found.push(await each(one, 'least'));
  return found;
}
