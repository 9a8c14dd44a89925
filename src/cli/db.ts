// `auspex db`: the database of measurements.
import { Command } from 'commander';
import { databaseStats, exportedLines, importFile } from '../app/database.js';
import { refitDevices } from '../app/device/refit.js';
import { refitDocumentOf } from '../app/documents/device.js';
import { print } from './command.js';
import { untilStopped } from './signals.js';
import { refitText } from './text/device.js';
import { formatExact, table } from './text/format.js';

const EXAMPLES = `
Examples:
  auspex db stats
  auspex db export > measurements.jsonl
  auspex db import measurements.jsonl
  auspex db stats --db team.db --json
  auspex db refit

auspex measure adds to the database: --db FILE, AUSPEX_DB, or
~/.local/share/auspex/auspex.db. Importing a file twice changes nothing.
See docs/guides/latency.md and docs/json/db.md.`;

interface DbFlags {
  db?: string;
  device?: string;
  json?: true;
}

export function dbCommand(): Command {
  const command = new Command('db')
    .description('The database of measurements: what is in it, all of it as text, and what others measured.')
    .addHelpText('after', EXAMPLES);
  const sub = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--db <file>', 'the database (AUSPEX_DB, or in ~/.local/share)');
  sub('stats', 'Counts networks, devices, measurements and predictions.')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(stats);
  sub('export', 'Prints all rows, one line of JSON each.').addHelpText('after', EXAMPLES).action(exportAll);
  sub('import', 'Adds rows that another database exported.')
    .argument('<file>', 'what `auspex db export` printed; - for standard input')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(importOne);
  sub('refit', 'Fits devices to all that was measured on them, for `predict --device`.')
    .option('--device <name>', 'only this one (default: all with at least 5 networks)')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(refit);
  return command;
}

async function stats({ db, json }: DbFlags): Promise<void> {
  const found = await databaseStats(db);
  if (json) return print(JSON.stringify(found, null, 2));
  const { counts, devices, file } = found;
  print(file);
  print(
    `  ${formatExact(counts.measurements)} measurements of ${formatExact(counts.networks)} networks on ${formatExact(counts.devices)} devices; ${formatExact(counts.predictions)} predictions`,
  );
  if (devices.length === 0) return;
  const rows = devices.map((one) => [
    one.name,
    formatExact(one.measurements),
    formatExact(one.networks),
    one.latest.slice(0, 10),
  ]);
  const right = (title: string) => ({ title, align: 'right' as const });
  const columns = [
    { title: 'Device', flexible: 'middle' as const },
    right('Measurements'),
    right('Networks'),
    right('Latest'),
  ];
  print(table(columns, rows, 2).join('\n'));
}

async function exportAll({ db }: DbFlags): Promise<void> {
  for await (const line of exportedLines(db)) print(line);
}

async function importOne(file: string, { db, json }: DbFlags): Promise<void> {
  const { read, added } = await importFile(file, db);
  if (json) return print(JSON.stringify({ schema: 'auspex.db.import/1', file, read, added }, null, 2));
  print(
    `${formatExact(read.measurements)} measurements read, ${formatExact(added.measurements)} of them new`,
  );
}

async function refit({ db, device, json }: DbFlags): Promise<void> {
  const found = await untilStopped((signal) => refitDevices({ db, device, signal }));
  print(json ? JSON.stringify(refitDocumentOf(found), null, 2) : found.map(refitText).join('\n\n'));
}
