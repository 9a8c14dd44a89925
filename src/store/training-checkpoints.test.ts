import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AuspexError } from '../util/errors.js';
import { fingerprintOf } from './fingerprint.js';
import { TrainingCheckpoints } from './training-checkpoints.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-checkpoints-'));
afterAll(() => rmSync(folder, { recursive: true }));
const output = join(folder, 'p.onnx');
const fresh = { resume: false };
const resume = { resume: true };
const steps = (n: number) => fingerprintOf({ '--steps': n });

describe('the checkpoints of a training', () => {
  it('belong to one training at a time, and only to the same one later', async () => {
    const first = TrainingCheckpoints.open(output, fresh);
    expect(() => TrainingCheckpoints.open(output, resume)).toThrow(/is writing this file/);
    first.expect(steps(10));
    const stopped = new AuspexError('TRAINING_STOPPED', 'stopped');
    expect(first.ended(stopped)).toMatchObject({
      hint: expect.stringContaining('no checkpoint was written'),
    });
    expect(readdirSync(folder)).toEqual(['p.onnx.lock']);
    await first.store('member0')!.save(Uint8Array.of(1, 2));
    expect(first.ended(stopped)).toMatchObject({
      hint: expect.stringMatching(/1 checkpoint is kept; .*--resume/),
    });
    first.close();

    expect(() => TrainingCheckpoints.open(output, fresh)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_EXISTS' }),
    );
    const second = TrainingCheckpoints.open(output, resume);
    expect(() => second.expect(steps(5))).toThrow(
      expect.objectContaining({
        code: 'CHECKPOINT_MISMATCH',
        message: 'the checkpoint belongs to another training: --steps differs: was 10, is 5',
      }),
    );
    second.expect(steps(10));
    expect(await second.store('member0')!.load()).toEqual(Uint8Array.of(1, 2));
    second.remove();
    second.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are not kept where the training diverged, which it would do again', async () => {
    const first = TrainingCheckpoints.open(output, fresh);
    first.expect(steps(10));
    await first.store('member0')!.save(Uint8Array.of(1, 2));
    const diverged = new AuspexError('TRAINING_DIVERGED', 'NaN');
    expect(first.ended(diverged)).toBe(diverged);
    first.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that do not say what they are of are not continued', async () => {
    const first = TrainingCheckpoints.open(output, fresh);
    await first.store('member0')!.save(Uint8Array.of(1));
    first.close();
    const second = TrainingCheckpoints.open(output, resume);
    expect(() => second.expect(steps(1))).toThrow(expect.objectContaining({ code: 'CHECKPOINT_MISMATCH' }));
    second.close();
    expect(readdirSync(folder)).toEqual(['p.onnx.member0.checkpoint']);
  });

  it('are not kept beside a device', () => {
    const none = TrainingCheckpoints.open('/dev/null', fresh);
    expect([none.store('member0'), none.paths()]).toEqual([undefined, []]);
    none.close();
    expect(() => TrainingCheckpoints.open('/dev/null', resume)).toThrow(/regular file/);
  });
});
