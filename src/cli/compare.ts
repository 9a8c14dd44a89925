// `auspex compare`: what differs between two networks.
import { Command } from 'commander';
import { type ComparedPair, compareAll } from '../app/compare.js';
import { compareDocumentOf } from '../app/documents/compare.js';
import { COMPARE_DEFAULTS, isSame } from '../networks/comparison/compare.js';
import { AuspexError } from '../util/errors.js';
import { positive, print, threadCount, wholeNumber } from './command.js';
import { untilStopped } from './signals.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { comparisonTable, comparisonText } from './text/compare.js';
import { comparedProfilesText } from './text/compare-profile.js';
import { wrapLines } from './text/format.js';

interface CompareFlags extends SizeFlags {
  samples: number;
  tolerance: number;
  seed: number;
  threads?: number;
  profile?: true;
  json?: true;
}

const EXAMPLES = `
Examples:
  auspex compare net.onnx simplified.onnx
  auspex compare before/ after/ --tolerance 1e-3
  auspex compare a.onnx b.onnx --samples 0 --json
  auspex compare fp32.onnx int8.onnx --profile

Nodes are matched by structure, not by name. Outputs are compared on random
inputs; their difference is relative to the largest output. Exit code: 0 if
both compute the same, 1 if not. See docs/guides/compare.md and
docs/json/compare.md (JSON).`;

export function compareCommand(): Command {
  const { samples, seed, tolerance } = COMPARE_DEFAULTS;
  const command = new Command('compare')
    .description('Compare two networks, or the networks of two folders that have the same names.')
    .argument('<a>', 'ONNX file, architecture of a space, or folder')
    .argument('<b>', 'what to compare it with')
    .option('--samples <n>', 'random inputs that both are run on; 0: do not run', wholeNumber, samples)
    .option('--tolerance <x>', 'largest relative difference of equal outputs', positive, tolerance)
    .option('--seed <n>', 'random seed of the inputs', wholeNumber, seed)
    .option('--threads <n>', 'threads of ONNX Runtime', threadCount)
    .option('--profile', 'measure both, and compare where their time goes')
    .option('--json', 'print JSON, one document per pair');
  return withSizes(command, 'samples at once, if the model leaves it open')
    .addHelpText('after', EXAMPLES)
    .action(run);
}

function run(a: string, b: string, flags: CompareFlags): Promise<void> {
  return untilStopped((signal) => compare(a, b, flags, signal));
}

async function compare(a: string, b: string, flags: CompareFlags, signal: AbortSignal): Promise<void> {
  const { samples, tolerance, seed, threads, profile = false, json } = flags;
  const request = {
    a,
    b,
    samples,
    tolerance,
    seed,
    sizes: sizesFrom(flags),
    ...(threads ? { threads } : {}),
    isProfiled: profile,
  };
  const pairs: ComparedPair[] = [];
  for await (const pair of compareAll(request, { signal })) {
    const { result } = pair;
    if (result instanceof AuspexError) {
      if (pair.a === a && pair.b === b) throw result;
      process.stderr.write(`${wrapLines(result.describe())}\n`);
      process.exitCode = 2;
    } else {
      if (!isSame(result.verdict)) process.exitCode ||= 1;
      if (json) print(JSON.stringify(compareDocumentOf(pair)));
      else pairs.push(pair);
    }
  }
  if (json || pairs.length === 0) return;
  const [first] = pairs;
  const isOne = pairs.length === 1 && first!.a === a && first!.b === b;
  if (!isOne) return print(comparisonTable(pairs));
  print(comparisonText(first!, { tolerance }));
  if (first!.profiles) print(`\n${comparedProfilesText(first!.profiles)}`);
}
