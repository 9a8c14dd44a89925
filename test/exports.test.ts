// Real exports, without their weights: parameters exactly as PyTorch counts them, MACs of the convolutional
// networks exactly those of their Conv and Linear layers. Made by verify/exports (see its docstrings).
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cost } from '../src/analysis/cost.js';
import { coverage } from '../src/analysis/coverage.js';
import { inferShapes } from '../src/analysis/infer.js';
import { decodeModel } from '../src/onnx/read.js';

interface Entry {
  name: string;
  file: string;
  family: string;
  parameters: number;
  macs: number;
  batchNormFused?: boolean;
}

const FOLDER = resolve(import.meta.dirname, 'fixtures/exports');
const manifest = JSON.parse(readFileSync(resolve(FOLDER, 'manifest.json'), 'utf8')) as { networks: Entry[] };

/** Tied embeddings that were written twice: that they are equal shows only in the weights. */
const NEEDS_WEIGHTS = new Set(['gpt2_lm']);

describe('real exports', () => {
  it('covers every fixture', () => {
    const files = readdirSync(FOLDER).filter((f) => f.endsWith('.gz'));
    expect(manifest.networks.map((n) => n.file).sort()).toEqual(files.sort());
  });

  it.each(manifest.networks)('$name', ({ name, file, family, parameters, macs, batchNormFused }) => {
    const inference = inferShapes(decodeModel(gunzipSync(readFileSync(resolve(FOLDER, file)))));
    const report = cost(inference);
    const { unknownOperators, incomplete } = coverage(inference, report);
    expect(unknownOperators).toEqual([]);
    expect(incomplete).toEqual([]);
    if (!batchNormFused && !NEEDS_WEIGHTS.has(name)) expect(report.totals.parameters).toBe(parameters);
    if (family === 'cnn' && typeof report.totals.macs === 'number') expect(report.totals.macs).toBe(macs);
  });
});
