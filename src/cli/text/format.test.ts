import { describe, expect, it } from 'vitest';
import { fit, fitNames, table, terminalWidth } from './format.js';

describe('terminalWidth', () => {
  it.each([
    [{ isTTY: true, columns: 132 }, {}, 132],
    [{ isTTY: true, columns: 132 }, { COLUMNS: '100' }, 100],
    [{ isTTY: true, columns: 20 }, {}, 60],
    [{ isTTY: true, columns: 500 }, {}, 200],
    [{ isTTY: true, columns: 0 }, {}, 80],
    [{ isTTY: true, columns: 90 }, { COLUMNS: 'wide' }, 90],
    [{}, { COLUMNS: '100' }, Number.POSITIVE_INFINITY],
  ])('%j with %j', (stream, environment, width) => {
    expect(terminalWidth(stream, environment)).toBe(width);
  });
});

describe('names that are cut', () => {
  it('keep their start and their end', () => {
    expect(fit('abcdefghij', 5, 'middle')).toBe('ab…ij');
    expect(fit('abcdefghij', 6, 'middle')).toBe('abc…ij');
    expect(fit('abcdef', 6, 'middle')).toBe('abcdef');
    expect(fit('x'.repeat(300), Number.POSITIVE_INFINITY, 'middle')).toBe('x'.repeat(300));
  });

  it('stay different', () => {
    const long = (middle: string) => `/models/${middle}/network.onnx`;
    const names = [long('a-first-folder'), long('a-second-folder'), 'other.onnx', long('a-first-folder')];
    const cut = fitNames(names, 20);
    expect(cut).toEqual(['…first-folder/netwo…', '…second-folder/netw…', 'other.onnx', cut[0]]);
    const layers = Array.from({ length: 300 }, (_, i) => `/encoder/${'x'.repeat(40)}${i}/MatMul_output`);
    const shown = fitNames(layers, 16);
    expect(new Set(shown).size).toBe(300);
    for (const name of shown) expect([...name].length).toBeLessThanOrEqual(16);
    // Different at two far ends only.
    const far = ['a', 'b'].flatMap((x) =>
      ['c', 'd'].map((y) => `${'-'.repeat(30)}${x}${'-'.repeat(30)}${y}${'-'.repeat(30)}`),
    );
    expect(new Set(fitNames(far, 12)).size).toBe(4);
  });

  it('make tables as wide as they may be', () => {
    const rows = [
      ['/a/very/long/name/of/a/network.onnx', '1'],
      ['b', '22'],
    ];
    const columns = [
      { title: 'network', flexible: 'middle' as const },
      { title: 'n', align: 'right' as const },
    ];
    expect(table(columns, rows, 2, Number.POSITIVE_INFINITY)[1]).toBe(
      '  /a/very/long/name/of/a/network.onnx   1',
    );
    for (const line of table(columns, rows, 2, 24)) expect([...line].length).toBeLessThanOrEqual(24);
    expect(table(columns, rows, 2, 24)[1]).toBe('  /a/very/l…ork.onnx   1');
  });
});
