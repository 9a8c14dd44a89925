// Operators that write elements by their indices: Scatter, ScatterElements, ScatterND, TensorScatter. The
// output is the data with updates written over it, or combined with what stands there.
import { add, type Dim, maximum, minimum, multiply } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { counted, FREE } from '../../cost.js';
import {
  type Call,
  type CostRule,
  commonDtype,
  expectInteger,
  type InputRoles,
  type Operator,
} from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { elementAt, expectShape, type KnownTensor, knownTensors, tabulate } from './data-movement.js';
import { indexDepth, placeOf } from './gather.js';
import { scatterElementsGradient, scatterNdGradient } from './scatter.gradient.js';
import { scatterVersions } from './scatter.versions.js';

const ROLES: InputRoles = { setting: ['indices'] };

/** What happens where an element stands already. */
const REDUCTIONS: Readonly<Record<string, (old: Dim, update: Dim) => Dim>> = {
  none: (_, update) => update,
  add,
  mul: multiply,
  max: maximum,
  min: minimum,
};

function reductionOf(call: Call): (old: Dim, update: Dim) => Dim {
  const name = call.string('reduction', 'none');
  if (!Object.hasOwn(REDUCTIONS, name)) call.fail(`unknown reduction '${name}'`, 'OP_ATTRIBUTE');
  return REDUCTIONS[name]!;
}

const COST: CostRule = counted('1 per update element with a reduction, else 0', (call) => {
  if (call.string('reduction', 'none') === 'none') return {};
  const size = call.inputSize(2);
  return size === undefined ? undefined : { otherFlops: size };
});

/** out[indices[i][j]][j] = updates[i][j] for axis 0. */
const ScatterElements: Operator = {
  infer: (call) => {
    const [x, indices, updates] = [call.tensor(0), call.tensor(1), call.tensor(2)];
    expectInteger(call, 1);
    const dtype = commonDtype(call, [x, updates]);
    const reduce = reductionOf(call);
    if (x.shape === undefined) return [new TensorType(dtype, undefined)];
    const axis = call.axis(call.int('axis', 0), x.shape.length);
    if (indices.shape !== undefined) {
      if (indices.shape.length !== x.shape.length) {
        call.fail(`the indices of [${x.shape}] must have its rank, not [${indices.shape}]`);
      }
      expectShape(call, updates.shape, indices.shape, 'the updates');
    }
    const [data, at, values] = knownTensors(x, indices, updates) ?? [];
    const elements =
      data &&
      at &&
      values &&
      written(data, values, reduce, (index, position) => {
        const place = placeOf(call, at.elements[position], data.shape[axis]!);
        return place === undefined ? undefined : index.with(axis, place);
      });
    return [new TensorType(dtype, x.shape, elements)];
  },
  cost: COST,
  roles: ROLES,
  gradient: scatterElementsGradient,
};

/** Data (d1 … dk, rest…), indices (i…, k), updates (i…, rest…). */
const ScatterND: Operator = {
  infer: (call) => {
    const [x, indices, updates] = [call.tensor(0), call.tensor(1), call.tensor(2)];
    expectInteger(call, 1);
    const dtype = commonDtype(call, [x, updates]);
    const reduce = reductionOf(call);
    if (x.shape === undefined || indices.shape === undefined) return [new TensorType(dtype, x.shape)];
    const depth = indexDepth(call, x.shape, indices.shape);
    if (depth === undefined) return [new TensorType(dtype, x.shape)];
    const outer = indices.shape.length - 1;
    const updateShape = [...indices.shape.slice(0, -1), ...x.shape.slice(depth)];
    expectShape(call, updates.shape, updateShape, 'the updates');
    const [data, at, values] = knownTensors(x, indices, updates) ?? [];
    const elements =
      data &&
      at &&
      values &&
      written(data, values, reduce, (index) => {
        const place: number[] = [];
        for (let k = 0; k < depth; k++) {
          const i = placeOf(call, elementAt(at, [...index.slice(0, outer), k]), data.shape[k]!);
          if (i === undefined) return undefined;
          place.push(i);
        }
        return [...place, ...index.slice(outer)];
      });
    return [new TensorType(dtype, x.shape, elements)];
  },
  cost: COST,
  roles: ROLES,
  traits: { knowsPlaces: 'all' },
  gradient: scatterNdGradient,
};

/** Known data after updates; `target` tells from the index of an update where it goes. */
function written(
  data: KnownTensor,
  updates: KnownTensor,
  reduce: (old: Dim, update: Dim) => Dim,
  target: (index: readonly number[], position: number) => readonly number[] | undefined,
): readonly Dim[] | undefined {
  const out = [...data.elements];
  const done = tabulate(updates.shape, (index, position) => {
    const place = target(index, position);
    if (place === undefined) return undefined;
    const at = place.reduce((sum, i, axis) => sum + i * data.strides[axis]!, 0);
    out[at] = reduce(out[at]!, updates.elements[position]!);
    return 0;
  });
  return done && out;
}

/** Writes a part of a sequence into a cache, from `write_indices[b]` on for each b of the batch. */
const TensorScatter: Operator = {
  infer: (call) => {
    const [cache, update] = [call.tensor(0), call.tensor(1)];
    expectInteger(call, 2);
    const dtype = commonDtype(call, [cache, update]);
    const { shape } = cache;
    if (shape === undefined) return [new TensorType(dtype, undefined)];
    const axis = call.axis(call.int('axis', -2), shape.length);
    if (axis === 0) call.fail('the axis of the sequence cannot be that of the batch', 'OP_ATTRIBUTE');
    const length = update.shape?.[axis];
    expectShape(call, update.shape, length === undefined ? shape : shape.with(axis, length), 'the update');
    if (typeof length === 'number' && typeof shape[axis] === 'number' && length > shape[axis]) {
      call.fail(`an update of [${update.shape}] is longer than the cache [${shape}]`);
    }
    if (call.has('write_indices'))
      expectShape(call, call.shape('write_indices'), [shape[0]!], 'write_indices');
    return [new TensorType(dtype, shape)];
  },
  cost: FREE,
  roles: { setting: ['write_indices'] },
};

export const scatterOperators: OperatorTable = withVersions(
  {
    // The name of ScatterElements before opset 11.
    Scatter: ScatterElements,
    ScatterElements,
    ScatterND,
    TensorScatter,
  },
  scatterVersions,
);
