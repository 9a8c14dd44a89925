// Conformance: what auspex says of the ONNX project's own test models, held against their data and against
// ONNX Runtime. `npm run conformance -- --help` lists the options.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkTest, type TestResult } from './check.js';
import { DEFAULT_DATA, findTests, type TestModel, testId } from './corpus.js';
import { updateFigures } from './figures.js';
import { formatReport, isUpgradeWrong, wronglyTransformed } from './report.js';
import { compareUnknowns, readUnknowns, type UnknownChanges } from './unknowns.js';

const HELP = `npm run conformance -- [options]

  --data DIR       folder of tests (default: ${DEFAULT_DATA})
  --unknown FILE   list of models that stay unknown, with reasons
                   (default: verify/onnx/unknown.json)
  --filter REGEX   only tests whose name, such as node/test_abs, matches
  --no-runtime     do not run the models in ONNX Runtime
  --json           print the results as JSON
  --docs FILE      also replace the figures in a document

Exit code 0: all as expected. 1: something is wrong, or differs from the
list of unknowns. 2: there is nothing to test.
`;

const OK = 0;
const FAILED = 1;
const USAGE = 2;

interface Options {
  readonly data: string;
  readonly unknown: string;
  readonly filter: RegExp;
  readonly docs: string;
  readonly json: boolean;
  readonly runtime: boolean;
  readonly help: boolean;
}

function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: DEFAULT_DATA },
      unknown: { type: 'string', default: 'verify/onnx/unknown.json' },
      filter: { type: 'string', default: '' },
      docs: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      runtime: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  return { ...values, filter: new RegExp(values.filter) };
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = parseOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    return USAGE;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return OK;
  }
  const tests = existsSync(options.data) ? findTests(options.data) : [];
  const chosen = tests.filter((test) => options.filter.test(testId(test)));
  if (chosen.length === 0) {
    process.stderr.write(nothingToTest(options.data, tests));
    return USAGE;
  }
  const results: TestResult[] = [];
  for (const test of chosen) results.push(await checkTest(test, options.runtime));
  const verdicts = new Map(results.map((r) => [r.id, r.shapes.verdict]));
  const unknowns = readUnknowns(options.unknown);
  const changes = compareUnknowns(verdicts, unknowns);
  const report = options.json
    ? JSON.stringify({ results, changes }, undefined, 2)
    : formatReport(results, changes);
  process.stdout.write(`${report}\n`);
  if (options.docs !== '') updateFigures(options.docs, options.unknown, results, unknowns);
  return isAsExpected(results, changes) ? OK : FAILED;
}

function isAsExpected(results: readonly TestResult[], { unlisted, outdated }: UnknownChanges): boolean {
  const failed = results.some(
    (r) =>
      r.shapes.verdict === 'wrong' ||
      r.symbolic.verdict === 'wrong' ||
      r.rewriteDifference !== undefined ||
      r.runtime?.outcome === 'different' ||
      isUpgradeWrong(r) ||
      wronglyTransformed(r).length > 0,
  );
  return !failed && unlisted.length === 0 && outdated.length === 0;
}

function nothingToTest(data: string, tests: readonly TestModel[]): string {
  if (tests.length > 0) return 'no test matches the filter\n';
  const how =
    data === DEFAULT_DATA
      ? 'install them with `apt-get install libonnx-testdata`, or give a folder with --data'
      : 'a folder holds <suite>/<test>/model.onnx and test_data_set_0';
  return `there are no test models in ${data}: ${how}\n`;
}

process.exitCode = await main();
