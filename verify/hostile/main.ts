// Puts thousands of damaged, absurd and malicious files through auspex. Every one must end in a result or in
// an error that says what is wrong and where, in bounded time and memory.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCase } from './cases.js';
import { loadCorpus } from './corpus.js';
import { type CaseResult, type PoolOptions, runCases } from './pool.js';
import { formatSummary, Summary, updateDocument } from './report.js';

const HELP = `npm run hostile -- [options]

  --count N     how many cases (default: 12000)
  --seed N      of the random numbers (default: 1)
  --only N      one case alone, by its number
  --save FILE   with --only: also write the case's file
  --workers N   processes (default: one per processor, at most 4)
  --json        print the results as JSON
  --docs FILE   also replace the figures in a document

Exit code 0: no defect. 1: there are defects. 2: the options make no sense.
`;

const LIMIT_MS = 2000;
const LIMIT_BYTES = 2 ** 30;

interface Options {
  readonly count: number;
  readonly seed: number;
  readonly only: number | undefined;
  readonly save: string | undefined;
  readonly workers: number;
  readonly json: boolean;
  readonly docs: string | undefined;
}

function parseOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '12000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      save: { type: 'string' },
      workers: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      json: { type: 'boolean', default: false },
      docs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const whole = (name: 'count' | 'seed' | 'only' | 'workers', least: number): number => {
    const number = Number(values[name]);
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new TypeError(`--${name} takes a whole number from ${least}, not '${values[name]}'`);
  };
  return {
    count: whole('count', 1),
    seed: whole('seed', 0),
    only: values.only === undefined ? undefined : whole('only', 0),
    save: values.save,
    workers: whole('workers', 1),
    json: values.json,
    docs: values.docs,
  };
}

async function main(): Promise<number> {
  let options: Options | undefined;
  try {
    options = parseOptions();
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  const { seed, count, only, save, json, docs } = options;
  const root = resolve(import.meta.dirname, '../..');
  const pool: PoolOptions = {
    seed,
    root,
    workers: only === undefined ? options.workers : 1,
    limitMs: LIMIT_MS,
    limitBytes: LIMIT_BYTES,
  };
  if (only !== undefined && save !== undefined) {
    writeFileSync(save, makeCase(seed, only, loadCorpus(root)).bytes);
  }
  const summary = new Summary();
  const slow: CaseResult[] = [];
  const indices = only === undefined ? new Array(count).keys() : [only];
  const progress = !json && process.stderr.isTTY;
  let done = 0;
  await runCases(indices, pool, (result) => {
    summary.add(result);
    if (result.durationMs > LIMIT_MS / 2) slow.push(result);
    done++;
    if (progress && done % 100 === 0)
      process.stderr.write(`\r${done} cases, ${summary.defects.length} defects`);
  });
  if (progress) process.stderr.write('\r\u001b[K');
  if (json) {
    const { kinds, total, defects } = summary;
    console.log(JSON.stringify({ seed, kinds, total, defects, slow }, undefined, 1));
  } else {
    console.log(formatSummary(summary, (index) => `npm run hostile -- --seed ${seed} --only ${index}`));
  }
  if (docs !== undefined) {
    updateDocument(docs, summary, `npm run hostile -- --count ${count} --seed ${seed}`);
  }
  return summary.defects.length > 0 ? 1 : 0;
}

process.exitCode = await main();
