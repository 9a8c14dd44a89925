// What `auspex search` does: finds good networks of a space within a budget, and writes the log, the winner and a report.
import { join } from 'node:path';
import { writeModel } from '../../onnx/file.js';
import { bestTrial, ranked, type Strategy, type Trial, type Valued } from '../../search/contract.js';
import { costEvaluator, joinedEvaluator } from '../../search/evaluators.js';
import { volumeOf } from '../../search/hypervolume.js';
import { memoryLog } from '../../search/log.js';
import { paretoFront } from '../../search/pareto.js';
import { runSearch, type SearchEnd, type SearchOptions } from '../../search/run.js';
import { STRATEGIES, strategyNamed } from '../../search/strategies/registry.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import type { SearchDocument, SearchDocumentTrial } from '../documents/search.js';
import { embeddingFile, openEmbedding } from './embedding.js';
import { ENDS } from './ends.js';
import { openJudge } from './evaluators.js';
import { checkFiles, inputDigests, openLog, reportPath, SEARCH_FILES } from './files.js';
import { SearchPredictors } from './predictors.js';
import { type CheckedRequest, checkedRequest, type SearchRequest } from './request.js';
import { constraintsOf, type ProxySource, scorerNamed } from './scorers.js';
import { openSubject, type SearchSubject } from './subject.js';
import { exportedModel } from './winner.js';

interface SearchWork {
  /** Zero-cost proxies by name; those of auspex by default. */
  readonly proxies?: ProxySource;
  readonly signal?: AbortSignal;
  /** @param best so far, if there is one */
  readonly progress?: (done: number, all: number, best: Valued | undefined) => void;
  /** Of auspex, for the report. */
  readonly version?: string;
  /** Called with what was assumed. */
  readonly onNote?: (note: string) => void;
}

/**
 * @throws AuspexError for what is wrong with the request or its files, and SEARCH_WITHOUT_RESULT
 * @example
 * const found = await searchNetworks({ space: 'nasbench201', evaluator: 'predictor:p.onnx', budget: 500 });
 * found.best.arch;
 */
export async function searchNetworks(request: SearchRequest, work: SearchWork = {}): Promise<SearchDocument> {
  const checked = checkedRequest(request);
  const subject = openSubject(checked.space, checked.sizes);
  const read = { file: subject.file, embedding: embeddingFile(checked, subject.space) };
  checkFiles(checked, read);
  const predictors = new SearchPredictors(subject);
  try {
    return await assembled(checked, { ...subject, ...read }, predictors, work);
  } finally {
    await predictors.dispose();
  }
}

/** Loaded when one is asked for: most searches begin sooner without. */
const ofAuspex: ProxySource = (settings) => async (name, space) => {
  const { proxyScorers } = await import('../score/scorers.js');
  const { scoreByPlan } = await import('../score/score.js');
  return proxyScorers(settings, scoreByPlan)(name, space);
};

async function assembled(
  request: CheckedRequest,
  subject: SearchSubject & { readonly embedding: string | undefined },
  predictors: SearchPredictors,
  work: SearchWork,
): Promise<SearchDocument> {
  const { seed, sizes, parallel, proxy, proxyBatch } = request;
  const { proxies = ofAuspex, signal, onNote = () => undefined } = work;
  const ours = proxies({ seed, batch: proxyBatch, workers: parallel });
  const sources = { space: subject.space, proxies: ours, predictors };
  // Cheap mistakes first: reading a table can take a minute.
  const scorer = proxy === undefined ? undefined : await scorerNamed(proxy, sources);
  const embedding = await openEmbedding(subject.embedding, predictors);
  const strategy = strategyNamed(request.strategy, scorer, request.options, embedding);
  const constraints = await constraintsOf(request.max, request.min, sources);
  const { space, evaluator: judge } = await openJudge(request, sources, { signal, onNote });
  const { alsoMinimises } = STRATEGIES.get(request.strategy)!;
  const isJoined = alsoMinimises !== undefined && judge.objectives.length === 1;
  const evaluator = isJoined ? joinedEvaluator([judge, costEvaluator(alsoMinimises)]) : judge;
  const budget = request.budget ?? ownBudget(request.strategy, strategy);
  const files = request.output === undefined ? {} : await inputDigests(request, subject);
  const options = { space, evaluator, strategy, budget, seed, constraints, network: subject.network, files };
  const log = openLog(request);
  try {
    return await run(request, subject, work, {
      ...options,
      sizes: { ...sizes },
      log: log ?? memoryLog(),
      ...(signal ? { signal } : {}),
    });
  } finally {
    log?.close();
    await embedding?.dispose();
  }
}

