// What the commands of `auspex data` share: options that explain a plain file, opening it, and printing.
import { type Command, InvalidArgumentError } from 'commander';
import type { PlainTable } from '../datasets/metadata.js';
import type { Label, Table } from '../datasets/table.js';
import { readTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';

export interface PlainFlags {
  space?: string;
  arch?: string;
  label?: Omit<Label, 'provenance'>[];
  provenance?: string;
  json?: true;
  force?: true;
}

export const JSON_HELP = 'The JSON is described in docs/data-json.md, the tables in docs/datasets.md.';

/** Options that explain a file of a layout that is not known. */
export function withPlain(command: Command): Command {
  return command
    .option('--space <name>', 'of a plain CSV or JSON lines file: the space')
    .option('--arch <column>', 'of a plain file: the column with the architectures (arch)')
    .option(
      '--label <column:unit:better>',
      'of a plain file: a label, as latency:ms:lower (repeatable)',
      parseLabel,
    )
    .option('--provenance <text>', 'of a plain file: how its labels were obtained')
    .option('--json', 'print JSON');
}

export function open(file: string, flags: PlainFlags, signal?: AbortSignal): Promise<Table> {
  return readTableFile(file, { plain: plainTable(file, flags), progress, signal });
}

function plainTable(file: string, { space, arch, label, provenance }: PlainFlags): PlainTable | undefined {
  if (space === undefined) {
    if (arch === undefined && label === undefined && provenance === undefined) return undefined;
    throw new AuspexError(
      'BAD_OPTION',
      '--arch, --label and --provenance explain a plain file, which needs --space',
      {
        hint: 'auspex data import FILE --space NAME --arch COLUMN --label COLUMN -o OUT.csv.gz',
      },
    );
  }
  const labels = (label ?? []).map((given) => ({ ...given, provenance: provenance ?? `from ${file}` }));
  return { space, arch: arch ?? 'arch', labels };
}

function parseLabel(text: string, before: PlainFlags['label'] = []): PlainFlags['label'] {
  const [name = '', unit = '', better = 'higher', ...rest] = text.split(':');
  if (name === '' || rest.length > 0 || !['higher', 'lower'].includes(better)) {
    throw new InvalidArgumentError('Write it as accuracy:%:higher or latency:ms:lower.');
  }
  return [...before, { name, unit, better: better as Label['better'] }];
}

/** Only on a terminal, and only for folders, which take minutes. */
function progress(done: number, all: number): void {
  if (!process.stderr.isTTY || (done % 100 !== 0 && done !== all)) return;
  process.stderr.write(done === all ? '\r\x1b[K' : `\r${done} of ${all} architectures`);
}

/** JSON with the name and version of its schema. */
export function jsonText(command: string, fields: object): string {
  return JSON.stringify(
    { schema: `auspex.data.${command}/1`, ...fields },
    null,
    command === 'split' ? undefined : 2,
  );
}

export function names(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
