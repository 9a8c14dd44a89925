import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reconstructionQuality } from './decoding-quality.js';

const golden = JSON.parse(readFileSync(new URL('./fixtures/decoding.json', import.meta.url), 'utf8')) as {
  readonly nodes: number;
  readonly latent: number;
  readonly operations: number;
  readonly weight: number[];
  readonly bias: number[];
  readonly cells: { codes: number[]; adjacency: number[][] }[];
  readonly latents: number[];
  readonly quality: Record<string, number>;
};

describe('reconstruction of cells', () => {
  it('counts operations and edges as PyTorch does', () => {
    const { nodes, latent, weight, bias, cells, latents, quality } = golden;
    const vocabulary = Array.from({ length: golden.operations }, (_, code) => `op${code}`);
    const decoder = { vocabulary, nodes, latent, weight, bias, mean: [], deviation: [] };
    const given = cells.map(({ codes, adjacency }) => ({ ops: codes.map((code) => `op${code}`), adjacency }));
    const found = reconstructionQuality(decoder, given, Float64Array.from(latents));
    expect(Object.keys(found).sort()).toEqual(Object.keys(quality).sort());
    for (const [name, value] of Object.entries(found)) expect(value).toBeCloseTo(quality[name]!, 12);
  });
});
