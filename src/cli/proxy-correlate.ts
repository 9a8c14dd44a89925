// `auspex proxy correlate`: how well zero-cost scores order the rows of a table.
import { Command } from 'commander';
import { correlate } from '../app/correlate.js';
import { correlateDocumentOf } from '../app/documents/correlate.js';
import { exitCodeOf } from '../app/documents/score.js';
import { columnsNamed } from '../app/score/columns.js';
import { ONNX } from '../networks/index.js';
import { checkOutputs } from '../store/outputs.js';
import { readTableFile } from '../store/table-file.js';
import { writeOutput } from '../store/write-file.js';
import { names, wholeNumber } from './command.js';
import {
  logOutput,
  requestFrom,
  runOptions,
  type ScoringFlags,
  sampleFiles,
  withScoring,
} from './score-options.js';
import { noteProblems, type Outlets, widthOf, withProgress } from './score-outlets.js';
import { untilStopped } from './signals.js';
import { correlatePage, correlateText } from './text/correlate.js';

interface CorrelateFlags extends ScoringFlags {
  data: string;
  label: string;
  sample?: number;
  resamples: number;
  report?: string;
}

export function correlateCommand(outlets: Outlets): Command {
  const command = new Command('correlate')
    .summary('correlate scores with measured data')
    .description(
      `Scores the rows of a benchmark table and correlates the scores with a label:
Kendall's τ-b and Spearman's ρ with confidence intervals for every proxy and
combination, strongest first. Directions are taken into account: a positive
correlation means that better scores go with better labels.`,
    )
    .requiredOption('--data <table>', 'table with measured values')
    .requiredOption('--label <name>', 'column to compare with')
    .option('--proxies <names>', 'proxies by name, a+b for mean ranks, or all', names, ['all'])
    .option('--sample <n>', 'number of rows to draw at random (default: all)', wholeNumber)
    .option('--resamples <n>', 'number of bootstrap resamples', wholeNumber, 1000)
    .option('--report <file>', 'write a bar chart and the numbers as one HTML file');
  return withScoring(command)
    .addHelpText(
      'after',
      `
Examples:
  auspex proxy correlate --data lts.csv --label perplexity --proxies all
  auspex proxy correlate --data nb201.csv.gz --label cifar10_test \\
    --proxies snip,synflow,snip+synflow --sample 500 \\
    -o scores.jsonl --report r.html

See docs/json/proxy.md (JSON) and docs/reference/proxies.md (proxies).`,
    )
    .action((flags: CorrelateFlags) => run(flags, outlets));
}

async function run(flags: CorrelateFlags, outlets: Outlets): Promise<void> {
  const { data: file, label, sample, resamples, report, force } = flags;
  const request = requestFrom(flags);
  const columns = columnsNamed(flags.proxies ?? ['all']);
  const outputs = [
    ...logOutput(flags),
    ...(report === undefined ? [] : [{ path: report, kind: 'html' as const }]),
  ];
  checkOutputs({ outputs, inputs: [file, ...sampleFiles(flags)], force });
  const table = await readTableFile(file);
  if (table.space === ONNX) checkOutputs({ outputs, inputs: table.architectures, force: true });
  const options = { table, file, label, columns, request, sample, resamples, ...runOptions(flags) };
  const found = await withProgress('correlate', (progress) =>
    untilStopped((signal) => correlate({ ...options, signal, progress })),
  );
  noteProblems(found, outlets);
  if (report !== undefined) await writeOutput(report, correlatePage(found));
  outlets.write(
    flags.json
      ? JSON.stringify(correlateDocumentOf(found, report ?? null), null, 2)
      : correlateText(found, report, widthOf(outlets)),
  );
  const code = exitCodeOf(found);
  if (code !== 0) outlets.exit(code);
}
