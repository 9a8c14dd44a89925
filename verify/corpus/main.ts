// Scores every ONNX file of a folder as a new user would, with no options: which of nine scores come back, why others do
// not, how much memory and time it takes. Every file is scored by a process of its own under a limit of memory and time.
// Results go to a file of JSON lines; a second run goes on where the first ended.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatReport } from './report.js';
import { ResultFile } from './results.js';
import { scoreFile } from './score-file.js';

const HELP = `npm run corpus -- FOLDER [options]

  -o, --output FILE   results, one JSON line per file (default: corpus.jsonl)
  --memory GB         address space of a process (default: 8)
  --timeout SECONDS   per file (default: 120)
  --only TEXT         files whose name contains it
  --report            print the table of an earlier run

Needs the built command line: npm run build.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    output: { type: 'string', short: 'o', default: 'corpus.jsonl' },
    memory: { type: 'string', default: '8' },
    timeout: { type: 'string', default: '120' },
    only: { type: 'string', default: '' },
    report: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [folder] = positionals;
if (values.help || (folder === undefined && !values.report)) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const results = new ResultFile(values.output);
  const names = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.onnx'));
  for (const name of names.sort()) {
    if (values.report || results.has(name) || !name.includes(values.only)) continue;
    const limits = { memoryGb: Number(values.memory), timeoutS: Number(values.timeout) };
    const result = await scoreFile(resolve(folder!, name), limits);
    results.append(result);
    const count = Object.keys(result.scores).length;
    process.stderr.write(`${name}: ${count} scores, ${result.peakMb} MB, ${result.seconds.toFixed(1)} s\n`);
  }
  process.stdout.write(formatReport(results.all));
}
