// Commands that plugins add.
import { AuspexError } from '../util/errors.js';

export interface CommandExtension {
  readonly name: string;
  /** A line for the list of commands. */
  readonly summary: string;
  /** @param args what follows the name of the command */
  run(args: readonly string[]): void | Promise<void>;
}

const registered = new Map<string, CommandExtension>();

/**
 * Adds a command to `auspex`.
 *
 * @throws AuspexError COMMAND_TWICE
 * @example
 * registerCommand({ name: 'greet', summary: 'greet somebody', run: (args) => console.log(`hello ${args[0]}`) });
 */
export function registerCommand(command: CommandExtension): void {
  if (registered.has(command.name)) {
    throw new AuspexError('COMMAND_TWICE', `a command called '${command.name}' already exists`);
  }
  registered.set(command.name, command);
}

export function extensionCommands(): readonly CommandExtension[] {
  return [...registered.values()];
}
