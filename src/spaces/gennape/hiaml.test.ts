import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { itIsAsInPyTorch } from './families.testing.js';
import { BLOCK_NAMES, hiaml } from './hiaml.js';

describeSpace(hiaml, {
  small: { resolution: 8, width: 1 / 16 },
  refused: [
    ['', /1 blocks/],
    ['a22-z-b23', /3 blocks/],
    ['a22-z-b23-j30-z', /5 blocks/],
    ['a22-z-b23-j31', /unknown block 'j31'/],
  ],
});

describe('HiAML', () => {
  it('has 38,416 networks of 14 blocks', () => {
    expect(BLOCK_NAMES.length).toBe(14);
    expect(hiaml.size).toBe(38_416n);
  });

  it("reads the authors' names of blocks", () => {
    expect(hiaml.parse('hiaml_a22-hiaml_z-hiaml_b23-hiaml_j30')).toEqual(['a22', 'z', 'b23', 'j30']);
  });

  itIsAsInPyTorch(hiaml);
});
