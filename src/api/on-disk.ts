// What needs files or processes, and so is for Node only.
import * as z from 'zod';
import { bundledEntries, loadBundled } from '../app/bundled.js';
import { type BundledEntry, bundledName } from '../app/bundled-index.js';
import { namedObjectives } from '../app/search/directions.js';
import { exportedModel } from '../app/search/winner.js';
import { Table } from '../datasets/table.js';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import type { Evaluator, Objective } from '../search/contract.js';
import { oneByOne } from '../search/evaluating.js';
import { commandEvaluator } from '../store/command-evaluator.js';
import { type TableFormat, writeTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { checkedOptions, count, expectText, given, whole } from './options.js';

/** A predictor that comes with the package. */
export interface BundledPredictor extends Omit<BundledEntry, 'file' | 'view'> {
  readonly name: string;
  load(options?: Pick<SessionOptions, 'threads'>): Promise<Predictor>;
}

/**
 * Lists the predictors that come with the package; each is loaded when it is asked for.
 *
 * @example
 * const latency = bundledPredictors().find(({ name }) => name === 'nasbench201-latency');
 * latency?.labels.some(({ name }) => name === 'pixel2'); // true
 * const predictor = await latency?.load();
 * predictor?.info.kind; // 'nn-former'
 * await predictor?.dispose();
 */
export function bundledPredictors(): BundledPredictor[] {
  return bundledEntries().map(({ file, view: _, ...entry }) => ({
    ...entry,
    name: bundledName(file),
    load: (options) => loadBundled(file, options),
  }));
}

/**
 * Writes a table as CSV or JSON lines, packed if the path ends with .gz. The file is whole or not there.
 *
 * @param format by default what the name of the file says
 * @throws AuspexError TABLE_FORMAT, FILE_UNWRITABLE
 * @example
 * const table = await readTable('cells.csv');
 * await writeTable('first.csv.gz', table.take([0, 1, 2]));
 * (await readTable('first.csv.gz')).rows; // 3
 */
export async function writeTable(path: string, table: Table, format?: TableFormat): Promise<void> {
  expectText('writeTable', 'a path', path);
  if (!(table instanceof Table)) throw new AuspexError('BAD_OPTION', 'writeTable takes a path and a Table');
  await writeTableFile(path, table, format);
}

export interface CommandEvaluatorOptions {
  /** What the command prints, in order: names such as `accuracy`, or objectives. Default `value`, higher being better. */
  readonly objectives?: readonly (string | Objective)[];
  /** After this the command is ended. Default 3600. */
  readonly timeoutSeconds?: number;
  /** How often a command that failed is tried again. Default 0. */
  readonly retries?: number;
  /** Commands at once. Default 1. */
  readonly parallel?: number;
}

const COMMAND = {
  objectives: z
    .array(
      z.union([
        z.string(),
        z.strictObject({
          name: z.string(),
          better: z.enum(['higher', 'lower']),
          unit: z.string().optional(),
        }),
      ]),
    )
    .optional(),
  timeoutSeconds: z.number().optional(),
  retries: whole.optional(),
  parallel: count.optional(),
};

/**
 * Evaluates networks by a command, such as a training script. In it, `{onnx}` is the path of the network and `{arch}` its
 * text. The last numbers that it prints are the values.
 *
 * @throws AuspexError BAD_OPTION, OBJECTIVE_MISSING, TIMEOUT
 * @example
 * const evaluator = fromCommand('wc -c < {onnx}', { objectives: [{ name: 'bytes', better: 'lower' }] });
 * const sizes: number[] = [];
 * for await (const { value = 0 } of search({ space: 'nats-size', evaluator, budget: 2 })) sizes.push(value);
 * sizes.every((bytes) => bytes > 10_000); // true
 */
export function fromCommand(command: string, options?: CommandEvaluatorOptions): Evaluator {
  expectText('fromCommand', 'a command', command);
  const {
    objectives = ['value'],
    parallel = 1,
    timeoutSeconds,
    retries,
  } = checkedOptions<CommandEvaluatorOptions>('fromCommand', COMMAND, options);
  const named = objectives.map((one) =>
    typeof one === 'string' ? namedObjectives([one], [], () => undefined)[0]! : one,
  );
  const own = commandEvaluator({
    command,
    objectives: named,
    model: exportedModel,
    ...given({ timeoutSeconds, retries }),
  });
  return oneByOne(own, own.evaluate, parallel);
}
