import { describe, expect, it } from 'vitest';
import type { Value } from '../ops/build.js';
import { expectGolden } from './golden.testing.js';
import { unitLength } from './graph.js';
import {
  binaryCrossEntropy,
  contrastive,
  contrastiveTargets,
  crossEntropy,
  huber,
  klNormal,
  l1,
  mse,
  pairwiseDifference,
  relativeSquaredError,
} from './losses.js';
import { Trace } from './scope.js';
import type { Inputs } from './step.js';

const LOSSES: Readonly<Record<string, (inputs: Inputs) => Value>> = {
  mse: ({ p, y }) => mse(p!, y!),
  relativeSquaredError: ({ p, y }) => relativeSquaredError(p!, y!),
  l1: ({ p, y }) => l1(p!, y!),
  huber: ({ p, y }) => huber(p!, y!, 0.5),
  binaryCrossEntropy: ({ x, y }) => binaryCrossEntropy(x!, y!),
  binaryCrossEntropyWeighted: ({ x, y, weights }) => binaryCrossEntropy(x!, y!, weights),
  crossEntropy: ({ x, classes }) => crossEntropy(x!, classes!),
  crossEntropySmoothed: ({ x, classes }) => crossEntropy(x!, classes!, { labelSmoothing: 0.1 }),
  pairwiseDifference: ({ p, y, permutation }) => pairwiseDifference(p!, y!, permutation!),
  contrastive: ({ z, distances }) => contrastive(unitLength(z!), contrastiveTargets(distances!, 0.5), 0.2),
  klNormal: ({ mean, logDeviation }) => klNormal(mean!, logDeviation!),
};

describe('is PyTorch’s:', () => {
  it.each(Object.entries(LOSSES))('%s', (name, loss) =>
    expectGolden(`losses/${name}`, (_, inputs) => loss(inputs)),
  );
});

it('refuses to compare what would only broadcast', () => {
  const { builder } = new Trace(true);
  const [p, y] = [builder.input('p', 'float32', [4, 1]), builder.input('y', 'float32', [4])];
  for (const loss of [mse, l1, huber, relativeSquaredError, binaryCrossEntropy, klNormal]) {
    expect(() => loss(p, y), loss.name).toThrow(expect.objectContaining({ code: 'LOSS_SHAPE' }));
  }
});
