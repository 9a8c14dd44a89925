// Which architectures are equal.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../datasets/table.js';
import { archKeyOf } from './arch-keys.js';
import { equalRows } from './equal-rows.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Two cells of one function: what is skipped to, or taken directly. */
const A = '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|';
const B = '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|';

const tableOf = (space: string, architectures: string[]): Table =>
  new Table({ space, labels: [], architectures, columns: {} });

describe('keys of architectures', () => {
  it('are canonical texts, or functions', () => {
    expect(archKeyOf('nasbench201')(A)).not.toBe(archKeyOf('nasbench201')(B));
    expect(archKeyOf('nasbench201', 'function')(A)).toBe(archKeyOf('nasbench201', 'function')(B));
  });

  it('are the texts of what is not known', () => {
    expect(archKeyOf('nasbench201')('no cell')).toBe('no cell');
    expect(archKeyOf('toy')('x')).toBe('x');
  });
});

describe('equalRows', () => {
  it('finds rows of one architecture', async () => {
    const table = tableOf('nasbench201', [A, B, A]);
    expect((await equalRows(table, 'text')).of).toEqual(Uint32Array.of(0, 1, 0));
    expect((await equalRows(table, 'function')).duplicates).toBe(2);
  });

  it('compares files by what they hold', async () => {
    const path = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const files = [path('a', 'one'), path('b', 'two'), path('c', 'one'), join(folder, 'missing')];
    expect((await equalRows(tableOf('onnx', files), 'text')).of).toEqual(Uint32Array.of(0, 1, 0, 2));
  });

  it('stops when it is told to', async () => {
    const table = tableOf('nasbench201', new Array<string>(40_000).fill(A));
    const controller = new AbortController();
    const work = { signal: controller.signal, progress: () => controller.abort() };
    await expect(equalRows(table, 'text', work)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
