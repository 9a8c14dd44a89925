import { describe, expect, it } from 'vitest';
import { nasBench101 } from '../spaces/cells/nasbench101.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import type { Cell } from '../spaces/space.js';
import { Random } from '../util/random.js';
import { type CellDecoder, decodeCell, decodeValidCell, drawnLatents } from './cell-decoder.js';
import { decodingQuality } from './decoding-quality.js';
import { fixedEdges } from './fixed-edges.js';

const VOCABULARY = nasBench101.vocabulary!;
const NODES = 7;
const LATENT = NODES + VOCABULARY.length;

/** The last numbers of a node are its operation, one-hot. */
const DECODER: CellDecoder = {
  vocabulary: VOCABULARY,
  nodes: NODES,
  latent: LATENT,
  weight: Array.from({ length: LATENT }, (_, i) =>
    VOCABULARY.map((_, op) => (i === NODES + op ? 100 : 0)),
  ).flat(),
  bias: VOCABULARY.map(() => 0),
  mean: new Array(NODES * LATENT).fill(0),
  deviation: new Array(NODES * LATENT).fill(1),
};

/** Latents whose products are 1 for edges, −1 for others, and 10 for a node itself: rows of a Cholesky factor. */
function latentsOf({ ops, adjacency }: Cell): Float64Array {
  const z = new Float64Array(NODES * LATENT);
  for (let i = 0; i < NODES; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = i === j ? 10 : adjacency[j]?.[i] ? 1 : -1;
      for (let k = 0; k < j; k++) sum -= z[i * LATENT + k]! * z[j * LATENT + k]!;
      z[i * LATENT + j] = i === j ? Math.sqrt(sum) : sum / z[j * LATENT + j]!;
    }
    const op = VOCABULARY.indexOf(ops[i] ?? '');
    if (op >= 0) z[i * LATENT + NODES + op] = 0.1;
  }
  return z;
}

const isValid = (cell: Cell): boolean => nasBench101.fromCell!(cell) !== undefined;

describe('decoding cells', () => {
  it('finds every cell again, whatever its size', () => {
    const random = Random.seeded(1);
    for (let i = 0; i < 50; i++) {
      const cell = nasBench101.cell!(nasBench101.sample(random));
      expect(decodeCell(latentsOf(cell), DECODER)).toEqual(cell);
      expect(decodeValidCell(latentsOf(cell), DECODER, isValid)).toEqual(cell);
    }
  });

  it('takes the nearest number of edges that makes a cell', () => {
    const ops = [
      'input',
      'conv1x1-bn-relu',
      'conv3x3-bn-relu',
      'maxpool3x3',
      'conv1x1-bn-relu',
      'conv3x3-bn-relu',
      'output',
    ];
    const all = ops.map((_, i) => ops.map((_, j) => Number(i < j)));
    const z = latentsOf({ ops, adjacency: all });
    // 21 edges are too many for the benchmark.
    expect(isValid(decodeCell(z, DECODER))).toBe(false);
    const cell = decodeValidCell(z, DECODER, isValid)!;
    expect(isValid(cell)).toBe(true);
    const edges = (adjacency: Cell['adjacency']): number => adjacency.flat().reduce((a, b) => a + b);
    expect(edges(cell.adjacency)).toBeGreaterThanOrEqual(9);
    expect(decodeValidCell(z, DECODER, () => false)).toBeUndefined();
  });

  it('always gives a cell that begins with the input and ends with the output', () => {
    const random = Random.seeded(2);
    for (let i = 0; i < 20; i++) {
      const cell = decodeValidCell(drawnLatents(DECODER, random), DECODER, () => true)!;
      expect([cell.ops[0], cell.ops.at(-1)]).toEqual(['input', 'output']);
      expect(cell.ops.slice(1, -1)).not.toContain('output');
    }
  });

  it('takes the edges that all cells of a space have', () => {
    expect(fixedEdges(nasBench101)).toBeUndefined();
    const edges = fixedEdges(nasBench201)!;
    const vocabulary = nasBench201.vocabulary!;
    const sizes = { nodes: edges.length, latent: vocabulary.length };
    const weight = vocabulary.flatMap((_, i) => vocabulary.map((_, op) => Number(i === op)));
    const decoder = { vocabulary, ...sizes, weight, bias: vocabulary.map(() => 0), mean: [], deviation: [] };
    const isCell = (cell: Cell): boolean => nasBench201.fromCell!(cell) !== undefined;
    const random = Random.seeded(5);
    for (let i = 0; i < 20; i++) {
      const z = Float64Array.from({ length: sizes.nodes * sizes.latent }, () => random.normal());
      expect(decodeValidCell(z, decoder, isCell, edges)?.adjacency).toEqual(edges);
    }
  });

  it('counts valid and different cells', () => {
    const sure = {
      ...DECODER,
      mean: [...latentsOf(nasBench101.cell!(nasBench101.parse(nasBench101.example)))],
    };
    const one = { ...sure, deviation: sure.deviation.map(() => 0) };
    const random = Random.seeded(3);
    expect(decodingQuality(one, nasBench101, { count: 20, random })).toEqual({
      validity: 1,
      uniqueness: 1 / 20,
      uniqueNetworks: 1 / 20,
    });
    const free = decodingQuality(DECODER, nasBench101, { count: 200, random });
    const bound = decodingQuality(DECODER, nasBench101, { count: 200, random, isConstrained: true });
    expect(free.validity).toBeLessThan(0.9);
    expect(bound.uniqueness).toBeLessThanOrEqual(1);
    expect(bound.validity).toBeGreaterThan(0.99);
  });
});
