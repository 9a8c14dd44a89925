// Operators that read elements by their indices: Gather, GatherElements, GatherND.
import type { Dim } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { type Call, expectInteger, type InputRoles, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { checkRank, elementAt, knownTensors, PARTIAL_READ, tabulate, unknownSizes } from './data-movement.js';
import { gatherElementsGradient, gatherGradient, gatherNdGradient } from './gather.gradient.js';

const ROLES: InputRoles = { setting: ['indices'] };

/** An index from 0; undefined for a symbolic one. Negative ones count from the end. */
export function placeOf(call: Call, index: Dim | undefined, size: number): number | undefined {
  if (typeof index !== 'number') return undefined;
  const place = index < 0 ? index + size : index;
  if (Number.isInteger(place) && place >= 0 && place < size) return place;
  return call.fail(`index ${index} lies outside a dimension of ${size}`, 'OP_INPUT');
}

/** Puts for `axis` all dimensions of the indices: (…, n, …)[(i…)] → (…, i…, …). */
const Gather: Operator = {
  infer: (call) => {
    const [x, indices] = [call.tensor(0), call.tensor(1)];
    expectInteger(call, 1);
    if (x.shape === undefined) return [new TensorType(x.dtype, undefined)];
    const axis = call.axis(call.int('axis', 0), x.shape.length);
    if (indices.shape === undefined) return [new TensorType(x.dtype, undefined)];
    const after = axis + indices.shape.length;
    checkRank(call, x.shape.length - 1 + indices.shape.length);
    const shape = [...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)];
    const [data, at] = knownTensors(x, indices) ?? [];
    const elements =
      data &&
      at &&
      tabulate(shape, (index) => {
        const place = placeOf(call, elementAt(at, index.slice(axis, after)), data.shape[axis]!);
        return place === undefined
          ? undefined
          : elementAt(data, [...index.slice(0, axis), place, ...index.slice(after)]);
      });
    return [new TensorType(x.dtype, shape, elements)];
  },
  cost: PARTIAL_READ,
  roles: ROLES,
  gradient: gatherGradient,
  traits: { moves: 'rows' },
};

/** Takes one element per index: out[i][j] = x[indices[i][j]][j] for axis 0. */
const GatherElements: Operator = {
  infer: (call) => {
    const [x, indices] = [call.tensor(0), call.tensor(1)];
    expectInteger(call, 1);
    if (x.shape !== undefined && indices.shape !== undefined && x.shape.length !== indices.shape.length) {
      call.fail(`the indices of [${x.shape}] must have its rank, not [${indices.shape}]`);
    }
    const rank = x.shape?.length ?? indices.shape?.length;
    if (rank === undefined) return [new TensorType(x.dtype, undefined)];
    const axis = call.axis(call.int('axis', 0), rank);
    const shape = indices.shape ?? unknownSizes(call, rank);
    const [data, at] = knownTensors(x, indices) ?? [];
    const elements =
      data &&
      at &&
      tabulate(shape, (index, position) => {
        const place = placeOf(call, at.elements[position], data.shape[axis]!);
        return place === undefined ? undefined : elementAt(data, index.with(axis, place));
      });
    return [new TensorType(x.dtype, shape, elements)];
  },
  cost: PARTIAL_READ,
  roles: ROLES,
  gradient: gatherElementsGradient,
  traits: { moves: 'lookup' },
};

/**
 * Takes whole slices. The last dimension of the indices is a place in the first dimensions of the data (after
 * `batch_dims` that both share): x (b…, d1 … dk, rest…), indices (b…, i…, k) → (b…, i…, rest…).
 */
const GatherND: Operator = {
  infer: (call) => {
    const [x, indices] = [call.tensor(0), call.tensor(1)];
    expectInteger(call, 1);
    if (x.shape === undefined || indices.shape === undefined) return [new TensorType(x.dtype, undefined)];
    const batch = call.int('batch_dims', 0);
    const depth = indexDepth(call, x.shape, indices.shape, batch);
    if (depth === undefined) return [new TensorType(x.dtype, undefined)];
    const outer = indices.shape.length - 1;
    const shape = [...indices.shape.slice(0, -1), ...x.shape.slice(batch + depth)];
    checkRank(call, shape.length);
    const [data, at] = knownTensors(x, indices) ?? [];
    const elements =
      data &&
      at &&
      tabulate(shape, (index) => {
        const place = index.slice(0, batch);
        for (let k = 0; k < depth; k++) {
          const i = placeOf(call, elementAt(at, [...index.slice(0, outer), k]), data.shape[batch + k]!);
          if (i === undefined) return undefined;
          place.push(i);
        }
        return elementAt(data, [...place, ...index.slice(outer)]);
      });
    return [new TensorType(x.dtype, shape, elements)];
  },
  cost: PARTIAL_READ,
  roles: ROLES,
  gradient: gatherNdGradient,
  traits: { moves: 'lookup' },
};

/** How many dimensions of the data an index tuple names; undefined when that is symbolic. */
export function indexDepth(call: Call, data: Shape, indices: Shape, batch = 0): number | undefined {
  if (!Number.isInteger(batch) || batch < 0 || batch >= Math.min(data.length, indices.length)) {
    call.fail(`${batch} batch dimensions do not fit data [${data}] and indices [${indices}]`);
  }
  const depth = indices.at(-1);
  if (typeof depth !== 'number') return undefined;
  if (depth < 1 || depth > data.length - batch) {
    call.fail(`indices [${indices}] name ${depth} dimensions of [${data}]`);
  }
  return depth;
}

export const gatherOperators: OperatorTable = { Gather, GatherElements, GatherND };
