// The oracle of the three families of GENNAPE: PyTorch. verify/golden/gennape_families.py writes its parameters,
// MACs and logits of networks; here the networks of the same texts must have them.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import type { Model } from '../../graph/graph.js';
import { elementCount, fromNumbers, type Tensor } from '../../graph/tensor.js';
import { hostTensor, Session } from '../../runtime/session.js';
import type { AnySpace } from '../space.js';

interface GoldenNetwork {
  readonly text: string;
  readonly parameters: number;
  readonly macs: number;
  readonly logits: readonly number[];
}

const golden = JSON.parse(
  readFileSync(new URL('fixtures/gennape-families.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly GoldenNetwork[]>>;

/** The sizes at which the fixture's logits were computed. */
const SMALL = { width: 1 / 4, resolution: 16 };

export function itIsAsInPyTorch(space: AnySpace): void {
  it.each(golden[space.name]!)('has the parameters, MACs and logits of $text', async (expected) => {
    const arch = space.parse(expected.text);
    const { totals } = cost(inferShapes(space.network(arch)));
    expect([totals.parameters, totals.macs]).toEqual([expected.parameters, expected.macs]);
    const logits = await run(filled(space.network(arch, SMALL)));
    const scale = Math.max(...expected.logits.map(Math.abs));
    expected.logits.forEach((value, i) => {
      expect(Math.abs(logits[i]! - value) / scale, `logit ${i}: ${logits[i]}, not ${value}`).toBeLessThan(
        1e-5,
      );
    });
  });
}

/** From −1 to 1, without an order that one would see: 31·place² + 7·place, modulo the period. */
function pattern(size: number, period: number): number[] {
  return Array.from({ length: size }, (_, i) => ((31 * i * i + 7 * i) % period) * (2 / (period - 1)) - 1);
}

/** Trained values by the ends of their names, as the script fills them. */
const NORM: Readonly<Record<string, (n: number) => number[]>> = {
  weight: (n) => pattern(n, 23).map((x) => 1 + 0.2 * x),
  bias: (n) => pattern(n, 29).map((x) => 0.1 * x),
  running_mean: (n) => pattern(n, 37).map((x) => 0.1 * x),
  running_var: (n) => pattern(n, 41).map((x) => 1 + 0.5 * x),
};

function values({ name, dims }: Tensor): number[] {
  const [layer, part] = name.split('.').slice(-2) as [string, string];
  const size = elementCount({ dims });
  if (layer === 'norm') return NORM[part]!(size);
  if (part === 'bias') return pattern(size, 23).map((x) => 0.1 * x);
  const fan = dims.length === 2 ? dims[0]! : size / dims[0]!;
  return pattern(size, 1009).map((x) => x * Math.sqrt(3 / fan));
}

function filled(model: Model): Model {
  const initializers = new Map(
    [...model.graph.initializers].map(([name, tensor]) => {
      const isWeight = tensor.metadata !== undefined;
      return [name, isWeight ? fromNumbers(name, 'float32', tensor.dims, values(tensor)) : tensor] as const;
    }),
  );
  return { ...model, graph: { ...model.graph, initializers } };
}

async function run(model: Model): Promise<Float32Array> {
  const { resolution } = SMALL;
  const image = Float32Array.from(pattern(3 * resolution ** 2, 251));
  const session = await Session.create(model, { threads: 1 });
  try {
    const outputs = await session.run({
      input: await hostTensor('float32', image, [1, 3, resolution, resolution]),
    });
    return outputs.output!.data as Float32Array;
  } finally {
    await session.dispose();
  }
}
