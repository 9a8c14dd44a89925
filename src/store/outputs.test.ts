import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkOutputs, type OutputPlan, type PlannedOutput } from './outputs.js';

const root = mkdtempSync(join(tmpdir(), 'auspex-guard-'));
afterAll(() => rmSync(root, { recursive: true }));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  writeFileSync(at('a.csv'), 'arch,acc\nx,1\n');
  mkdirSync(at('inner'));
});
const at = (...names: string[]): string => join(folder, ...names);

function check(outputs: readonly PlannedOutput[], rest: Partial<OutputPlan> = {}): string {
  const before = readdirSync(folder, { recursive: true });
  try {
    checkOutputs({ outputs, inputs: [], ...rest });
    return 'free';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  }
}

describe('checkOutputs', () => {
  it('finds an input by any of its paths', () => {
    symlinkSync('../a.csv', at('inner', 'link.csv'));
    symlinkSync('inner', at('way'));
    const inputs = [at('a.csv'), undefined, '-', at('missing'), folder];
    for (const path of [at('a.csv'), at('inner', '..', 'a.csv'), at('way', 'link.csv')]) {
      expect(check([{ path, kind: 'table' }], { inputs, force: true })).toBe('OUTPUT_IS_INPUT');
    }
    expect(check([{ path: at('b.csv'), kind: 'table' }], { inputs })).toBe('free');
    expect(check([{ path: '/dev/null', kind: 'table' }], { inputs: ['/dev/null'] })).toBe('free');
    expect(check([{ path: at('new.csv'), kind: 'table' }], { inputs: [at('inner', '..', 'new.csv')] })).toBe(
      'OUTPUT_IS_INPUT',
    );
  });

  it('finds two outputs in one file, there or not', () => {
    const both = (a: string, b: string) =>
      check([
        { path: a, kind: 'table' },
        { path: b, kind: 'table' },
      ]);
    expect(both(at('new'), at('inner', '..', 'new'))).toBe('OUTPUT_TWICE');
    expect(both(at('a.csv'), at('.', 'a.csv'))).toBe('OUTPUT_TWICE');
    expect(both(at('new'), at('inner', 'new'))).toBe('free');
    expect(both('/dev/null', '/dev/null')).toBe('free');
  });

  it('finds what cannot be written', () => {
    const file = (path: string) => check([{ path, kind: 'table' }]);
    expect([file(at('none', 't')), file(folder), file('/proc/t'), file(at('a.csv', 't'))]).toEqual(
      Array(4).fill('FILE_UNWRITABLE'),
    );
    const directory = (path: string) => check([{ path, kind: 'folder' }]);
    expect([directory(at('new', 'deep')), directory(folder)]).toEqual(['free', 'free']);
    expect([directory('/proc/x'), directory(at('a.csv')), directory(at('a.csv', 'x'))]).toEqual(
      Array(3).fill('FILE_UNWRITABLE'),
    );
    if (process.getuid?.() === 0) return;
    chmodSync(at('inner'), 0o500);
    expect(file(at('inner', 't'))).toBe('FILE_UNWRITABLE');
  });

  it('lets a folder that will be made have files', () => {
    const outputs: PlannedOutput[] = [
      { path: at('run'), kind: 'folder' },
      { path: at('run', 'trials.jsonl'), kind: 'log' },
    ];
    expect(check(outputs)).toBe('free');
    expect(check(outputs.slice(1))).toBe('FILE_UNWRITABLE');
  });

  it('leaves files of other kinds alone, unless it is forced', () => {
    const over = (kind: PlannedOutput['kind'], force = false, isContinued = false) =>
      check([{ path: at('a.csv'), kind, isContinued }], { force });
    expect([over('table'), over('html'), over('html', true)]).toEqual(['free', 'OUTPUT_EXISTS', 'free']);
    // A log says by itself that it is there; but what is continued must be one.
    expect([over('log'), over('log', true, true)]).toEqual(['free', 'OUTPUT_EXISTS']);
    writeFileSync(at('a.csv'), '');
    expect(over('html')).toBe('free');
  });
});
