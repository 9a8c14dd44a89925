import { expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { describeSpace } from '../conformance.testing.js';
import golden from './fixtures/transnas.json' with { type: 'json' };
import { transNasMicro } from './transnas-micro.js';

describeSpace(transNasMicro, {
  small: { resolution: 32, width: 0.125 },
  refused: [
    ['', /does not begin with 64-41414-/],
    ['64-4111-0_00_000', /does not begin with 64-41414-/],
    ['64-41414-0_00', /not of the form/],
    ['64-41414-0_00_004', /unknown operation '4'/],
    ['(0, 1, 2)', /3 operations, not 6/],
    ['(0, 1, 2, 3, 4, 0)', /unknown operation '4'/],
  ],
});

it('reads the digits of tables', () => {
  const arch = transNasMicro.parse('(0, 1, 2, 3, 0, 1)');
  expect(transNasMicro.format(arch)).toBe('64-41414-0_12_301');
});

it.each(golden)('counts $arch as PyTorch does', ({ arch, parameters, macs }) => {
  const model = transNasMicro.network(transNasMicro.parse(arch), { resolution: 64 });
  const { totals } = cost(inferShapes(model));
  expect([totals.parameters, Number(totals.macs)]).toEqual([parameters, macs]);
});
