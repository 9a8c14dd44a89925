import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { writeModel } from '../../onnx/file.js';
import { difference } from '../../runtime/difference.js';
import type { HostTensor } from '../../runtime/session.js';
import { verified } from './verify.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that multiplies by a number. */
function file(name: string, factor: number, ...nodes: string[]) {
  const model = modelOf({
    inputs: ['x: n,2'],
    nodes: nodes.length > 0 ? nodes : ['y = Mul(x, f)'],
    outputs: ['y'],
    initializers: [tensor('f', [], [factor])],
  });
  const path = join(folder, name);
  writeModel(model, path);
  return { model, path };
}

const a = file('a.onnx', 2);

function compared(before: typeof a, after: typeof a, tolerance: number) {
  return verified({ models: [before.model, after.model], files: [before.path, after.path], tolerance });
}

describe('two files', () => {
  it('are the same', async () => {
    const result = await compared(a, file('b.onnx', 2), 0);
    expect(result).toMatchObject({ status: 'same', outputs: [{ name: 'y', absolute: 0, relative: 0 }] });
  });

  it('differ by as much as they do', async () => {
    const result = await compared(a, file('b.onnx', 2.5), 0.2);
    expect(result).toMatchObject({
      status: 'different',
      outputs: [{ name: 'y', relative: expect.closeTo(0.25, 5) }],
    });
  });

  it('sum up in the same order, whether weights are constants or copies of constants', async () => {
    const sizes = [768, 768];
    const values = Array.from({ length: 768 * 768 }, (_, i) => Math.sin(1.7 * i + 0.3));
    const file = (name: string, nodes: string[]) => {
      const initializers = [tensor('w', sizes, values)];
      const model = modelOf({ inputs: ['x: 64,768'], nodes, outputs: ['y'], initializers });
      const path = join(folder, name);
      writeModel(model, path);
      return { model, path };
    };
    const copied = file('copied.onnx', ['c = Identity(w)', 'y = MatMul(x, c)']);
    expect(await compared(copied, file('constant.onnx', ['y = MatMul(x, w)']), 0)).toMatchObject({
      status: 'same',
      outputs: [{ name: 'y', relative: 0 }],
    });
  });

  describe('whose outputs are next to nothing', () => {
    /** Adds a number to 0, and ends in another operator: x is only there to be an input. */
    const ending = (operator: string, logit: number) =>
      file(`${operator}${logit}.onnx`, logit, 'zero = Sub(x, x)', 'o = Add(zero, f)', `y = ${operator}(o)`);

    it('are the same up to the rounding of the Sigmoid they end in', async () => {
      // Of −17 ONNX Runtime gives 9e-8, of −18 it gives 0.
      const result = await compared(ending('Sigmoid', -17), ending('Sigmoid', -18), 1e-4);
      expect(result).toMatchObject({ status: 'same', outputs: [{ relative: 0 }] });
      if (result.status === 'same') expect(result.outputs[0]!.absolute).toBeGreaterThan(0);
    });

    it('differ where a Sigmoid tells them apart', async () => {
      const result = await compared(ending('Sigmoid', -15), ending('Sigmoid', -16), 1e-4);
      expect(result).toMatchObject({ status: 'different' });
    });

    it('differ where no Sigmoid rounds them', async () => {
      const result = await compared(ending('Tanh', 1e-8), ending('Tanh', 2e-8), 1e-4);
      expect(result).toMatchObject({ status: 'different', outputs: [{ relative: expect.closeTo(1, 5) }] });
    });
  });

  it('draw the same random numbers', async () => {
    const random = ['r = RandomNormalLike(x)', 'u = RandomUniformLike(x)', 'z = Mul(r, u)'];
    const before = file('r.onnx', 2, ...random, 'i = Identity(z)', 'y = Mul(i, f)');
    const after = file('s.onnx', 2, 'k = Identity(x)', ...random, 'y = Mul(z, f)');
    expect(await compared(before, after, 0)).toMatchObject({ status: 'same', outputs: [{ relative: 0 }] });
    const other = file('t.onnx', 2.5, ...random, 'y = Mul(z, f)');
    expect(await compared(before, other, 0.2)).toMatchObject({ status: 'different' });
  });

  it('cannot be compared where one does not run', async () => {
    const broken = file('broken.onnx', 2, 'y = nowhere.Mul(x, f)');
    await expect(compared(a, broken, 0)).rejects.toMatchObject({ code: 'CONVERT_BROKEN' });
    const result = await compared(broken, a, 0);
    expect(result).toMatchObject({ status: 'not run', isRun: true });
  });
});

describe('two tensors', () => {
  const of = (data: HostTensor['data'], dims: readonly number[], type: HostTensor['type']): HostTensor => ({
    type,
    dims,
    data,
  });
  const floats = (...values: number[]) => of(Float32Array.from(values), [values.length], 'float32');

  it.each([
    ['equal, NaN too', floats(1, Number.NaN), floats(1, Number.NaN), 0, 0],
    ['apart', floats(1, -4), floats(1.5, -4), 0.5, 0.125],
    ['NaN in one', floats(1), floats(Number.NaN), Infinity, Infinity],
    ['of another shape', floats(1), floats(1, 1), Infinity, Infinity],
    ['halves', of(Uint16Array.of(0x3c00), [1], 'float16'), of(Uint16Array.of(0x4000), [1], 'float16'), 1, 1],
    [
      'whole numbers',
      of(BigInt64Array.of(4n), [1], 'int64'),
      of(BigInt64Array.of(5n), [1], 'int64'),
      1,
      0.25,
    ],
  ])('%s', (_, x, y, absolute, relative) => {
    expect(difference('y', x, y)).toMatchObject({ name: 'y', absolute, relative });
  });
});
