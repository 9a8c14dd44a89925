// A search that is killed again and again finds what one finds that nobody disturbed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'auspex-search-'));
const child = join(folder, 'child.mjs');

beforeAll(async () => {
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, 'search.child.ts'),
    platform: 'node',
    external: [/^onnxruntime/],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ file: child, format: 'esm' });
  await bundle.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the search to its end, or until it has begun some evaluations; it is killed a little later then. */
function run(name: string, strategy: string, killAt?: number): Promise<{ killed: boolean; errors: string }> {
  const args = [child, join(folder, `${name}.jsonl`), join(folder, `${name}.json`), strategy];
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [begun, errors] = [0, ''];
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    begun += text.split('\n').length - 1;
    if (killAt !== undefined && begun >= killAt) setTimeout(() => running.kill('SIGKILL'), (begun * 7) % 5);
  });
  return new Promise((done) => {
    running.on('close', (_, signal) => done({ killed: signal === 'SIGKILL', errors }));
  });
}

const recordsOf = (name: string): { kind: string }[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('a search that is killed', () => {
  it.each(['etas', 'evolution', 'local'])('goes on to the same trials: %s', async (strategy) => {
    const [whole, cut] = [`${strategy}-whole`, `${strategy}-cut`];
    expect((await run(whole, strategy)).errors).toBe('');
    let had = 0;
    for (const killAt of [1, 5, 9]) {
      const { killed, errors } = await run(cut, strategy, killAt);
      expect([killed, errors]).toEqual([true, '']);
      expect(existsSync(join(folder, `${cut}.json`))).toBe(false);
      // Nothing that was written is lost.
      const has = recordsOf(cut).length;
      expect(has).toBeGreaterThanOrEqual(had);
      had = has;
    }
    expect(recordsOf(cut).filter(({ kind }) => kind === 'trial').length).toBeGreaterThan(5);
    expect(await run(cut, strategy)).toEqual({ killed: false, errors: '' });
    const [a, b] = [whole, cut].map((name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')));
    expect(a.trials.length).toBe(33);
    expect(b).toEqual(a);
    // Each trial is in the log once.
    expect(recordsOf(cut).length).toBe(recordsOf(whole).length);
  });
});
