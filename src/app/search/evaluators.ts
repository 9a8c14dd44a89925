// The grammar of evaluators: `table:FILE`, `predictor:FILE`, `proxy:NAME`, or a command.
import type { Table } from '../../datasets/table.js';
import type { Evaluator } from '../../search/contract.js';
import { oneByOne } from '../../search/evaluating.js';
import { scorerEvaluator, tableEvaluator } from '../../search/evaluators.js';
import { predictorEvaluator } from '../../search/predicted.js';
import { TableRows } from '../../search/table-rows.js';
import { tableSpace } from '../../search/table-space.js';
import type { AnySpace } from '../../spaces/space.js';
import { commandEvaluator } from '../../store/command-evaluator.js';
import { AuspexError } from '../../util/errors.js';
import { pauses } from '../../util/pauses.js';
import { expectDirections, namedObjectives } from './directions.js';
import type { CheckedRequest } from './request.js';
import { ownScorer, type ScoreSources } from './scorers.js';
import { exportedModel } from './winner.js';

/** What evaluates, and the space to search in: of a table only its rows. */
interface Judge {
  readonly evaluator: Evaluator;
  readonly space: AnySpace;
}

interface JudgeOptions {
  readonly signal?: AbortSignal | undefined;
  onNote(note: string): void;
}

const KINDS = 'table:FILE, predictor:FILE or proxy:NAME';

/** The kind and the file or name of `table:FILE`. @throws AuspexError BAD_OPTION */
export function parseEvaluator(text: string): { kind: 'table' | 'predictor' | 'proxy'; name: string } {
  const [, kind, name] = /^(table|predictor|proxy):(.+)$/.exec(text) ?? [];
  if (kind !== undefined) return { kind: kind as 'table', name: name! };
  throw new AuspexError('BAD_OPTION', `'${text}' is not an evaluator`, { hint: `--evaluator ${KINDS}` });
}

/** @throws AuspexError BAD_OPTION, LABEL_MISSING, BETTER_CONTRADICTS, OTHER_SPACE, and what reading files throws */
export async function openJudge(
  request: CheckedRequest,
  sources: ScoreSources,
  options: JudgeOptions,
): Promise<Judge> {
  const { evaluator, evaluate } = request;
  if ((evaluator === undefined) === (evaluate === undefined)) {
    throw new AuspexError('BAD_OPTION', 'give either --evaluator or --evaluate', {
      hint: `--evaluator ${KINDS}, or --evaluate './train.sh {onnx}'`,
    });
  }
  const { space } = sources;
  if (evaluate !== undefined) return { space, evaluator: commandOf(evaluate, request, options) };
  const { kind, name } = parseEvaluator(evaluator!);
  if (kind === 'table') return tableJudge(name, request, space, options);
  const judge = kind === 'proxy' ? proxyOf(name, request, sources) : predictorOf(name, request, sources);
  return { space, evaluator: await judge };
}

function commandOf(command: string, request: CheckedRequest, { onNote }: JudgeOptions): Evaluator {
  const { label, better, timeout, retries, parallel } = request;
  const own = commandEvaluator({
    command,
    objectives: namedObjectives(label.length === 0 ? ['value'] : label, better, onNote),
    model: exportedModel,
    ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
    ...(retries === undefined ? {} : { retries }),
  });
  return oneByOne(own, own.evaluate, parallel);
}

async function tableJudge(
  file: string,
  { label, better }: CheckedRequest,
  space: AnySpace,
  { signal }: JudgeOptions,
): Promise<Judge> {
  const { readTableFile } = await import('../../store/table-file.js');
  const table = await readTableFile(file, { signal });
  const labels = label.length > 0 ? label : [onlyLabel(table, file)];
  await TableRows.prepare(space, table, labels, pauses(signal));
  const evaluator = tableEvaluator(space, table, labels);
  expectDirections(evaluator.objectives, better, file);
  return { space: tableSpace(space, table, labels), evaluator };
}

function onlyLabel(table: Table, file: string): string {
  const [label, ...more] = table.labels;
  if (label !== undefined && more.length === 0) return label.name;
  throw new AuspexError('LABEL_MISSING', 'the table has several labels; choose with --label', {
    where: { file },
    hint: `it has ${table.labels.map(({ name }) => name).join(', ') || 'none'}`,
  });
}

async function predictorOf(
  file: string,
  { label, better }: CheckedRequest,
  { predictors }: ScoreSources,
): Promise<Evaluator> {
  const predictor = await predictors.load(file);
  const labels = label.length > 0 ? label : [predictor.info.labels[0]!.name];
  const evaluator = predictorEvaluator(predictor, labels);
  expectDirections(evaluator.objectives, better, file);
  return evaluator;
}

/** A proxy is expensive: only as many are lost when a search is killed as it pays to start workers for. */
async function proxyOf(
  name: string,
  { better, parallel }: CheckedRequest,
  sources: ScoreSources,
): Promise<Evaluator> {
  const evaluator = scorerEvaluator(await ownScorer(name, sources), parallel === 1 ? 1 : 4 * parallel);
  expectDirections(evaluator.objectives, better, name);
  return evaluator;
}
