// `auspex evaluate`: evaluates a predictor on measured data.
import { Command, Option } from 'commander';
import { evaluateDocumentOf } from '../app/documents/evaluate.js';
import { type EvaluateRequest, type EvaluateWork, evaluatePredictor } from '../app/evaluate.js';
import { PARTS } from '../app/evaluate-table.js';
import { print, wholeNumber, withForce } from './command.js';
import { untilStopped } from './signals.js';
import { evaluationText } from './text/evaluate.js';

type EvaluateFlags = Omit<EvaluateRequest, 'predictor'> & { json?: true };

/** Rows that are predicted without a line of progress. */
const FEW = 4096;

/** @param write where lines go; @param work how files become predictors and networks: others in tests. */
export function evaluateCommand({
  write = print,
  ...work
}: { write?: typeof print } & EvaluateWork = {}): Command {
  return withForce(new Command('evaluate'))
    .description(
      'Compares predictions with measurements: rank correlations, errors and the\nquality of the best-predicted networks, each with a 95% interval, and the\nmeasured coverage of its prediction intervals.',
    )
    .argument('<predictor>', 'predictor file written by `auspex train`, or\nbundled:NAME')
    .requiredOption('--data <table>', 'table of measurements')
    .option('--label <name>', 'the label to compare with (default: all predicted labels)')
    .option('--space <name>', 'search space of a plain CSV file; onnx if it lists ONNX files')
    .option('--arch <column>', 'column of a plain file with the architectures (arch)')
    .option('--split <file>', 'use only rows of this split (from `auspex data split`)')
    .addOption(new Option('--part <part>', 'with --split: the part to use (test)').choices([...PARTS]))
    .option('--unseen', 'use only architectures not seen in training or validation')
    .option('--report <file>', 'write plots and metrics as one HTML file')
    .option('--resamples <n>', 'bootstrap resamples', wholeNumber, 1000)
    .option('--seed <n>', 'random seed for the bootstrap', wholeNumber, 0)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex evaluate p.onnx --data nb201.csv.gz --unseen --report p.html
  auspex evaluate p.onnx --data nb201.csv.gz --split run.split.json
  auspex evaluate p.onnx --data mine.csv --space nasbench201 --json

A predictor of one label can be compared with another, for example one trained
on validation accuracy with test accuracy.
See docs/json/evaluate.md (JSON) and docs/reference/metrics.md (metrics).`,
    )
    .action(async (predictor: string, { json, ...flags }: EvaluateFlags) => {
      const found = await untilStopped((signal) =>
        evaluatePredictor({ ...flags, predictor }, { progress, ...work, signal }),
      );
      write(
        json
          ? JSON.stringify(evaluateDocumentOf(found, flags.report), null, 2)
          : evaluationText(found, flags.report),
      );
    });
}

/** Only on a terminal, and only for many rows. */
function progress(done: number, all: number): void {
  if (!process.stderr.isTTY || all <= FEW) return;
  process.stderr.write(done === all ? '\r\x1b[K' : `\r${done} of ${all} rows predicted`);
}