async function run(
  request: CheckedRequest,
  subject: SearchSubject,
  { progress, version = '' }: SearchWork,
  options: SearchOptions,
): Promise<SearchDocument> {
  const { output } = request;
  const { budget, evaluator, strategy, constraints = [], seed } = options;
  const { objectives } = evaluator;
  const { better } = objectives[0]!;
  let best: Valued | undefined;
  const { trials, end } = await runSearch(options, (trial) => {
    best = bestTrial(best ? [best, trial] : [trial], better);
    progress?.(trial.index + 1, budget, best);
  });
  if (best === undefined) throw nothing(trials, end);
  const front = objectives.length > 1 ? ranked(paretoFront(trials, objectives), better) : undefined;
  const network = subject.network(best.arch);
  const { parameters, macs, flops } = network.counts();
  const found: SearchDocument = {
    schema: 'auspex.search/1',
    space: subject.space.name,
    strategy: strategy.name,
    options: strategy.options,
    evaluator: evaluator.name,
    objectives: [...objectives],
    constraints: constraints.map(({ name }) => name),
    seed,
    budget,
    evaluations: trials.length,
    failed: trials.filter(({ error }) => error !== undefined).length,
    end,
    best: { ...documentTrial(best), cost: { parameters, macs, flops } },
    ...originOf(subject, best.arch),
    ...(front ? { front: front.map(documentTrial), hypervolume: volume(trials, front, options) } : {}),
    ...(output === undefined ? {} : { output }),
  };
  if (output !== undefined) writeModel(exportedModel(network), join(output, SEARCH_FILES.winner));
  const report = reportPath(request);
  if (report !== undefined) {
    const { searchPage } = await import('./page.js');
    await writeOutput(report, searchPage({ subject, found, trials, best, front: front ?? [], version }));
  }
  return found;
}

/** The evaluations of a strategy that ends by itself. @throws AuspexError BUDGET */
function ownBudget(name: string, { options }: Strategy): number {
  const found = STRATEGIES.get(name)?.evaluations?.(options);
  if (found !== undefined) return found;
  throw new AuspexError('BUDGET', `the strategy '${name}' needs a budget`, { hint: '--budget 300' });
}

/** Of a space that is made from one network: what that costs, and what is changed in the best one. */
function originOf(
  { space, network }: SearchSubject,
  arch: string,
): Pick<SearchDocument, 'origin' | 'changes'> {
  if (space.origin === undefined || space.changes === undefined) return {};
  const text = space.format(space.origin);
  const { parameters, macs, flops } = network(text).counts();
  const changes = space.changes(space.parse(arch)).map((change) => ({
    ...change,
    replaced: [...change.replaced],
    written: [...change.written],
  }));
  return { origin: { arch: text, cost: { parameters, macs, flops } }, changes };
}

function volume(trials: readonly Trial[], front: readonly Valued[], { evaluator }: SearchOptions) {
  const { value, reference } = volumeOf(trials, front, evaluator.objectives);
  return { value, reference: [...reference] };
}

const documentTrial = ({ index, arch, value, objectives }: Valued): SearchDocumentTrial => ({
  trial: index,
  arch,
  value,
  ...(objectives ? { objectives: [...objectives] } : {}),
});

function nothing(trials: readonly Trial[], end: SearchEnd): AuspexError {
  const first = trials.find(({ error }) => error !== undefined)?.error;
  const why = first ? `: ${first.code}, ${first.message}` : '';
  return new AuspexError(
    'SEARCH_WITHOUT_RESULT',
    `none of ${trials.length} evaluations gave a value${why}; ${ENDS[end]}`,
    { kind: 'failure' },
  );
}
