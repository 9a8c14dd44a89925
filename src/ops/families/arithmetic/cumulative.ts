// Running sums and products along an axis: CumSum, CumProd.
import { add, type Dim, multiply } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { perInput } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { type KnownTensor, knownTensors, linesAlong } from '../arrays/data-movement.js';
import { cumulativeGradients } from './cumulative.gradient.js';

/** Each element combined with all before it (after it in `reverse`), without itself if `exclusive`. */
function cumulative(initial: number, combine: (a: Dim, b: Dim) => Dim): Operator {
  return {
    infer: (call) => {
      const x = call.tensor(0);
      const axis = call.tensor(1).elements?.[0];
      expectInteger(call, 1);
      if (x.shape === undefined || typeof axis !== 'number') return [new TensorType(x.dtype, x.shape)];
      const along = call.axis(axis, x.shape.length);
      const [known] = knownTensors(x) ?? [];
      return [
        new TensorType(x.dtype, x.shape, known && runningElements(call, known, along, initial, combine)),
      ];
    },
    cost: perInput(1),
    roles: { setting: ['axis'] },
  };
}

function runningElements(
  call: Call,
  x: KnownTensor,
  axis: number,
  initial: number,
  combine: (a: Dim, b: Dim) => Dim,
): readonly Dim[] {
  const exclusive = call.int('exclusive', 0) !== 0;
  const reverse = call.int('reverse', 0) !== 0;
  const out = new Array<Dim>(x.elements.length);
  for (const line of linesAlong(x.shape, axis)) {
    let running: Dim = initial;
    for (const place of reverse ? line.toReversed() : line) {
      const next = combine(running, x.elements[place]!);
      out[place] = exclusive ? running : next;
      running = next;
    }
  }
  return out;
}

export const cumulativeOperators: OperatorTable = {
  CumProd: { ...cumulative(1, multiply), gradient: cumulativeGradients.CumProd },
  CumSum: { ...cumulative(0, add), gradient: cumulativeGradients.CumSum },
};
