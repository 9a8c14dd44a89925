import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { thisMachine } from '../../measure/machine.js';
import { codeOf } from '../../util/errors.testing.js';
import { readBaseline } from './baseline.js';
import { timesIn } from './runner.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-baseline-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a runner's output", () => {
  it('is numbers, and remarks', () => {
    expect(timesIn('# warm\n1.5\n\n 2e1 \n# runtime: TFLite 2.17\n')).toEqual({
      wallMs: [1.5, 20],
      runtime: 'TFLite 2.17',
    });
  });

  it.each(['fast', '1 2', '0', '-3', 'NaN', 'Infinity', '0x10', '1.5 ms', '', '# only remarks'])(
    'is refused if it is %j',
    (output) => {
      expect(codeOf(() => timesIn(output))).toBe('RUNNER_OUTPUT');
    },
  );
});

describe('a baseline', () => {
  it('is a document of measure', () => {
    const path = join(folder, 'run.json');
    for (const text of ['no JSON', '{}', '{"schema":"auspex.measure/2"}']) {
      writeFileSync(path, text);
      expect(codeOf(() => readBaseline(path, thisMachine(), undefined))).toBe('BASELINE_FORMAT');
    }
    expect(codeOf(() => readBaseline(join(folder, 'none.json'), thisMachine(), undefined))).toBe(
      'FILE_UNREADABLE',
    );
  });
});
