import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { freeze } from '../../nn/freeze.js';
import { type Inputs, trace } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { hostTensor, Session } from '../../runtime/session.js';
import type { Cell } from '../../spaces/space.js';
import { EncodedCells } from '../views/cell-batch.js';
import { attentionBias, type GraphInputs, NN_FORMER, nnFormer } from './nn-former.js';

interface GoldenCase {
  readonly ops: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
  readonly outputs: Readonly<Record<string, number>>;
  readonly masks: Readonly<Record<'meant' | 'released', readonly string[]>>;
}

/** Made by verify/golden/nn_former.py. */
const golden: { width: number; layers: number; cases: readonly GoldenCase[] } = JSON.parse(
  readFileSync(new URL('./fixtures/nn-former.json', import.meta.url), 'utf8'),
);
const VOCABULARY = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function cellOf({ ops, edges }: Pick<GoldenCase, 'ops' | 'edges'>): Cell {
  const adjacency = ops.map((_, i) => ops.map((_, j) => Number(edges.some(([x, y]) => x === i && y === j))));
  return { ops: ops.map((code) => VOCABULARY[code]!), adjacency };
}

/** As the script makes them: sines of place and name, those of normalisations around 1. */
function weightOf(name: string, dims: readonly number[]): Float32Array {
  const start = [...name].reduce((sum, c) => sum + c.charCodeAt(0), 0);
  const isScale = dims.length === 1 && name.endsWith('.weight');
  const count = dims.reduce((n, d) => n * d, 1);
  return Float32Array.from({ length: count }, (_, i) => Number(isScale) + 0.3 * Math.sin(i * 0.7 + start));
}

/** What `write` computes for cells. */
async function computed(
  cells: readonly Cell[],
  nodes: number,
  write: (s: Parameters<typeof nnFormer>[0], inputs: Inputs) => Value,
): Promise<Float32Array> {
  const encoded = new EncodedCells(cells, VOCABULARY, nodes);
  const batch = encoded.batch(cells.map((_, i) => i));
  const { model, trace: traced } = trace(batch, false, write, 'y');
  const weights = [...traced.parameters.values()].map((p) => [p.name, weightOf(p.name, p.dims)] as const);
  const session = await Session.create(freeze(model, new Map(weights)), { threads: 1 });
  const feeds = Object.fromEntries(
    await Promise.all(
      session.inputs.map(async (name) => {
        const { type, data, dims } = batch[name]!;
        return [name, await hostTensor(type, data, dims)] as const;
      }),
    ),
  );
  const { y } = await session.run(feeds);
  await session.dispose();
  return y!.data as Float32Array;
}

const graphs = (inputs: Inputs): GraphInputs => inputs as unknown as GraphInputs;

describe('NN-Former', () => {
  it.each(
    Object.keys(golden.cases[0]!.outputs).map((name) => [
      name,
      name.startsWith('meant'),
      !name.includes('without'),
    ]),
  )('is that of the paper, %s', async (name, isMeant, messages) => {
    const options = {
      ...NN_FORMER,
      width: golden.width,
      layers: golden.layers,
      maskVariant: isMeant ? ('meant' as const) : ('released' as const),
      messages: messages as boolean,
    };
    const cells = golden.cases.map(cellOf);
    const found = await computed(cells, 8, (s, inputs) => nnFormer(s, graphs(inputs), options));
    golden.cases.forEach(({ outputs }, i) => {
      expect(Math.abs(found[i]! - outputs[name as string]!)).toBeLessThan(1e-5);
    });
  });

  it.each(['meant', 'released'] as const)('has the masks of the paper, %s', async (maskVariant) => {
    for (const each of golden.cases) {
      const bias = await computed([cellOf(each)], each.ops.length, (_, inputs) =>
        attentionBias(graphs(inputs), { ...NN_FORMER, maskVariant }),
      );
      const allowed = Array.from(bias, (value) => Number(value === 0)).join('');
      expect(allowed).toBe(each.masks[maskVariant].join(''));
    }
  });

  // 0 → 1, 0 → 2, 1 → 3, 2 → 3: 1 and 2 have a common parent and a common child.
  it('knows siblings', async () => {
    const cell = cellOf({
      ops: [0, 1, 2, 4],
      edges: [
        [0, 1],
        [0, 2],
        [1, 3],
        [2, 3],
      ],
    });
    const bias = await computed([cell], 4, (_, inputs) => attentionBias(graphs(inputs), NN_FORMER));
    const sees = (head: number, i: number, j: number): boolean => bias[(head * 6 + i + 1) * 6 + j + 1] === 0;
    const pairs = (head: number): string[] =>
      [0, 1, 2, 3].flatMap((i) =>
        [0, 1, 2, 3].filter((j) => j !== i && sees(head, i, j)).map((j) => `${i}${j}`),
      );
    expect(pairs(0)).toEqual(['01', '02', '13', '23']);
    expect(pairs(1)).toEqual(['10', '20', '31', '32']);
    expect(pairs(2)).toEqual(['12', '21']);
    expect(pairs(3)).toEqual(['12', '21']);
    for (const head of [0, 1, 2, 3]) for (const i of [-1, 4]) expect(sees(head, i, 2)).toBe(true);
  });

  it('does not depend on the padding', async () => {
    const options = { ...NN_FORMER, width: 16, layers: 2 };
    const cells = golden.cases.map(cellOf);
    const [small, large] = await Promise.all(
      [8, 11].map((n) => computed(cells, n, (s, inputs) => nnFormer(s, graphs(inputs), options))),
    );
    small!.forEach((value, i) => {
      expect(value).toBeCloseTo(large![i]!, 5);
    });
  });
});
