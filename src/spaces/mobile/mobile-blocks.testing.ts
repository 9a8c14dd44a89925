// The oracle of the mobile spaces: PyTorch's count of parameters and multiply-accumulates, written by
// verify/golden/mobile_spaces.py.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import type { AnySpace, NetworkOptions } from '../space.js';

interface Counts {
  readonly parameters: number;
  readonly macs: number;
}

interface GoldenCase extends Counts, NetworkOptions {
  readonly arch: string;
}

type Golden = Readonly<Record<string, readonly GoldenCase[]>> & {
  readonly models: Readonly<Record<string, Counts>>;
};

const golden = JSON.parse(readFileSync(new URL('fixtures/mobile.json', import.meta.url), 'utf8')) as Golden;

/** Of networks of torchvision and timm. */
export const goldenModels = golden.models;

/** What a text's network costs. */
export function countsOf(space: AnySpace, text: string, options: NetworkOptions = {}): Counts {
  const { parameters, macs } = cost(inferShapes(space.network(space.parse(text), options))).totals;
  return { parameters, macs: Number(macs) };
}

export function expectGoldenCounts(space: AnySpace): void {
  it.each(golden[space.name]!.map((c, i) => [i, c] as const))(
    'has the parameters and multiply-accumulates of PyTorch, network %i',
    (_, { arch, parameters, macs, ...options }) => {
      expect(countsOf(space, arch, options)).toEqual({ parameters, macs });
    },
  );
}
