// `auspex search`: finds good architectures of a space within a budget of evaluations.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { writeModel } from '../onnx/file.js';
import {
  bestTrial,
  type Direction,
  objectivesOf,
  ranked,
  type Trial,
  type Valued,
} from '../search/contract.js';
import { memoryLog } from '../search/log.js';
import { paretoFront } from '../search/pareto.js';
import { runSearch, type SearchEnd } from '../search/search.js';
import { STRATEGIES, type StrategyOptions, strategyNamed } from '../search/strategies.js';
import { type Description, describeArchitecture } from '../spaces/describe.js';
import { spaceNamed } from '../spaces/index.js';
import { fileDigest } from '../store/fingerprint.js';
import { checkOutputs, type PlannedOutput } from '../store/outputs.js';
import { TrialLog } from '../store/trial-log.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { positive, print, wholeNumber, withForce } from './command.js';
import { names } from './data-options.js';
import { broken, formatCount, formatExact } from './format.js';
import { progressLine } from './progress.js';
import { type FoundVolume, searchPage, volumeOf } from './search-page.js';
import {
  COSTS,
  constraintsOf,
  type JudgeFlags,
  judgeOf,
  type Limit,
  limit,
  networkOf,
  type ProxyScorers,
  type ProxySettings,
  scorerOf,
} from './search-parts.js';
import { untilStopped } from './signals.js';

interface SearchFlags extends JudgeFlags {
  strategy: string;
  option: StrategyOptions;
  proxy?: string;
  proxyBatch?: number;
  report?: string;
  max?: Limit[];
  min?: Limit[];
  budget: number;
  seed: number;
  parallel: number;
  output?: string;
  resume?: true;
  force?: true;
  json?: true;
}

/** In the folder of a search. */
const LOG = 'trials.jsonl';
const WINNER = 'winner.onnx';
const REPORT = 'report.html';

const ENDS: Readonly<Record<SearchEnd, string>> = {
  budget: 'the budget is spent',
  finished: 'the strategy is finished',
  exhausted: 'nothing new was found any more',
  stopped: 'it was stopped',
};

/** Zero-cost proxies as a search asks for them. */
export type ProxySource = (settings: ProxySettings) => ProxyScorers;

