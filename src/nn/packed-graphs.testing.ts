// What PyTorch Geometric makes of packed graphs; see verify/golden/gennape.py.
import { readFileSync } from 'node:fs';
import type { Value } from '../ops/build.js';
import { expectGoldenCase, type GoldenCase } from './golden.testing.js';
import type { Scope } from './scope.js';
import type { Inputs } from './step.js';

const { cases }: { cases: Readonly<Record<string, GoldenCase>> } = JSON.parse(
  readFileSync(new URL('fixtures/packed-graphs.json', import.meta.url), 'utf8'),
);

/** Expects outputs and gradients of a case of the fixture. */
export async function expectPacked(name: string, write: (s: Scope, inputs: Inputs) => Value): Promise<void> {
  const found = cases[name];
  if (found === undefined) throw new Error(`the fixture has no case '${name}'`);
  return expectGoldenCase(found, write);
}
