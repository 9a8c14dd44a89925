import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Trial } from '../search/contract.js';
import { etas } from '../search/strategies/etas.js';
import { evaluatorOf, scorerOf, searchDigits, sumOf } from '../search/toy.testing.js';
import { TrialLog } from './trial-log.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

describe('the log of a search in a file', () => {
  it('has its records again', () => {
    const records = [{ kind: 'search' }, { arch: 'ä "quoted"\n', value: 1e-300 }, { list: [1, 'NaN'] }];
    const log = TrialLog.open(at('again'));
    expect(log.records).toEqual([]);
    for (const record of records) log.append(record);
    log.close();
    const again = TrialLog.open(at('again'), { resume: true });
    expect(again.records).toEqual(records);
    again.append({ more: true });
    again.close();
    expect(readFileSync(at('again'), 'utf8').split('\n').length).toBe(5);
    expect(TrialLog.open(at('new'), { resume: true }).records).toEqual([]);
  });

  it('is not overwritten', () => {
    writeFileSync(at('there'), '');
    expect(() => TrialLog.open(at('there'))).toThrow(/the log already exists/);
  });

  it('tells of damage, with the line', () => {
    writeFileSync(at('damaged'), '{"kind":"search"}\n{"kind":\n{"kind":"trial"}\n');
    expect(() => TrialLog.open(at('damaged'), { resume: true })).toThrow(/line 2 of the log/);
  });

  it('is replaced only when told to', () => {
    writeFileSync(at('old'), '{"old":true}\n');
    const log = TrialLog.open(at('old'), { replace: true });
    expect(log.records).toEqual([]);
    log.append({ new: true });
    log.close();
    expect(readFileSync(at('old'), 'utf8')).toBe('{"new":true}\n');
  });

  it('is open once at a time', () => {
    const one = TrialLog.open(at('once'));
    expect(() => TrialLog.open(at('once'), { resume: true })).toThrow(
      expect.objectContaining({
        code: 'LOG_IN_USE',
        message: expect.stringContaining(`process ${process.pid} `),
      }),
    );
    one.close();
    TrialLog.open(at('once'), { resume: true }).close();
    expect(readdirSync(folder).filter((name) => name.startsWith('once'))).toEqual(['once']);
  });

  it('tells of another that writes to it', () => {
    const one = TrialLog.open(at('shared'));
    one.append({ by: 'one' });
    appendFileSync(at('shared'), '{"by":"other"}\n');
    expect(() => one.append({ by: 'one' })).toThrow(/another process has written/);
    expect(readFileSync(at('shared'), 'utf8')).toBe('{"by":"one"}\n{"by":"other"}\n');
  });

  it('goes through a device, which cannot be resumed', () => {
    const log = TrialLog.open('/dev/null');
    log.append({ lost: true });
    log.close();
    const full = TrialLog.open('/dev/full');
    expect(() => full.append({ lost: true })).toThrow(
      expect.objectContaining({ code: 'FILE_UNWRITABLE', message: expect.stringContaining('no space') }),
    );
    full.close();
    expect(() => TrialLog.open('/dev/null', { resume: true })).toThrow(/regular file/);
  });

  it('tells where it cannot be', () => {
    expect(() => TrialLog.open(at('missing/log'))).toThrow(
      expect.objectContaining({ code: 'FILE_UNWRITABLE', kind: 'failure' }),
    );
    writeFileSync(at('locked'), '');
    chmodSync(at('locked'), 0o400);
    if (process.getuid?.() !== 0)
      expect(() => TrialLog.open(at('locked'), { resume: true })).toThrow(/opened/);
  });

  it('leads to the same search wherever it is cut off, in the middle of a record too', async () => {
    const strategy = etas(scorerOf(sumOf), { pool: 12, candidates: 6, top: 2 });
    const log = TrialLog.open(at('whole'));
    const whole = await searchDigits(strategy, 8, 1, { log });
    log.close();
    const bytes = readFileSync(at('whole'));
    const said = (trials: readonly Trial[]): unknown[] => trials.map(({ seconds, ...rest }) => rest);
    for (let length = 0; length <= bytes.length; length += 31) {
      writeFileSync(at('cut'), bytes.subarray(0, length));
      const cut = TrialLog.open(at('cut'), { resume: true });
      const evaluator = evaluatorOf(sumOf);
      const resumed = await searchDigits(strategy, 8, 1, { log: cut, evaluator });
      cut.close();
      expect(said(resumed.trials)).toEqual(said(whole.trials));
      const kept = bytes.toString('utf8', 0, length).split('\n').slice(0, -1);
      expect(evaluator.asked.length).toBe(8 - kept.filter((line) => line.includes('"trial"')).length);
      expect(readFileSync(at('cut'), 'utf8').replace(/"seconds":[^,}]*/g, '')).toBe(
        bytes.toString().replace(/"seconds":[^,}]*/g, ''),
      );
    }
    appendFileSync(at('whole'), '{"kind":"tri');
    expect(TrialLog.open(at('whole'), { resume: true }).records.length).toBe(
      bytes.toString().split('\n').length - 1,
    );
  });
});
