// What the golden tests share: the built command line, and fixtures that freeze what it did when they were written.
// `node tools/golden-update.js` (GOLDEN=update) writes them anew. Nothing of src/ is used here: src/ may change.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { warmRun } from '../warm.testing.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const FIXTURES = join(import.meta.dirname, 'fixtures');
export const CLI = join(ROOT, 'dist/cli/main.js');

/** Whether fixtures are written instead of compared with. */
export const isUpdate = process.env.GOLDEN === 'update';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line as a user would. */
export function run(cwd: string, args: readonly string[], input?: string): Promise<Ran> {
  if (input === undefined) return Promise.resolve(warmRun(args, { cwd }));
  const child = spawn(process.execPath, [CLI, ...args], { cwd });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that refuses at once does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status) => done({ status, stdout, stderr }));
  });
}

/** Runs a command that must succeed, and gives what it printed. */
export async function output(cwd: string, args: readonly string[], input?: string): Promise<string> {
  const { status, stdout, stderr } = await run(cwd, args, input);
  expect(status, `auspex ${args.join(' ')}\n${stderr}`).toBe(0);
  return stdout;
}

/** The JSON documents a text holds: one, or one a line. */
export function documentsOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

/** Does the work for all items, as many at once as there are processors. */
export async function forAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const place = next++;
      results[place] = await work(items[place]!);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return results;
}

/** A folder of a test's own; `remove` when it ends. */
export function scratch(name: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), `auspex-golden-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Reads a JSON fixture; names that end with .gz are compressed. */
export function readFixture<T>(name: string): T {
  const bytes = readFileSync(join(FIXTURES, name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}

export function writeFixture(name: string, value: unknown): void {
  mkdirSync(FIXTURES, { recursive: true });
  const text = `${JSON.stringify(value, null, name.endsWith('.gz') ? 0 : 1)}\n`;
  writeFileSync(join(FIXTURES, name), name.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
}

/** Where a file of the repository is, by its name alone: files move. */
export function findFile(name: string): string {
  const skipped = new Set(['node_modules', 'dist', 'build', '.git']);
  const found = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !skipped.has(entry.name))
    .flatMap((entry) =>
      readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' })
        .filter((path) => basename(path) === name)
        .map((path) => join(ROOT, entry.name, path)),
    )
    .filter((path) => existsSync(path));
  expect(found.length, `files called ${name}: ${found.join(', ')}`).toBe(1);
  return found[0]!;
}

/** Numbers that differ by more than a relative tolerance, each as "where: frozen, found". */
export function differences(
  frozen: Readonly<Record<string, number | null | undefined>>,
  found: Readonly<Record<string, number | null | undefined>>,
  tolerance: number,
): string[] {
  const names = [...new Set([...Object.keys(frozen), ...Object.keys(found)])];
  return names.flatMap((name) => {
    const [a, b] = [frozen[name], found[name]];
    if (a === b) return [];
    const isNear =
      typeof a === 'number' &&
      typeof b === 'number' &&
      Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
    return isNear ? [] : [`${name}: ${a}, ${b}`];
  });
}