/** @param proxies scores of the space's networks by name; @param write where lines go: others in tests. */
export function searchCommand({
  proxies = (() => () => undefined) as ProxySource,
  write = print,
} = {}): Command {
  return withForce(new Command('search'))
    .summary('find good architectures of a space')
    .description(
      `Finds good architectures of a space within a budget of evaluations. What an
architecture is worth says a table, a predictor, a zero-cost proxy, or a
command of yours that gets it as an ONNX file and prints a number.`,
    )
    .argument('<space>', 'name of a space')
    .addOption(
      new Option('--strategy <name>', 'how to search').choices(Object.keys(STRATEGIES)).default('evolution'),
    )
    .option(
      '--option <name=value>',
      'of the strategy, such as population=50 (repeatable)',
      strategyOption,
      {},
    )
    .option('--proxy <names>', 'for etas: what chooses candidates, as ntsr or snip+params')
    .option('--proxy-batch <n>', 'samples at once that proxies look at (16)', wholeNumber)
    .option('--evaluator <what>', 'table:FILE, predictor:FILE or proxy:NAME')
    .option('--evaluate <command>', "a command, as './train.sh {onnx}'")
    .option('--label <names>', 'what is searched for, as accuracy,latency', names)
    .option('--better <ways>', 'higher or lower, for each label (higher; a table knows)', directions)
    .option('--timeout <seconds>', 'of a command (3600)', positive)
    .option('--retries <n>', 'of a command that failed (0)', wholeNumber)
    .option('--max <what=number>', 'only architectures with at most that (repeatable)', limit)
    .option('--min <what=number>', 'only architectures with at least that (repeatable)', limit)
    .requiredOption('--budget <n>', 'evaluations', wholeNumber)
    .option('--seed <n>', 'of the search', wholeNumber, 0)
    .option('--parallel <n>', 'evaluations, and networks that proxies score, at once', wholeNumber, 1)
    .option('-o, --output <folder>', `where ${LOG}, ${WINNER} and ${REPORT} are written`)
    .option('--report <file>', `where the report is written (${REPORT} in that folder)`)
    .option('--resume', 'go on with the search in that folder')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex search nasbench201 --evaluator table:nb201.csv.gz \\
    --label cifar10_test --budget 300
  auspex search autoformer-tiny --strategy etas --proxy ntsr --proxy-batch 2 \\
    --evaluate './train.sh {onnx}' --max parameters=9e6 --budget 33 -o run
  auspex search nasbench201 --strategy nsga2 --evaluator predictor:p.onnx \\
    --label accuracy,latency --better higher,lower --budget 2000

Limits are of ${COSTS.join(', ')}, or of FILE.onnx#label.
A search that was ended in any way goes on with --resume, to the same trials.
The JSON is described in docs/search-json.md.`,
    )
    .action((space: string, flags: SearchFlags) => run(space, flags, proxies, write));
}

async function run(
  name: string,
  flags: SearchFlags,
  proxies: ProxySource,
  write: (text: string) => void,
): Promise<void> {
  const base = spaceNamed(name);
  if (flags.resume && flags.output === undefined) {
    throw new AuspexError('BAD_OPTION', '--resume goes on with the search in a folder, which -o names');
  }
  const inputs = inputFiles(flags);
  checkOutputs({ outputs: outputsOf(flags), inputs: Object.values(inputs), force: flags.force });
  const ours = proxies({ seed: flags.seed, batch: flags.proxyBatch, workers: Math.max(1, flags.parallel) });
  const { space, evaluator } = await judgeOf(base, flags, ours);
  const scorer = flags.proxy === undefined ? undefined : await scorerOf(flags.proxy, base, ours);
  const strategy = strategyNamed(flags.strategy, scorer, flags.option);
  const constraints = await constraintsOf(base, flags.max ?? [], flags.min ?? []);
  const files = flags.output === undefined ? undefined : await digestsOf(inputs);
  const file = openLog(flags);
  const { budget, seed, parallel } = flags;
  const progress = progressLine('search');
  let best: Valued | undefined;
  try {
    const options = { space, evaluator, strategy, budget, seed, parallel, constraints };
    const { trials, end } = await untilStopped((signal) =>
      runSearch({ ...options, ...(files ? { files } : {}), log: file ?? memoryLog(), signal }, (trial) => {
        best = bestTrial(best ? [best, trial] : [trial], evaluator.better);
        progress.report((trial.index + 1) / budget, best ? `best ${best.value.toPrecision(5)}` : 'none yet');
      }),
    );
    progress.end();
    if (best === undefined) throw nothing(trials, end);
    const objectives = objectivesOf(evaluator);
    const front =
      objectives.length > 1 ? ranked(paretoFront(trials, objectives), evaluator.better) : undefined;
    const volume = front && volumeOf(trials, front, objectives);
    const found: Found = {
      space: base.name,
      strategy: strategy.name,
      options: strategy.options,
      evaluator: evaluator.name,
      objectives,
      constraints: constraints.map((constraint) => constraint.name),
      seed,
      budget,
      evaluations: trials.length,
      failed: trials.filter(({ error }) => error !== undefined).length,
      end,
      best: trialJson(best),
      cost: describeArchitecture(base, base.parse(best.arch)),
      ...(front ? { front: front.map(trialJson), hypervolume: volume! } : {}),
      ...(flags.output === undefined ? {} : { output: flags.output }),
    };
    if (flags.output !== undefined) writeModel(networkOf(base, best.arch), join(flags.output, WINNER));
    const report = flags.report ?? (flags.output === undefined ? undefined : join(flags.output, REPORT));
    if (report !== undefined) {
      const winner = best;
      const winners = [winner, ...(front ?? []).filter(({ index }) => index !== winner.index)];
      const html = searchPage({
        space: base,
        settings: settingsOf(found),
        objectives,
        trials,
        winners,
        volume,
      });
      await writeOutput(report, html);
    }
    write(flags.json ? searchJson(found) : searchText(found));
    if (end === 'stopped') {
      const kept = flags.output === undefined ? '' : '; the same command with --resume continues';
      process.stderr.write(`stopped after ${trials.length} of ${budget} evaluations${kept}\n`);
    }
  } finally {
    progress.end();
    file?.close();
  }
}

function outputsOf({ output, report, resume }: SearchFlags): PlannedOutput[] {
  const pages = report === undefined ? [] : [{ path: report, kind: 'html' as const }];
  if (output === undefined) return pages;
  return [
    { path: output, kind: 'folder' },
    { path: join(output, LOG), kind: 'log', isContinued: resume },
    { path: join(output, WINNER), kind: 'network' },
    ...(report === undefined ? [{ path: join(output, REPORT), kind: 'html' as const }] : pages),
  ];
}

/** The files that the search reads, by what names them. */
function inputFiles({ evaluator, proxy, max = [], min = [] }: SearchFlags): Record<string, string> {
  const [, judge] = /^(?:table|predictor):(.+)$/.exec(evaluator ?? '') ?? [];
  const predictors = [proxy ?? '', ...[...max, ...min].map(({ what }) => what)].flatMap((text) =>
    text.split('+').flatMap((name) => /^(.+\.onnx)#/.exec(name.trim())?.[1] ?? []),
  );
  return {
    ...(judge === undefined ? {} : { '--evaluator': judge }),
    ...Object.fromEntries(predictors.map((path) => [path, path])),
  };
}

/** Of the files that are there; folders are not looked into. */
async function digestsOf(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, path] of Object.entries(files)) {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) found[name] = await fileDigest(path);
  }
  return found;
}

function openLog({ output, resume, force }: SearchFlags): TrialLog | undefined {
  if (output === undefined) return undefined;
  try {
    mkdirSync(output, { recursive: true });
  } catch (cause) {
    throw new AuspexError('FILE_UNWRITABLE', `the folder cannot be made: ${(cause as Error).message}`, {
      where: { file: output },
      kind: 'failure',
      cause,
    });
  }
  return TrialLog.open(join(output, LOG), { resume, replace: force && !resume });
}

function nothing(trials: readonly Trial[], end: SearchEnd): AuspexError {
  const first = trials.find(({ error }) => error !== undefined)?.error;
  const why = first ? `: ${first.code}, ${first.message}` : '';
  return new AuspexError(
    'SEARCH_WITHOUT_RESULT',
    `none of ${trials.length} evaluations gave a value${why}; ${ENDS[end]}`,
    { kind: 'failure' },
  );
}

interface FoundTrial {
  readonly trial: number;
  readonly arch: string;
  readonly value: number;
  readonly objectives?: readonly number[];
}

const trialJson = ({ index, arch, value, objectives }: Valued): FoundTrial => ({
  trial: index,
  arch,
  value,
  ...(objectives ? { objectives } : {}),
});

interface Found {
  readonly space: string;
  readonly strategy: string;
  readonly options: StrategyOptions;
  readonly evaluator: string;
  readonly constraints: readonly string[];
  readonly seed: number;
  readonly budget: number;
  readonly objectives: readonly { readonly name: string; readonly better: Direction }[];
  readonly evaluations: number;
  readonly failed: number;
  readonly end: SearchEnd;
  readonly best: FoundTrial;
  readonly cost: Description;
  readonly front?: readonly FoundTrial[];
  readonly hypervolume?: FoundVolume;
  readonly output?: string;
}

function settingsOf(found: Found): [name: string, value: string][] {
  const options = Object.entries(found.options).map(([name, value]) => `${name} ${value}`);
  return [
    ['strategy', [found.strategy, ...options].join(', ')],
    ['evaluator', found.evaluator],
    ...(found.constraints.length > 0 ? [['limits', found.constraints.join(', ')] as [string, string]] : []),
    ['seed', String(found.seed)],
    ['budget', `${formatExact(found.budget)} evaluations`],
    ...(found.failed > 0 ? [['failed', formatExact(found.failed)] as [string, string]] : []),
    ['end', ENDS[found.end]],
  ];
}

function searchJson({ cost, ...found }: Found): string {
  const { parameters, macs, flops } = cost;
  return JSON.stringify(
    { schema: 'auspex.search/1', ...found, best: { ...found.best, cost: { parameters, macs, flops } } },
    null,
    2,
  );
}

function searchText({ objectives, evaluations, failed, end, best, cost, front, output }: Found): string {
  const valueText = ({ value, objectives: all }: FoundTrial): string =>
    (all ?? [value]).map((number, i) => `${objectives[i]!.name} ${number.toPrecision(5)}`).join(', ');
  const failures = failed === 0 ? '' : `, ${failed} of them failed`;
  return [
    `${evaluations} evaluations${failures}; ${ENDS[end]}`,
    '',
    `best: ${valueText(best)} (trial ${best.trial})`,
    ...broken(best.arch, 2),
    `  parameters ${formatExact(cost.parameters)}   MACs ${formatCount(cost.macs)}`,
    ...(front ? ['', 'none is better in everything than:'] : []),
    ...(front ?? []).flatMap((trial) => [`  ${valueText(trial)}`, ...broken(trial.arch, 4)]),
    ...(output === undefined ? [] : ['', [LOG, WINNER, REPORT].map((name) => join(output, name)).join(', ')]),
  ].join('\n');
}

function strategyOption(text: string, before: StrategyOptions): StrategyOptions {
  const [, name, value] = /^(\w+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return { ...before, [name]: Number.isNaN(Number(value)) ? value : Number(value) };
}

function directions(text: string): Direction[] {
  return text.split(',').map((way) => {
    if (way === 'higher' || way === 'lower') return way;
    throw new InvalidArgumentError("It must be 'higher' or 'lower', one for each label.");
  });
}
