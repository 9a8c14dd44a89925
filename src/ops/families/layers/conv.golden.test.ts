// Gradients of convolutions and poolings against PyTorch's: verify/golden/conv_gradient.py.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gradientsAt } from '../../../autodiff/check.testing.js';

interface Numbers {
  readonly dims: readonly number[];
  readonly values: readonly number[];
}

interface Golden {
  readonly op: string;
  readonly attributes: Readonly<Record<string, number | readonly number[]>>;
  readonly inputs: readonly Numbers[];
  readonly dy: Numbers;
  /** In the order of the inputs. */
  readonly gradients: readonly Numbers[];
}

const file = new URL('./fixtures/conv-gradient.json', import.meta.url);
const goldens: readonly Golden[] = JSON.parse(readFileSync(file, 'utf8'));
const named = goldens.map((golden) => {
  const shapes = golden.inputs.map(({ dims }) => `[${dims}]`).join(', ');
  return [`${golden.op}(${shapes}) ${JSON.stringify(golden.attributes)}`, golden] as const;
});

it.each(named)('%s has the gradients of PyTorch', async (_, { op, attributes, inputs, dy, gradients }) => {
  for (const opset of [13, 21]) {
    const found = await gradientsAt({ op, attributes, inputs, opset, dtype: 'float32' }, dy);
    gradients.forEach(({ values }, i) => {
      const actual = found[`x${i}`]!;
      expect(actual).toHaveLength(values.length);
      // Sums of whole numbers are exact; means are not.
      const worst = Math.max(...values.map((x, k) => Math.abs(x - actual[k]!)));
      expect(worst, `gradient of input ${i}`).toBeLessThan(op === 'AveragePool' ? 1e-6 : 1e-9);
    });
  }
});
