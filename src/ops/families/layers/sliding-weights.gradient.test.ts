import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel } from '../../../graph/graph.js';
import { channelBlock } from '../../../runtime/channel-block.js';
import { hostTensor, Session } from '../../../runtime/session.js';
import { Random } from '../../../util/random.js';
import { Builder } from '../../build.js';
import type { Convolution } from './placed-convolution.js';
import { bySliding, isSliding } from './sliding-weights.gradient.js';

interface Case {
  readonly batch: number;
  readonly channels: number;
  readonly filters: number;
  readonly size: number;
  readonly kernel: number;
  readonly stride?: number;
  readonly dilation?: number;
  readonly padding?: number;
}

const block = await channelBlock();
const OPSETS = new Map([
  ['', 21],
  ['com.microsoft.nchwc', 1],
]);

function convolutionOf(given: Case): Convolution {
  const { channels, filters, size, kernel, stride = 1, dilation = 1, padding = 0 } = given;
  const span = (kernel - 1) * dilation + 1;
  const positions = Math.floor((size + 2 * padding - span) / stride) + 1;
  const end = (positions - 1) * stride + span - padding - size;
  const axis = { kernel, stride, dilation, span, begin: padding, end, size, positions };
  const kernelSize = kernel ** 2;
  return { axes: [axis, axis], kernel: [kernel, kernel], kernelSize, group: 1, channels, filters };
}

/** dW by its definition, in double precision. */
function expected(given: Case, conv: Convolution, x: Float32Array, dy: Float32Array): Float64Array {
  const { batch, channels, filters, size } = given;
  const { kernel, stride, dilation, begin, positions } = conv.axes[0]!;
  const found = new Float64Array(filters * channels * kernel ** 2);
  const at = (n: number, c: number, row: number, column: number): number =>
    row < 0 || column < 0 || row >= size || column >= size
      ? 0
      : x[((n * channels + c) * size + row) * size + column]!;
  let index = 0;
  for (let o = 0; o < filters; o++) {
    for (let c = 0; c < channels; c++) {
      for (let i = 0; i < kernel; i++) {
        for (let j = 0; j < kernel; j++, index++) {
          for (let n = 0; n < batch; n++) {
            for (let s = 0; s < positions; s++) {
              for (let t = 0; t < positions; t++) {
                const [row, column] = [s * stride + i * dilation - begin, t * stride + j * dilation - begin];
                found[index]! +=
                  dy[((n * filters + o) * positions + s) * positions + t]! * at(n, c, row, column);
              }
            }
          }
        }
      }
    }
  }
  return found;
}

describe.skipIf(block === undefined)('dW by sliding dY over X', () => {
  it.each<Case>([
    { batch: 1, channels: 3, filters: 16, size: 9, kernel: 3, padding: 1 },
    { batch: 4, channels: 5, filters: 32, size: 8, kernel: 3, padding: 1, stride: 2 },
    { batch: 16, channels: 16, filters: 16, size: 8, kernel: 3, padding: 1 },
    { batch: 16, channels: 3, filters: 16, size: 11, kernel: 5, padding: 2, stride: 2 },
    { batch: 32, channels: 4, filters: 32, size: 8, kernel: 3, padding: 2, dilation: 2 },
    // The last row and column are never seen.
    { batch: 48, channels: 16, filters: 16, size: 8, kernel: 3, stride: 2 },
  ])('$batch of $channels × $size² to $filters, kernel $kernel', async (given) => {
    const conv = convolutionOf(given);
    const { batch, channels, filters, size } = given;
    const { positions } = conv.axes[0]!;
    const builder = new Builder({ opsets: OPSETS, channelBlock: block, runsOnce: true });
    const dims = {
      x: [batch, channels, size, size],
      dy: [batch, filters, positions, positions],
    };
    const [x, dy] = [builder.input('x', 'float32', dims.x), builder.input('dy', 'float32', dims.dy)];
    expect(isSliding(conv, x)).toBe(true);
    const { name, type } = bySliding(conv, x, dy);
    const { nodes, inputs, initializers } = builder;
    const graph = makeGraph({ nodes, inputs, initializers, outputs: [{ name, type }] });
    const model = makeModel(graph, { opsetImports: OPSETS });
    const random = Random.seeded(1);
    const draw = (shape: readonly number[]): Float32Array =>
      Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal());
    const data = { x: draw(dims.x), dy: draw(dims.dy) };
    const session = await Session.create(model, { threads: 2, optimization: 'disabled' });
    const results = await session.run({
      x: await hostTensor('float32', data.x, dims.x),
      dy: await hostTensor('float32', data.dy, dims.dy),
    });
    await session.dispose();
    const found = results[name]!;
    expect(found.dims).toEqual([filters, channels, given.kernel, given.kernel]);
    const wanted = expected(given, conv, data.x, data.dy);
    const largest = Math.max(...wanted.map(Math.abs));
    const error = Math.max(...wanted.map((value, i) => Math.abs(value - Number(found.data[i]))));
    expect(error / largest).toBeLessThan(1e-6);
  });

  it('is not for groups, kernels of one element and batches that fill no block', () => {
    const of = (given: Case, changes: Partial<Convolution> = {}): boolean => {
      const builder = new Builder({ opsets: OPSETS, channelBlock: block, runsOnce: true });
      const { batch, channels, size } = given;
      const x = builder.input('x', 'float32', [batch, channels, size, size]);
      return isSliding({ ...convolutionOf(given), ...changes }, x);
    };
    const plain = { batch: 16, channels: 16, filters: 16, size: 8, kernel: 3 };
    expect(of(plain)).toBe(true);
    expect(of(plain, { group: 2 })).toBe(false);
    expect(of({ ...plain, kernel: 1 })).toBe(false);
    expect(of({ ...plain, batch: 20 })).toBe(false);
    expect(of({ ...plain, filters: 20 })).toBe(false);
  });
});
