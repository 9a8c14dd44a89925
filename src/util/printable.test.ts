import { describe, expect, it } from 'vitest';
import { AuspexError } from './errors.js';
import { printable, printableStart } from './printable.js';

describe('printable text', () => {
  it('keeps letters of all scripts', () => {
    expect(printable('größe/Слой_1:0 层 🙂')).toBe('größe/Слой_1:0 层 🙂');
  });

  it('has nothing that a terminal obeys', () => {
    expect(printable('a\u001b[2Jb\r\n\u009b31mc\u202ed')).toBe('a�[2Jb��\ufffd31mc�d');
  });

  it('can be cut', () => {
    expect(printableStart('abcdef', 4)).toBe('abc…');
    expect(printableStart('abcd', 4)).toBe('abcd');
  });

  it('is what errors show', () => {
    const error = new AuspexError('SHAPE_MISMATCH', `bad \u001b[31m${'x'.repeat(5000)}`, {
      where: { node: 'n\u0007', operator: 'Add' },
    });
    expect(error.describe()).toMatch(/^SHAPE_MISMATCH: bad �\[31mx{900,1000}…\n {2}at: node 'n�' \(Add\)$/);
  });
});
