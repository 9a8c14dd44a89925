import { expect, it } from 'vitest';
import { modelOf } from '../analysis/models.testing.js';
import { formatType } from '../graph/types.js';
import { withInputSizes } from './input-sizes.js';

const model = modelOf({ inputs: ['x: n,3'], nodes: ['y = Concat(x, x) axis=0'], outputs: ['y'] });

it('fixes sizes, and those of outputs follow', () => {
  const { model: sized, changes } = withInputSizes(model, { dims: { n: 4 } });
  expect(sized.graph.outputs.map(({ type }) => formatType(type))).toEqual(['float32[8,3]']);
  expect(changes).toEqual([{ transform: 'sizes', what: "input 'x' is float32[4,3]" }]);
});

it('opens sizes under a name', () => {
  const { model: sized } = withInputSizes(model, { shapes: { x: ['m', 'k'] } });
  expect(sized.graph.outputs.map(({ type }) => formatType(type))).toEqual(['float32[2*m,k]']);
});

it('leaves a network that has these sizes', () => {
  expect(withInputSizes(model, { shapes: { x: ['n', 3] } }).model).toBe(model);
});
