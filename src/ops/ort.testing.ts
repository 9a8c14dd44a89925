// The oracle of operator tests: builds a one-node model, runs it in ONNX Runtime, and compares the types of
// what comes out with what the operator's `infer` says.
import * as ort from 'onnxruntime-node';
import { expect } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import type { DataType } from '../graph/dtype.js';
import { type Attribute, type Model, makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { parseDim } from '../graph/parse-dim.js';
import type { Tensor } from '../graph/tensor.js';
import { formatType, isTensor, TensorType, type ValueType } from '../graph/types.js';
import { encodeModel } from '../onnx/write.js';
import { ByteRange } from '../util/bytes.js';
import type { OperatorCost } from './operator.js';

/** An input: type, shape, and its elements; 0.5 (or 1) everywhere where they are left out. */
export interface TestInput {
  dtype: DataType;
  dims: readonly number[];
  values?: readonly number[];
  /** Given as an initializer, so that inference may look at the values. */
  constant?: boolean;
}

/** One application of an operator, as a test writes it down. */
export interface TestCase {
  op: string;
  domain?: string;
  opset?: number;
  /** `null` for an optional input that is left out. */
  inputs: readonly (TestInput | null)[];
  attributes?: Readonly<Record<string, Attribute>>;
  outputs?: number;
}

export function input(dtype: DataType, dims: readonly number[], values?: readonly number[]): TestInput {
  return values ? { dtype, dims, values } : { dtype, dims };
}

/** A small integer tensor that inference knows: a shape, axes, repeats. */
export function known(values: readonly number[], dtype: DataType = 'int64'): TestInput {
  return { dtype, dims: [values.length], values, constant: true };
}

export function knownScalar(value: number, dtype: DataType = 'int64'): TestInput {
  return { dtype, dims: [], values: [value], constant: true };
}

/** An attribute as tests write it: whole numbers are ints; anything else is told by its type. */
export type ShortAttribute = number | string | readonly number[] | Attribute;

export function attributesOf(short: Readonly<Record<string, ShortAttribute>>): Record<string, Attribute> {
  return Object.fromEntries(Object.entries(short).map(([name, value]) => [name, attribute(value)]));
}

function attribute(value: ShortAttribute): Attribute {
  if (typeof value === 'number') return { type: 'int', value };
  if (typeof value === 'string') return { type: 'string', value };
  return 'type' in value ? value : { type: 'ints', value };
}

type Typed = { set(index: number, value: number): void; bytes: Uint8Array };

function typed(dtype: DataType, size: number): Typed {
  const widths: Partial<Record<DataType, number>> = {
    float64: 8,
    int64: 8,
    uint64: 8,
    float32: 4,
    int32: 4,
    uint32: 4,
    float16: 2,
    int16: 2,
    uint16: 2,
    bfloat16: 2,
  };
  const width = widths[dtype] ?? 1;
  const bytes = new Uint8Array(size * width);
  const view = new DataView(bytes.buffer);
  const set = (i: number, x: number): void => {
    switch (dtype) {
      case 'float32':
        return view.setFloat32(4 * i, x, true);
      case 'float64':
        return view.setFloat64(8 * i, x, true);
      case 'int64':
      case 'uint64':
        return view.setBigInt64(8 * i, BigInt(x), true);
      case 'int32':
      case 'uint32':
        return view.setInt32(4 * i, x, true);
      case 'int16':
      case 'uint16':
        return view.setInt16(2 * i, x, true);
      case 'float16':
        // Only halves and small integers occur in tests: 1 and 0.5 as patterns.
        return view.setUint16(2 * i, x === 0 ? 0 : x === 1 ? 0x3c00 : 0x3800, true);
      case 'bfloat16':
        return view.setUint16(2 * i, x === 0 ? 0 : x === 1 ? 0x3f80 : 0x3f00, true);
      default:
        view.setInt8(i, x);
    }
  };
  return { set, bytes };
}

function bytesOf({ dtype, dims, values }: TestInput): Uint8Array {
  const size = dims.reduce((n, d) => n * d, 1);
  const { set, bytes } = typed(dtype, size);
  const fill = /float/.test(dtype) ? 0.5 : 1;
  for (let i = 0; i < size; i++) set(i, values?.[i] ?? fill);
  return bytes;
}

/** The case as a model whose node is called `node`, with inputs `x0`, `x1` … and outputs `y0`, `y1` …. */
export function modelOf(test: TestCase): Model {
  const names = test.inputs.map((x, i) => (x === null ? '' : `x${i}`));
  const outputs = Array.from({ length: test.outputs ?? 1 }, (_, i) => `y${i}`);
  const initializers = new Map<string, Tensor>();
  test.inputs.forEach((x, i) => {
    if (!x?.constant) return;
    const name = `x${i}`;
    initializers.set(name, {
      name,
      dtype: x.dtype,
      dims: x.dims,
      data: { kind: 'raw', bytes: ByteRange.of(bytesOf(x)) },
    });
  });
  const node = makeNode(test.op, names, outputs, test.attributes, {
    name: 'node',
    domain: test.domain ?? '',
  });
  const graph = makeGraph({
    nodes: [node],
    inputs: test.inputs.flatMap((x, i) =>
      x === null || x.constant ? [] : [{ name: `x${i}`, type: new TensorType(x.dtype, x.dims) }],
    ),
    outputs: outputs.map((name) => ({ name, type: { kind: 'unknown' } as const })),
    initializers,
  });
  const opset = test.opset ?? 21;
  const opsets = new Map([['', test.domain ? 21 : opset]]);
  if (test.domain) opsets.set(test.domain, test.opset ?? 1);
  return makeModel(graph, { opsetImports: opsets, irVersion: opset >= 22 ? 10 : 8 });
}

/** Runs a model in ONNX Runtime on the inputs of a test and gives the types of its outputs. */
export async function runInOrt(model: Model, inputs: readonly (TestInput | null)[]): Promise<TensorType[]> {
  const session = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  try {
    const feeds: Record<string, ort.Tensor> = {};
    inputs.forEach((x, i) => {
      if (x === null || x.constant) return;
      feeds[`x${i}`] = ortTensor(x);
    });
    const results = await session.run(feeds);
    return session.outputNames.map((name) => {
      const tensor = results[name]!;
      return new TensorType(tensor.type as DataType, [...tensor.dims], valuesOf(tensor));
    });
  } finally {
    await session.release();
  }
}

/** What a tensor of ONNX Runtime holds, where it comes as numbers. */
function valuesOf({ type, data }: ort.Tensor): readonly number[] | undefined {
  if (type === 'string' || type === 'float16') return undefined;
  return Array.from(data as ArrayLike<number | bigint | boolean>, Number);
}

export function ortTensor(x: TestInput): ort.Tensor {
  const bytes = bytesOf(x);
  const { buffer } = bytes;
  switch (x.dtype) {
    case 'float32':
      return new ort.Tensor('float32', new Float32Array(buffer), x.dims);
    case 'float64':
      return new ort.Tensor('float64', new Float64Array(buffer), x.dims);
    case 'int64':
      return new ort.Tensor('int64', new BigInt64Array(buffer), x.dims);
    case 'uint64':
      return new ort.Tensor('uint64', new BigUint64Array(buffer), x.dims);
    case 'int32':
      return new ort.Tensor('int32', new Int32Array(buffer), x.dims);
    case 'uint32':
      return new ort.Tensor('uint32', new Uint32Array(buffer), x.dims);
    case 'int16':
      return new ort.Tensor('int16', new Int16Array(buffer), x.dims);
    case 'uint16':
      return new ort.Tensor('uint16', new Uint16Array(buffer), x.dims);
    case 'float16':
      return new ort.Tensor('float16', new Uint16Array(buffer), x.dims);
    case 'int8':
      return new ort.Tensor('int8', new Int8Array(buffer), x.dims);
    case 'uint8':
      return new ort.Tensor('uint8', bytes, x.dims);
    case 'bool':
      return new ort.Tensor('bool', bytes, x.dims);
    case 'string':
      return new ort.Tensor('string', new Array<string>(bytes.length).fill('a'), x.dims);
    default:
      throw new Error(`onnxruntime-node takes no ${x.dtype}`);
  }
}

/** What `infer` says of the outputs of a case. */
export function inferTypes(test: TestCase): readonly ValueType[] {
  return inferShapes(modelOf(test)).graph.outputTypes;
}

/** What the operator's cost rule says of a case. */
export function costOf(test: TestCase): OperatorCost | undefined {
  const { call, operator } = inferShapes(modelOf(test)).graph.nodes[0]!;
  return operator?.cost.of(call);
}

/**
 * Checks that a case's inferred types are exactly those that ONNX Runtime produces, and so are the elements
 * that inference knows.
 */
export function expectSameAsOrt(test: TestCase): Promise<void> {
  return expectModelSameAsOrt(modelOf(test), test.inputs);
}

/** The same for any model, with inputs `x0`, `x1` …. */
export async function expectModelSameAsOrt(
  model: Model,
  inputs: readonly (TestInput | null)[],
): Promise<void> {
  const expected = await runInOrt(model, inputs);
  const inferred = inferShapes(model).graph.outputTypes;
  expect(inferred.map(formatType)).toEqual(expected.map(formatType));
  inferred.forEach((type, i) => {
    const [known, computed] = [isTensor(type) ? type.elements : undefined, expected[i]!.elements];
    if (known === undefined || computed === undefined) return;
    expect(known.map((x) => Math.fround(Number(x)))).toEqual(computed.map((x) => Math.fround(Number(x))));
  });
}

/**
 * Checks that with a symbolic first dimension the answer is the same once the symbol is filled in: what is
 * inferred for `batch` must agree, dimension by dimension, with what is inferred for the number.
 */
export function inferSymbolic(
  test: TestCase,
  sizes: Readonly<Record<number, readonly string[]>>,
): readonly ValueType[] {
  const types = Object.fromEntries(
    Object.entries(sizes).map(([index, dims]) => {
      const given = test.inputs[Number(index)]!;
      return [
        `x${index}`,
        new TensorType(
          given.dtype,
          dims.map((d) => parseDim(d)),
        ),
      ];
    }),
  );
  return inferShapes(modelOf(test), { types }).graph.outputTypes;
}

export function shapesOf(types: readonly ValueType[]): string[] {
  return types.map((t) => (isTensor(t) ? `[${t.shape?.join(',') ?? '?'}]` : formatType(t)));
}
