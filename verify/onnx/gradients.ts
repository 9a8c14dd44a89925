// Gradients of whole networks against PyTorch: for every network of a folder made by verify/golden/networks.py,
// the gradients of its cross-entropy with respect to every weight that is in the file, computed by ONNX Runtime
// from the graph that auspex writes, must be PyTorch's. `npm run gradients -- --help` lists the options.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gradients } from '../../src/autodiff/gradients.js';
import { channelBlock } from '../../src/runtime/channel-block.js';
import { Session } from '../../src/runtime/session.js';
import { AuspexError } from '../../src/util/errors.js';
import { GoldenCase, LOSS, readManifest } from './golden.js';
import { compareWeight, type WeightResult } from './gradient-errors.js';
import { type NetworkResult, reportFar, reportLine, updateGradientFigures } from './gradient-report.js';

const HELP = `npm run gradients -- FOLDER [REGEX] [options]

  FOLDER         what verify/golden/networks.py wrote
  REGEX          only networks whose name, such as resnet18.dynamo, matches
  --threads N    threads of ONNX Runtime (default: 1)
  --blocks       with the runtime's blocked kernels, as in training steps
  --docs FILE    also replace the figures in a document

Exit code 0: all gradients are PyTorch's. 1: some are not, or a rule is
missing. 2: there is nothing to test.
`;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: '1' },
    blocks: { type: 'boolean', default: false },
    docs: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  const [folder, pattern = ''] = positionals;
  if (options.help || folder === undefined) {
    (options.help ? process.stdout : process.stderr).write(HELP);
    return options.help ? 0 : 2;
  }
  const manifest = readManifest(folder);
  const chosen = manifest.networks.filter(({ name }) => new RegExp(pattern).test(name));
  if (chosen.length === 0) {
    process.stderr.write('no network matches\n');
    return 2;
  }
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const results: NetworkResult[] = [];
  for (const entry of chosen) {
    const result: NetworkResult = { entry, ...(await attempt(join(folder, entry.name))) };
    results.push(result);
    console.log(reportLine(result, width));
  }
  console.log(reportFar(results));
  const passed = results.filter(({ problem }) => problem === undefined).length;
  console.log(`${passed} of ${results.length} networks have PyTorch's gradients`);
  if (options.docs !== '') updateGradientFigures(options.docs, manifest, results);
  return passed === results.length ? 0 : 1;
}

/** The results of one network, and what is wrong with them, or why there are none. */
async function attempt(folder: string): Promise<Pick<NetworkResult, 'weights' | 'problem' | 'missing'>> {
  try {
    const weights = await check(new GoldenCase(folder));
    const different = weights.filter(({ verdict }) => verdict === 'different').length;
    return different === 0 ? { weights } : { weights, problem: `${different} different` };
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    const problem = error.describe().replace(/\n\s*/g, ' ');
    const { operator } = error.where;
    return error.code === 'GRADIENT_MISSING' && operator
      ? { weights: [], problem, missing: operator }
      : { weights: [], problem };
  }
}

async function check(golden: GoldenCase): Promise<WeightResult[]> {
  const wanted = golden.weights.flatMap(({ uses }) => uses.map((use) => use.name));
  const { model, gradients: found } = gradients(golden.model, LOSS, wanted, {
    channelBlock: options.blocks ? await channelBlock() : undefined,
  });
  const session = await Session.create(model, { threads: Number(options.threads) });
  try {
    const results = await session.run(await golden.feeds());
    checkLoss(Number(results[LOSS]!.data[0]), golden.loss);
    const gradient = (name: string): Float32Array => results[found.get(name)!]!.data as Float32Array;
    return golden.weights.map((weight) => compareWeight(golden, weight, golden.gradientOf(weight, gradient)));
  } finally {
    await session.dispose();
  }
}

/** If not even the loss is right, then the file does not compute what PyTorch does. */
function checkLoss(actual: number, expected: number): void {
  if (Math.abs(actual - expected) <= 1e-4 * Math.abs(expected)) return;
  throw new AuspexError(
    'LOSS_DIFFERS',
    `the loss is ${actual}, PyTorch's ${expected}: the export is at fault`,
  );
}
