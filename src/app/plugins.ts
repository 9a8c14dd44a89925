// Loads plugins: modules whose default export is given what can be registered.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AuspexError } from '../util/errors.js';
import { extend, type Plugin } from './extend.js';

/** Where threads find the plugins of their process. */
const VARIABLE = 'AUSPEX_PLUGINS';

/** Loads the plugins of paths, in this thread and in those that are begun later. @throws AuspexError PLUGIN */
export async function loadPlugins(paths: readonly string[]): Promise<void> {
  const absolute = paths.map((path) => resolve(path));
  if (absolute.length > 0) process.env[VARIABLE] = JSON.stringify(absolute);
  for (const path of absolute) await load(path);
}

/** In a thread: what its process has loaded. */
export async function loadInherited(): Promise<void> {
  const text = process.env[VARIABLE];
  if (text !== undefined) for (const path of JSON.parse(text) as string[]) await load(path);
}

async function load(path: string): Promise<void> {
  const wrong = (message: string, cause?: unknown): AuspexError =>
    new AuspexError('PLUGIN', message, {
      where: { file: path },
      hint: 'a plugin is a module whose default export is a function: export default (extend) => { … }',
      cause,
    });
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw wrong(`the plugin cannot be loaded: ${(error as Error).message}`, error);
  }
  if (typeof module.default !== 'function') throw wrong('the default export of the plugin is not a function');
  try {
    await (module.default as Plugin)(extend);
  } catch (error) {
    if (error instanceof AuspexError) throw error.within({ file: path });
    throw wrong(`the plugin failed: ${(error as Error).message}`, error);
  }
}
