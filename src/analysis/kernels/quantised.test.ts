// The oracle is the graph that ONNX Runtime writes after optimising.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { afterAll, expect, it } from 'vitest';
import '../../ops/index.js';
import { readModel } from '../../onnx/file.js';
import { encodeModel } from '../../onnx/write.js';
import { inferShapes } from '../infer.js';
import { type GraphText, modelOf, tensor } from '../models.testing.js';
import { planKernels } from './plan.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-quantised-'));
afterAll(() => rmSync(folder, { recursive: true }));

function counts(operators: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const operator of [...operators].sort()) found[operator] = (found[operator] ?? 0) + 1;
  return found;
}

const planned = (text: GraphText): Record<string, number> =>
  counts(
    planKernels(inferShapes(modelOf(text)), { blockChannels: 16 }).kernels.map(({ operator }) => operator),
  );

async function run(text: GraphText): Promise<Record<string, number>> {
  const file = join(folder, 'optimised.onnx');
  const options = { optimizedModelFilePath: file, logSeverityLevel: 4 } as const;
  const session = await ort.InferenceSession.create(encodeModel(modelOf(text)), options);
  await session.release();
  return counts(readModel(file).graph.nodes.map(({ opType }) => opType));
}

const scale = (name: string) => tensor(name, [], [0.05]);
const zero = (name: string, dtype: 'uint8' | 'int8') => tensor(name, [], [0], dtype);

/** Two convolutions with a sum, as exporters write quantised networks. */
function convolutions(dtype: 'uint8' | 'int8'): GraphText {
  const conv = (i: number, x: string, y: string): string[] => [
    `w${i}f = DequantizeLinear(w${i}, ws, wz)`,
    `c${i} = Conv(${x}, w${i}f) pads=1,1,1,1`,
    `r${i} = Relu(c${i})`,
    `q${i} = QuantizeLinear(r${i}, s, z)`,
    `${y} = DequantizeLinear(q${i}, s, z)`,
  ];
  return {
    inputs: ['x: 1,8,16,16'],
    nodes: [
      'xq = QuantizeLinear(x, s, z)',
      'xf = DequantizeLinear(xq, s, z)',
      ...conv(1, 'xf', 'f1'),
      ...conv(2, 'f1', 'f2'),
      'sum = Add(f1, f2)',
      'sq = QuantizeLinear(sum, s, z)',
      'y = DequantizeLinear(sq, s, z)',
    ],
    outputs: ['y'],
    initializers: [
      ...[scale('s'), scale('ws'), zero('z', dtype), zero('wz', 'int8')],
      ...[1, 2].map((i) => tensor(`w${i}`, [8, 8, 3, 3], undefined, 'int8')),
    ],
  };
}

it('computes what lies between DequantizeLinear and QuantizeLinear with integers', async () => {
  const text = convolutions('uint8');
  expect(planned(text)).toMatchObject({ QLinearConv: 2, QLinearAdd: 1 });
  expect(planned(text)).toEqual(await run(text));
});

it('leaves signed integers that several nodes read to kernels of floats', async () => {
  const text = convolutions('int8');
  const [own, real] = [planned(text), await run(text)];
  const kernels = ['QLinearConv', 'QLinearAdd', 'FusedConv', 'Add', 'QuantizeLinear'];
  expect(kernels.map((name) => own[name] ?? 0)).toEqual(kernels.map((name) => real[name] ?? 0));
  expect(own.FusedConv).toBe(2);
});

it('joins a product of integers with its scales and its bias', async () => {
  const text: GraphText = {
    inputs: ['x: 4,32'],
    nodes: [
      'xq, xs, xz = DynamicQuantizeLinear(x)',
      'p = MatMulInteger(xq, w, xz, wz)',
      'f = Cast(p) to=1',
      'k = Mul(xs, ws)',
      'm = Mul(f, k)',
      'a = Add(m, b)',
      'y = Erf(a)',
    ],
    outputs: ['y'],
    initializers: [
      tensor('w', [32, 16], undefined, 'int8'),
      zero('wz', 'int8'),
      scale('ws'),
      tensor('b', [16]),
    ],
  };
  expect(planned(text)).toEqual({ DynamicQuantizeMatMul: 1, Erf: 1 });
  expect(planned(text)).toEqual(await run(text));
});
