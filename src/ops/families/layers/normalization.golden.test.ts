// Gradients of normalisations against PyTorch's: verify/golden/normalization_gradient.py.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gradientsAt } from '../../../autodiff/check.testing.js';

interface Numbers {
  readonly dims: readonly number[];
  readonly values: readonly number[];
}

interface Golden {
  readonly name: string;
  readonly op: string;
  readonly attributes: Readonly<Record<string, number>>;
  readonly inputs: readonly Numbers[];
  readonly dy: Numbers;
  /** In the order of the inputs; null for the statistics that training does not read. */
  readonly gradients: readonly (Numbers | null)[];
}

const file = new URL('./fixtures/normalization-gradient.json', import.meta.url);
const goldens: readonly Golden[] = JSON.parse(readFileSync(file, 'utf8'));

/** The largest difference in units of the largest number. */
function error(actual: readonly number[], expected: readonly number[]): number {
  const scale = Math.max(...expected.map(Math.abs)) || 1;
  return Math.max(...expected.map((x, i) => Math.abs(x - actual[i]!))) / scale;
}

describe.each([
  ['float64', 1e-7],
  ['float32', 2e-5],
] as const)('gradients in %s are those of PyTorch', (dtype, tolerance) => {
  // ONNX Runtime has no float64 kernel of InstanceNormalization.
  const cases = goldens.filter(({ op }) => dtype === 'float32' || op !== 'InstanceNormalization');
  it.each(cases.map((golden) => [`${golden.op}: ${golden.name}`, golden] as const))(
    '%s',
    async (_, golden) => {
      const { op, attributes, inputs, dy } = golden;
      const outputs = attributes.training_mode ? 3 : 1;
      const found = await gradientsAt({ op, attributes, inputs, outputs, dtype }, dy);
      golden.gradients.forEach((expected, i) => {
        const actual = found[`x${i}`]!;
        const values = expected?.values ?? inputs[i]!.values.map(() => 0);
        expect(actual).toHaveLength(values.length);
        expect(error(actual, values), `gradient of input ${i}`).toBeLessThan(tolerance);
      });
    },
  );
});
