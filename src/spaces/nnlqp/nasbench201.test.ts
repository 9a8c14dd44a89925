import { describe, expect, it } from 'vitest';
import { describeSpace } from '../conformance.testing.js';
import { describeArchitecture } from '../describe.js';
import { nnlqpNasBench201 } from './nasbench201.js';

describeSpace(nnlqpNasBench201, {
  small: { resolution: 8, width: 0.25 },
  refused: [['|nor_conv_3x3~0|', /1 groups/]],
});

describe('NNLQP NAS-Bench-201', () => {
  // The published count of the cell with the most parameters, 1.531546 M.
  it('has the published parameters', () => {
    const cell = nnlqpNasBench201.parse(
      '|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|nor_conv_3x3~0|nor_conv_3x3~1|nor_conv_3x3~2|',
    );
    expect(describeArchitecture(nnlqpNasBench201, cell).parameters).toBe(1_531_546);
  });
});
