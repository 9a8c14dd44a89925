#!/usr/bin/env node
// The command line. Exit codes: 0 success, 1 failure, 2 wrong usage or bad input, 130 and 143 stopped by a signal.
import { Command, CommanderError } from 'commander';
import { version } from '../app/version.js';
import { AuspexError } from '../util/errors.js';
import { commandsFor } from './commands.js';
import { stoppedExitCode } from './signals.js';
import { wrapLines } from './text/format.js';

const program = new Command('auspex')
  .description('Know how a neural network will perform before you train or deploy it.')
  .version(version())
  .option('--plugin <file>', 'load an extension first (repeatable): docs/guides/extending.md')
  .addHelpText(
    'after',
    `
Examples:
  auspex inspect net.onnx
  auspex proxy net.onnx --proxies snip,synflow
  auspex search nasbench201 --evaluator proxy:synflow --budget 100
Run auspex <command> --help for the options of a command.`,
  )
  .showHelpAfterError('(add --help for usage)')
  // Options behind a command are its own: `proxy` and `proxy correlate` share names of some.
  .enablePositionalOptions()
  .exitOverride();

// A reader that stops early, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`FILE_UNWRITABLE: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});

const { plugins, args } = withoutPlugins(process.argv.slice(2));
try {
  if (plugins.length > 0) await (await import('../app/plugins.js')).loadPlugins(plugins);
  for (const command of await commandsFor(args)) program.addCommand(command);
  if (plugins.length > 0) await addExtensions();
  for (const command of allCommands(program)) {
    command.exitOverride().showHelpAfterError('(add --help for usage)');
  }
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = report(error);
}
process.exitCode = stoppedExitCode() ?? process.exitCode;

/** `--plugin FILE` may stand anywhere; it is for all commands. */
function withoutPlugins(all: readonly string[]): { plugins: string[]; args: string[] } {
  const plugins: string[] = [];
  const args: string[] = [];
  for (let i = 0; i < all.length; i++) {
    const [, given] = /^--plugin(?:=(.*))?$/.exec(all[i]!) ?? [];
    if (!all[i]!.startsWith('--plugin') || (given === undefined && all[i] !== '--plugin')) args.push(all[i]!);
    else plugins.push(given ?? all[++i] ?? '');
  }
  return { plugins, args };
}

/** Commands of plugins. */
async function addExtensions(): Promise<void> {
  const { extensionCommands } = await import('../app/commands.js');
  for (const { name, summary, run } of extensionCommands()) {
    program.addCommand(
      new Command(name)
        .summary(summary)
        .description(summary)
        .argument('[args...]')
        .allowUnknownOption()
        .helpOption(false)
        .action((_: string[], __: unknown, command: Command) => run(command.args)),
    );
  }
}

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
