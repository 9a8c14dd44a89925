// Small models for tests, written as text: one line per node.

import type { DataType } from '../graph/dtype.js';
import { type Attribute, type Graph, type Model, makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { parseDim } from '../graph/parse-dim.js';
import type { Tensor } from '../graph/tensor.js';
import { TensorType, UNKNOWN } from '../graph/types.js';
import { ByteRange } from '../util/bytes.js';

/** A tensor with data: numbers become float32, or int64 for `int64`. */
export function tensor(
  name: string,
  dims: readonly number[],
  values?: readonly number[],
  dtype: DataType = 'float32',
): Tensor {
  const size = dims.reduce((n, d) => n * d, 1);
  const numbers = Array.from({ length: size }, (_, i) => values?.[i] ?? i % 7);
  const bytes =
    dtype === 'int64'
      ? new Uint8Array(BigInt64Array.from(numbers.map(BigInt)).buffer)
      : dtype === 'float32'
        ? new Uint8Array(Float32Array.from(numbers).buffer)
        : Uint8Array.from(numbers);
  return { name, dtype, dims, data: { kind: 'raw', bytes: ByteRange.of(bytes) } };
}

export interface GraphText {
  /** `x: 1,3,224,224` or `x: batch,8`; float32. */
  inputs: readonly string[];
  /** `y = Conv(x, w) strides=2,2 group=1`. Attributes are integers. */
  nodes: readonly string[];
  outputs: readonly string[];
  initializers?: readonly Tensor[];
  /** Attributes that cannot be written in a line, by the first output of their node. */
  attributes?: Readonly<Record<string, Readonly<Record<string, Attribute>>>>;
}

export function graphOf(text: GraphText): Graph {
  return makeGraph({
    inputs: text.inputs.map((line) => {
      const [name, dims] = line.split(':').map((s) => s.trim()) as [string, string];
      return {
        name,
        type: new TensorType('float32', dims === '' ? [] : dims.split(',').map((d) => parseDim(d.trim()))),
      };
    }),
    outputs: text.outputs.map((name) => ({ name, type: UNKNOWN })),
    nodes: text.nodes.map((line) => {
      const [, outputs, op, inputs, rest] = /^(.*?)\s*=\s*([\w.]+)\((.*?)\)\s*(.*)$/.exec(line)!;
      const names = (list: string): string[] =>
        list.trim() === '' ? [] : list.split(',').map((s) => s.trim());
      const attributes: Record<string, Attribute> = { ...text.attributes?.[names(outputs!)[0]!] };
      for (const [, key, value] of rest!.matchAll(/(\w+)=([-\d,]+)/g)) {
        const list = value!.split(',').map(Number);
        const many =
          value!.includes(',') || ['strides', 'pads', 'kernel_shape', 'perm', 'axes'].includes(key!);
        attributes[key!] = many ? { type: 'ints', value: list } : { type: 'int', value: list[0]! };
      }
      const at = op!.lastIndexOf('.');
      const where = { name: `n_${names(outputs!)[0]}`, domain: at < 0 ? '' : op!.slice(0, at) };
      return makeNode(op!.slice(at + 1), names(inputs!), names(outputs!), attributes, where);
    }),
    initializers: new Map((text.initializers ?? []).map((t) => [t.name, t])),
  });
}

export function modelOf(text: GraphText, opset = 21): Model {
  return makeModel(graphOf(text), {
    opsetImports: new Map([
      ['', opset],
      ['com.microsoft', 1],
    ]),
  });
}
