// A package as a user gets it: packed here, installed by npm into an empty folder. Settings of npm that a script of
// npm hands down are left out, and what would keep ONNX Runtime's install script quiet: users have neither.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|ONNXRUNTIME_NODE_|VITEST|NODE_ENV)/i.test(name)),
);

export function run(cwd: string, command: string, ...args: readonly string[]): Ran {
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' });
}

/** Runs what must succeed. */
export function output(cwd: string, command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = run(cwd, command, ...args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Packs the checkout and gives the path of the package. */
export function pack(into: string): string {
  const name = output(ROOT, 'npm', 'pack', '--silent', '--pack-destination', into).trim().split('\n').at(-1);
  return join(into, name!);
}

/** Installs packages with one command; what npm has to say about the machine's own settings is left out. */
export function install(folder: string, ...packages: readonly string[]): { warnings: string[] } {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = run(folder, 'npm', 'install', ...packages);
  if (status !== 0) throw new Error(`npm install ended with ${status}\n${stderr}`);
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm warn'));
  return { warnings: lines.filter((line) => !/Unknown (builtin|global|user|env|cli) config/.test(line)) };
}

export function readJson<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as T;
}

export function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`);
}
