// Shared by the commands of `auspex data`: options that describe a plain file, progress, and printing.
import { type Command, InvalidArgumentError } from 'commander';
import type { PlainOptions } from '../app/data/explained-table.js';
import type { Work } from '../app/work.js';
import { type LabelRequest, parseLabel, parseLabels } from '../datasets/label-options.js';
import { AuspexError } from '../util/errors.js';
import { untilStopped } from './signals.js';

export interface PlainFlags {
  space?: string;
  arch?: string;
  label?: LabelRequest[];
  provenance?: string;
  json?: true;
}

export const JSON_HELP = 'See docs/json/data.md (JSON) and docs/guides/datasets.md (tables).';

/** Options that describe a file in an unknown format. */
export function withPlain(command: Command): Command {
  return command
    .option('--space <name>', 'search space of a plain CSV or JSON Lines file')
    .option('--arch <column>', 'column of a plain file with the architectures (arch)')
    .option(
      '--label <column[:part…]>',
      'label column of a plain file: latency, or latency:ms:lower:log (repeatable)',
      labelOption,
    )
    .option('--provenance <text>', 'how the labels of a plain file were obtained')
    .option('--json', 'print JSON');
}

export function plainOptions({ space, arch, label, provenance }: PlainFlags): PlainOptions {
  return { space, arch, labels: label, provenance };
}

function labelOption(text: string, before: LabelRequest[] = []): LabelRequest[] {
  return [...before, ...labelsIn(() => [parseLabel(text)])];
}

/** Labels separated by commas. */
export function labelRequests(text: string): LabelRequest[] {
  return labelsIn(() => parseLabels(text));
}

function labelsIn(parse: () => LabelRequest[]): LabelRequest[] {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AuspexError) throw new InvalidArgumentError(`${error.message}: ${error.hint}.`);
    throw error;
  }
}

/** Runs work that Ctrl-C stops; progress is shown on a terminal, and only of what takes long. */
export function working<T>(run: (work: Work) => Promise<T>): Promise<T> {
  const progress = (done: number, all: number): void => {
    if (!process.stderr.isTTY || (done % 100 !== 0 && done !== all)) return;
    process.stderr.write(done === all ? '\r\x1b[K' : `\r${done} of ${all} architectures`);
  };
  return untilStopped((signal) => run({ signal, progress }));
}

/** An option that may be given several times. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, text];
}
