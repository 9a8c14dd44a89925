// Which networks classify small images, as those of CIFAR-10 are: what is known of their accuracy says nothing of others.
import { isKnown } from '../../graph/dim.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import type { Network } from '../../networks/network.js';
import { notCovered } from './view.js';

/** Smaller ones are not images, and fewer outputs are not classes. */
const LEAST = { side: 16, classes: 2 };

/** Refuses networks that do not give one number for each class of one small colour image. */
export function expectSmallImages(network: Network, largestSide: number): void {
  const { graph } = network.settled().inference();
  const inputs = graph.inputNames.filter((name) => !graph.initializers.has(name));
  const sides = sidesOf(graph.types.get(inputs[0] ?? ''));
  const why =
    inputs.length !== 1
      ? `has ${inputs.length} inputs`
      : sides === undefined
        ? `takes ${graph.types.get(inputs[0]!)}`
        : Math.max(...sides) > largestSide || Math.min(...sides) < LEAST.side
          ? `takes images of ${sides.join(' x ')}`
          : graph.outputNames.length !== 1 || !isClasses(graph.types.get(graph.outputNames[0]!))
            ? 'does not give one number for each class'
            : undefined;
  if (why === undefined) return;
  throw notCovered(
    'NOT_A_CLASSIFIER',
    `predicts the accuracy of classifiers of images from ${LEAST.side} to ${largestSide} pixels; ${network.ref} ${why}`,
    'zero-cost scores compare networks of the same task: auspex proxy a.onnx b.onnx',
  );
}

function knownSizes(type: ValueType | undefined): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map((size) => (isKnown(size) ? size : Number.NaN));
}

/** Of (batch, 3, height, width) or (batch, height, width, 3). */
function sidesOf(type: ValueType | undefined): readonly [number, number] | undefined {
  const [, a = 0, b = 0, c = 0, ...more] = knownSizes(type);
  if (more.length > 0) return undefined;
  const sides = a === 3 ? ([b, c] as const) : c === 3 ? ([a, b] as const) : undefined;
  return sides?.every((side) => side > 0) ? sides : undefined;
}

/** (batch, classes), perhaps with axes of size 1. */
function isClasses(type: ValueType | undefined): boolean {
  const [, ...rest] = knownSizes(type);
  const large = rest.filter((size) => size !== 1);
  return large.length === 1 && large[0]! >= LEAST.classes;
}
