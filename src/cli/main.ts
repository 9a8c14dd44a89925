#!/usr/bin/env node
// The command line. Exit codes: 0 success, 1 failure, 2 wrong usage or bad input, 130 and 143 stopped by a signal.
import { Command, CommanderError } from 'commander';
import { AuspexError } from '../util/errors.js';
import { dataCommand } from './data.js';
import { evaluateCommand } from './evaluate.js';
import { wrapLines } from './format.js';
import { inspectCommand } from './inspect.js';
import { predictCommand } from './predict.js';
import { pretrainCommand } from './pretrain.js';
import { proxyCommand } from './proxy.js';
import { proxyScorers } from './proxy-scorers.js';
import { reproduceCommand } from './reproduce.js';
import { searchCommand } from './search.js';
import { stoppedExitCode } from './signals.js';
import { spaceCommand } from './space.js';
import { trainCommand } from './train.js';
import { version } from './version.js';

const program = new Command('auspex')
  .description('Know how a neural network will perform before you train or deploy it.')
  .version(version())
  .addCommand(inspectCommand())
  .addCommand(spaceCommand())
  .addCommand(dataCommand())
  .addCommand(predictCommand())
  .addCommand(trainCommand())
  .addCommand(pretrainCommand())
  .addCommand(proxyCommand())
  .addCommand(searchCommand({ proxies: proxyScorers }))
  .addCommand(evaluateCommand())
  .addCommand(reproduceCommand())
  .addHelpText(
    'after',
    `
Examples:
  auspex inspect net.onnx
  auspex proxy net.onnx --proxies snip,synflow
  auspex search nasbench201 --evaluator proxy:synflow --budget 100
Every command has a --help of its own.`,
  )
  .showHelpAfterError('(add --help for usage)')
  // Options behind a command are its own: `proxy` and `proxy correlate` share names of some.
  .enablePositionalOptions()
  .exitOverride();
for (const command of allCommands(program)) {
  command.exitOverride().showHelpAfterError('(add --help for usage)');
}

// A reader that stops early, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
process.exitCode = stoppedExitCode() ?? process.exitCode;

/** Commands of all depths. */
function allCommands(command: Command): Command[] {
  return command.commands.flatMap((c) => [c, ...allCommands(c)]);
}

/** Prints an error and gives its exit code. */
function report(error: unknown): number {
  // Commander has already printed its message (or the help that was asked for).
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof AuspexError)) throw error;
  if (process.argv.includes('--json')) {
    const { code, message, where, hint } = error;
    process.stdout.write(`${JSON.stringify({ error: { code, message, where, hint } }, null, 2)}\n`);
  }
  process.stderr.write(`${wrapLines(error.describe())}\n`);
  return error.kind === 'usage' ? 2 : 1;
}
