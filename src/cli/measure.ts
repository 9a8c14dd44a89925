// `auspex measure`: how long networks take on this machine, or on another.
import { Command } from 'commander';
import type { MeasureDocument } from '../app/documents/measure.js';
import { measureAll } from '../app/measure/measure.js';
import { openStore } from '../app/measure/store.js';
import { problemText } from '../app/problem.js';
import { printable } from '../util/printable.js';
import { print } from './command.js';
import { type MeasureFlags, measureRequestFrom, withMeasuring } from './measure-options.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { wrapLines } from './text/format.js';
import { measurementText } from './text/measure.js';

const EXAMPLES = `
Examples:
  auspex measure resnet50.onnx
  auspex measure resnet50.onnx --batch 1,8,32 --threads 1,2
  auspex measure bert.onnx --dim batch=1 --dim sequence=64,128,256
  auspex measure yolo.onnx --profile
  auspex measure new.onnx --baseline old.onnx --fail-if-slower 5%
  auspex measure net.onnx --runner './on-phone.sh {onnx} {runs}'

Each measurement runs in a process of its own: warm-up until times are stable,
then runs until the 95% interval of the median is narrow enough. Ctrl-C keeps
what was measured. Exit code 1: slower than the baseline, or something could
not be measured. See docs/guides/latency.md and docs/json/measure.md (JSON).`;

export function measureCommand(): Command {
  const command = new Command('measure')
    .description(
      'Measure how long networks take in ONNX Runtime, how much memory they need, and where\nthe time goes.',
    )
    .argument('[networks...]', 'ONNX files, folders, patterns, or architectures of a space');
  return withMeasuring(command).addHelpText('after', EXAMPLES).action(run);
}

function run(refs: string[], flags: MeasureFlags): Promise<void> {
  return untilStopped(
    (signal) => measure(refs, flags, signal),
    'nothing was measured yet; run the command again',
  );
}

/** What is said beside the result; storing is no part of it, so it does not fail the command. */
function note(text: string): void {
  process.stderr.write(`${wrapLines(text)}\n`);
}

async function measure(refs: string[], flags: MeasureFlags, signal: AbortSignal): Promise<void> {
  const request = measureRequestFrom(refs, flags);
  const store = await openStore(flags.db, note);
  const line = progressLine('measure');
  let document: MeasureDocument;
  try {
    const progress = (done: number, all: number): void => line.report(done / all, '');
    document = await measureAll(request, { signal, progress, onRow: store?.add });
  } finally {
    line.end();
    await store?.close();
  }
  const { rows, errors } = document;
  for (const { network, label, error } of errors) {
    const what = label === '' ? network : `${network}, ${label}`;
    const hint = error.hint === undefined ? '' : `\n  try: ${error.hint}`;
    process.stderr.write(`${wrapLines(printable(`${what}: ${problemText(error)}`) + hint)}\n`);
    process.exitCode = Math.max(Number(process.exitCode ?? 0), error.isFailure ? 1 : 2);
  }
  if (flags.json) print(JSON.stringify(document, null, 2));
  else if (rows.length > 0) print(measurementText(document, { isFusions: flags.fusions === true }));
  const isSlower = rows.some(({ regression }) => regression?.verdict === 'slower');
  if (isSlower && flags.failIfSlower !== undefined) process.exitCode ||= 1;
  if (signal.aborted) {
    process.stderr.write(
      `stopped; ${rows.length} measurement${rows.length === 1 ? ' was' : 's were'} made before\n`,
    );
  }
}
