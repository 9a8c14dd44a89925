import { it } from 'vitest';
import { expectGolden } from './golden.testing.js';
import { lstmCell } from './recurrent.js';

it('lstmCell is PyTorch’s, over two steps', () =>
  expectGolden('recurrent/lstmCell', (s, { x, x2 }) => {
    const { hidden, cell } = lstmCell(s, x2!, 2, lstmCell(s, x!, 2));
    return s.builder.concat([hidden, cell], -1);
  }));
