// `auspex device calibrate`: learns how fast this machine runs kernels, for predictions of any network on it.
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { type CalibrateRequest, calibrate } from '../app/calibrate/calibrate.js';
import type { Optimization } from '../measure/protocol.js';
import { AuspexError } from '../util/errors.js';
import { positive, print, threadCount, wholeNumber } from './command.js';
import { progressLine } from './progress.js';
import { bytes } from './score-options.js';
import { untilStopped } from './signals.js';
import { calibrationText } from './text/calibration.js';

const EXAMPLES = `
Examples:
  auspex device calibrate -o my.device.json
  auspex device calibrate mine/*.onnx -o my.device.json --minutes 10
  auspex device calibrate -o board.device.json --threads 4 --resume
  auspex predict net.onnx --device my.device.json

Networks of all search spaces are measured, each with the times of its kernels:
your own first, then those whose kernels are known worst. The time of any other
network is predicted as the sum of its kernels. Ctrl-C keeps what was measured;
--resume continues. Close other programs meanwhile.
See docs/guides/latency.md and docs/json/calibration.md (JSON).`;

interface CalibrateFlags {
  output: string;
  name?: string;
  minutes: number;
  threads: number;
  provider: string;
  graphOptimization: Optimization;
  seed: number;
  memory?: number;
  resume?: true;
  force?: true;
  json?: true;
}

const MOST_MINUTES = 15;

export function calibrateCommand(): Command {
  return new Command('calibrate')
    .summary('measure kernels on this machine, to predict any network on it')
    .description(
      'Measures kernels on this machine and writes a device, which predicts the latency of any network on it.',
    )
    .argument('[networks...]', 'ONNX files or architectures that are measured first')
    .requiredOption('-o, --output <file>', 'device to write: NAME.device.json')
    .option('--name <name>', 'what the device is called (default: the name of the file)')
    .option('--minutes <n>', `minutes of measuring, at most ${MOST_MINUTES}`, positive, 5)
    .option('--threads <n>', 'threads of ONNX Runtime', threadCount, 1)
    .option('--provider <name>', 'execution provider', 'cpu')
    .addOption(
      new Option('--graph-optimization <level>', 'what ONNX Runtime may fuse')
        .choices(['disabled', 'basic', 'extended', 'all'])
        .default('all'),
    )
    .option('--seed <n>', 'random seed of the networks', wholeNumber, 0)
    .option('--memory <size>', 'memory that a process may take: 8GB (90% of what is free)', bytes)
    .option('--resume', 'continue an interrupted calibration')
    .option('--force', 'begin anew, and overwrite existing files')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((refs: string[], flags: CalibrateFlags) =>
      untilStopped((signal) => run(refs, flags, signal), 'continue with --resume; what was measured is kept'),
    );
}

async function run(refs: string[], flags: CalibrateFlags, signal: AbortSignal): Promise<void> {
  const request = requestFrom(refs, flags);
  const line = progressLine('calibrate');
  try {
    const document = await calibrate(request, { signal, progress: (part, note) => line.report(part, note) });
    line.end();
    print(flags.json ? JSON.stringify(document, null, 2) : calibrationText(document));
  } finally {
    line.end();
  }
}

function requestFrom(refs: readonly string[], flags: CalibrateFlags): CalibrateRequest {
  const { output, minutes, threads, provider, graphOptimization, memory, seed, resume, force } = flags;
  const name = flags.name ?? nameFrom(output);
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    throw new AuspexError('BAD_OPTION', `a device cannot be called '${name}'`, {
      hint: 'use lower case letters, digits, -, _ and .: --name my-laptop',
    });
  }
  if (minutes > MOST_MINUTES) {
    throw new AuspexError('BAD_OPTION', `--minutes is at most ${MOST_MINUTES}`);
  }
  if (resume && force) throw new AuspexError('BAD_OPTION', 'give --resume or --force, not both');
  return {
    output,
    name,
    refs,
    settings: { threads, provider, optimization: graphOptimization },
    minutes,
    seed,
    resume,
    force,
    memoryBytes: memory,
  };
}

function nameFrom(output: string): string {
  const stem = basename(output).replace(/(\.device)?\.json$/i, '');
  return (
    stem
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '') || 'device'
  );
}
