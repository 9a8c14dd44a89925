// Gradients of writing elements by their indices. What is written over has none, and an update has that of the
// place it was written to. Where several updates are written over each other, which of them stays is not
// defined, and neither is whose gradient it is.
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** One of the operators that write, with the one that reads at the same indices. */
interface Pair {
  readonly write: (g: Differentiation, data: Value, updates: Value, reduction?: string) => Value;
  readonly read: (g: Differentiation, data: Value) => Value;
}

const ELEMENTS: Pair = {
  write: (g, data, updates, reduction) =>
    g.builder.op('ScatterElements', [data, g.input(1), updates], { axis: axisOf(g), reduction }),
  read: (g, data) => g.builder.op('GatherElements', [data, g.input(1)], { axis: axisOf(g) }),
};

const SLICES: Pair = {
  write: (g, data, updates, reduction) =>
    g.builder.op('ScatterND', [data, g.input(1), updates], { reduction }),
  read: (g, data) => g.builder.op('GatherND', [data, g.input(1)]),
};

function axisOf(g: Differentiation): number {
  return g.call.int('axis', 0);
}

function scatterGradient(pair: Pair): GradientRule {
  return (g) => {
    const reduction = g.call.string('reduction', 'none');
    switch (reduction) {
      case 'none':
        return [
          g.when(0, () => pair.write(g, g.dy, g.input(2).zerosLike())),
          undefined,
          g.when(2, () => pair.read(g, g.dy)),
        ];
      case 'add':
        return [g.when(0, () => g.dy), undefined, g.when(2, () => pair.read(g, g.dy))];
      case 'max':
      case 'min':
        return extremeGradient(g, pair);
      default:
        return g.call.fail(
          `the gradient of reduction '${reduction}' is not supported`,
          'GRADIENT_UNSUPPORTED',
        );
    }
  };
}

/** Of the greatest (or least) of what stood at a place and was written to it; those that are equal share it. */
function extremeGradient(g: Differentiation, pair: Pair): (Value | undefined)[] {
  const [data, updates, y] = [g.input(0), g.input(2), g.output(0)];
  const isData = data.equal(y).cast(y.dtype);
  const isUpdate = updates.equal(pair.read(g, y)).cast(y.dtype);
  const share = g.dy.div(pair.write(g, isData, isUpdate, 'add'));
  return [g.when(0, () => share.mul(isData)), undefined, g.when(2, () => pair.read(g, share).mul(isUpdate))];
}

export const scatterElementsGradient = scatterGradient(ELEMENTS);
export const scatterNdGradient = scatterGradient(SLICES);
