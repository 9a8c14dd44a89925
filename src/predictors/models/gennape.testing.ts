// What PyTorch makes of the models of GENNAPE; see verify/golden/gennape.py.
import { readFileSync } from 'node:fs';
import { expectGoldenCase, type GoldenCase } from '../../nn/golden.testing.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { EncoderInputs, EncoderOptions } from './contrastive-encoder.js';

const { cases }: { cases: Readonly<Record<string, GoldenCase>> } = JSON.parse(
  readFileSync(new URL('fixtures/gennape.json', import.meta.url), 'utf8'),
);

/** Of the vocabulary of the fixture. */
export const GOLDEN_LABELS = 6;

/** The encoder of the fixture. */
export const GOLDEN_ENCODER: EncoderOptions = {
  width: 6,
  layers: 2,
  heads: 2,
  feedForward: 5,
  dropout: 0.25,
  labels: GOLDEN_LABELS,
};

/** What a loss is given beside the graphs. */
type GoldenInputs = EncoderInputs & { readonly distances: Value; readonly flops: Value };

/** Expects outputs and gradients of a case of the fixture. */
export async function expectGennape(
  name: string,
  write: (s: Scope, inputs: GoldenInputs) => Value,
  options?: { readonly isTraining: boolean },
): Promise<void> {
  const found = cases[name];
  if (found === undefined) throw new Error(`the fixture has no case '${name}'`);
  return expectGoldenCase(found, (s, inputs) => write(s, inputs as unknown as GoldenInputs), options);
}
