import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFile } from './lock.js';
import { thisProcess } from './process-identity.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const refusal = (message: RegExp) =>
  expect.objectContaining({
    code: 'LOCKED',
    message: expect.stringMatching(message),
    hint: expect.stringContaining('.lock'),
  });

describe('a lock', () => {
  it('is held once, and names who has it', () => {
    const lock = lockFile(at('a'));
    expect(JSON.parse(readFileSync(at('a.lock'), 'utf8'))).toMatchObject({
      pid: process.pid,
      host: hostname(),
    });
    expect(() => lockFile(at('a'))).toThrow(refusal(new RegExp(`process ${process.pid} on `)));
    lock.release();
    lock.release();
    expect(existsSync(at('a.lock'))).toBe(false);
    lockFile(at('a')).release();
  });

  it('is of the file, whatever link leads there', () => {
    writeFileSync(at('real'), '');
    symlinkSync('real', at('link'));
    const lock = lockFile(at('real'));
    expect(() => lockFile(at('link'))).toThrow(refusal(/is writing this file/));
    lock.release();
    lockFile('/dev/null').release();
    expect(existsSync('/dev/null.lock')).toBe(false);
  });

  it('of a process that was killed is taken over, also if its number is used again', () => {
    const { pid } = spawnSync('true');
    for (const holder of [
      { ...thisProcess(), pid },
      { ...thisProcess(), began: '1' },
    ]) {
      writeFileSync(at('stale.lock'), JSON.stringify(holder));
      const lock = lockFile(at('stale'));
      expect(() => lockFile(at('stale'))).toThrow(refusal(/process/));
      lock.release();
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('stale'))).toEqual([]);
  });

  it('of another machine is left alone', () => {
    writeFileSync(at('far.lock'), JSON.stringify({ ...thisProcess(), host: 'elsewhere', pid: 1 }));
    expect(() => lockFile(at('far'))).toThrow(refusal(/process 1 on elsewhere/));
  });

  it('that says nothing is respected while it is young', () => {
    writeFileSync(at('empty.lock'), '');
    expect(() => lockFile(at('empty'))).toThrow(refusal(/another process/));
    utimesSync(at('empty.lock'), 0, 0);
    lockFile(at('empty')).release();
  });

  it('goes with its process', () => {
    const module = join(import.meta.dirname, '../../dist/store/lock.js');
    const code = `import { lockFile } from ${JSON.stringify(module)};
      lockFile(${JSON.stringify(at('gone'))}); process.exit(0);`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code]);
    expect(existsSync(at('gone.lock'))).toBe(false);
  });

  it('where none can be made says why', () => {
    expect(() => lockFile(at('no/where'))).toThrow(expect.objectContaining({ code: 'FILE_UNWRITABLE' }));
  });
});
