// A training that is killed again and again ends where one ends that nobody disturbed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../src/nn/checkpoint.js';
import { checkpointFile } from '../src/store/checkpoint-file.js';
import { AuspexError } from '../src/util/errors.js';

const CHILD = resolve(import.meta.dirname, 'training.child.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-resume-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly status: number | null;
  readonly signal: string | null;
  readonly firstStep: number;
  readonly errors: string;
}

/** Runs the training; once it reports step `killAt`, it is killed at once. */
function train(name: string, killAt?: number): Promise<Run> {
  const files = [join(folder, `${name}.onnx`), join(folder, `${name}.json`)];
  const args = [CHILD, ...files, ...(killAt === undefined ? [] : [String(killAt)])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const steps: number[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface(child.stdout).on('line', (line) => {
    steps.push(Number(line));
    if (Number(line) === killAt) child.kill('SIGKILL');
  });
  return new Promise((done) => {
    child.on('close', (status, signal) => {
      done({ status, signal, firstStep: steps[0] ?? 0, errors });
    });
  });
}

describe('a training that is killed', () => {
  it('goes on to the same bits', async () => {
    const undisturbed = train('whole');
    let from = 0;
    for (const killAt of [31, 101]) {
      const run = await train('killed', killAt);
      expect(run.signal, run.errors).toBe('SIGKILL');
      expect(run.firstStep).toBe(from + 1);
      const { record } = decodeCheckpoint(readFileSync(join(folder, 'killed.onnx')));
      expect(record.step).toBeGreaterThanOrEqual(killAt - 2);
      expect(existsSync(join(folder, 'killed.json'))).toBe(false);
      from = record.step;
    }
    for (const run of [await train('killed'), await undisturbed]) expect(run.status, run.errors).toBe(0);
    const [killed, whole] = ['killed', 'whole'].map((name) => ({
      result: readFileSync(join(folder, `${name}.json`), 'utf8'),
      checkpoint: readFileSync(join(folder, `${name}.onnx`)),
    }));
    expect(JSON.parse(whole!.result).curves.loss.length).toBe(150);
    expect(killed!.result).toBe(whole!.result);
    expect(killed!.checkpoint.equals(whole!.checkpoint)).toBe(true);
  });
});

describe('checkpointFile', () => {
  it('keeps what was saved last', async () => {
    const store = checkpointFile(join(folder, 'kept.onnx'));
    expect(await store.load()).toBeUndefined();
    await store.save(Uint8Array.of(1, 2));
    await store.save(Uint8Array.of(3));
    expect(await store.load()).toEqual(Uint8Array.of(3));
  });

  it('says what it cannot read or write', async () => {
    const error = await checkpointFile(folder)
      .load()
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AuspexError);
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', where: { file: folder } });
    await expect(checkpointFile(join(folder, 'none', 'x')).save(new Uint8Array(1))).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
    });
  });
});
