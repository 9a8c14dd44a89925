// `auspex data io`, on the built command line: killing it at any moment changes nothing.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { smallRequest } from '../src/app/data/io/make.testing.js';
import { Random } from '../src/util/random.js';

const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-io-'));
afterAll(() => rmSync(folder, { recursive: true }));

const argumentsFor = (output: string): string[] => [
  ...[main, 'data', 'io'],
  ...Object.entries(smallRequest(folder, 3, output)).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ]),
];

/** Runs until it ends or is killed. */
function isKilled(args: readonly string[], afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  return new Promise((done) => {
    child.on('close', (_, signal) => {
      clearTimeout(timer);
      done(signal === 'SIGKILL');
    });
  });
}

it('writes the same bytes after being killed 20 times at random moments', async () => {
  const random = Random.seeded(5);
  const start = performance.now();
  const { status, stdout } = spawnSync(process.execPath, argumentsFor('whole.npz'), { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^3 of 3 networks in .*whole.npz, 3 trained now; mean accuracy .*% on unseen images/,
  );
  const wholeMs = performance.now() - start;
  const args = [...argumentsFor('cut.npz'), '--resume'];
  for (let kills = 0; kills < 20; ) {
    if (await isKilled(args, random.float() * wholeMs)) kills++;
    // It ended first: the next one begins again.
    else rmSync(join(folder, 'cut.npz'));
  }
  expect(spawnSync(process.execPath, args).status).toBe(0);
  const bytes = (name: string): Buffer => readFileSync(join(folder, name));
  expect(bytes('cut.npz').equals(bytes('whole.npz'))).toBe(true);
}, 240_000);
