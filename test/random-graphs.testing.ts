// Random graphs of random operators, for laws: numbers become decisions, so that fast-check can make a failing graph
// smaller.
import fc from 'fast-check';
import { tensor } from '../src/analysis/models.testing.js';
import { type Attribute, type Model, makeGraph, makeModel, makeNode, type Node } from '../src/graph/graph.js';
import type { Tensor } from '../src/graph/tensor.js';
import { TensorType, UNKNOWN } from '../src/graph/types.js';

const OPSET = 20;
const MAX_ELEMENTS = 20_000;

export interface Value {
  name: string;
  dims: number[];
}

/** Turns a list of numbers into decisions, so that fast-check can make a failing graph smaller. */
class Builder {
  readonly nodes: Node[] = [];
  readonly initializers = new Map<string, Tensor>();
  readonly values: Value[] = [];
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get done(): boolean {
    return this.#at >= this.#numbers.length;
  }

  /** A whole number from `low` to `high`. */
  draw(low: number, high: number): number {
    const number = this.#numbers[this.#at++] ?? 0;
    return low + (number % (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.draw(0, items.length - 1)]!;
  }

  constant(
    dims: readonly number[],
    values?: readonly number[],
    dtype: 'float32' | 'int64' = 'float32',
  ): string {
    const name = `k${this.initializers.size}`;
    this.initializers.set(name, tensor(name, dims, values, dtype));
    return name;
  }

  ints(values: readonly number[]): string {
    return this.constant([values.length], values, 'int64');
  }

  /** A node whose output is again a float tensor of these dimensions, open for what follows. */
  add(
    op: string,
    inputs: readonly string[],
    dims: readonly number[],
    attributes: Record<string, Attribute> = {},
  ): Value {
    const value = { name: `v${this.nodes.length}`, dims: [...dims] };
    this.nodes.push(makeNode(op, inputs, [value.name], attributes, { name: `${op}_${this.nodes.length}` }));
    if (dims.reduce((n, d) => n * d, 1) <= MAX_ELEMENTS) this.values.push(value);
    return value;
  }

  /** A node whose output nothing uses: other types, or shapes the generator does not track. */
  end(op: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}, outputs = 1): void {
    const names = Array.from({ length: outputs }, (_, i) => `e${this.nodes.length}_${i}`);
    this.nodes.push(makeNode(op, inputs, names, attributes, { name: `${op}_${this.nodes.length}` }));
  }
}

const int = (value: number): Attribute => ({ type: 'int', value });
const ints = (value: readonly number[]): Attribute => ({ type: 'ints', value });
const text = (value: string): Attribute => ({ type: 'string', value });

const UNARY = [
  'Relu',
  'Sigmoid',
  'Tanh',
  'Abs',
  'Neg',
  'Exp',
  'Erf',
  'HardSwish',
  'Softplus',
  'Identity',
  'Sign',
  'Gelu',
  'Elu',
];
const BINARY = ['Add', 'Sub', 'Mul', 'Div', 'Max', 'Min', 'Mean', 'Sum'];
const REDUCTIONS = [
  'ReduceSum',
  'ReduceMean',
  'ReduceMax',
  'ReduceMin',
  'ReduceProd',
  'ReduceL2',
  'ReduceLogSumExp',
];

type Step = (b: Builder, x: Value) => void;

export const STEPS: Readonly<Record<string, Step>> = {
  unary: (b, x) => b.add(b.pick(UNARY), [x.name], x.dims),
  binary: (b, x) => {
    const other = x.dims.slice(b.draw(0, x.dims.length)).map((d) => (b.draw(0, 1) ? d : 1));
    b.add(b.pick(BINARY), b.draw(0, 1) ? [x.name, b.constant(other)] : [b.constant(other), x.name], x.dims);
  },
  compare: (b, x) => b.end(b.pick(['Less', 'Greater', 'Equal']), [x.name, b.constant([])]),
  cast: (b, x) => b.end('Cast', [x.name], { to: int(b.pick([1, 6, 7, 9, 10, 11])) }),
  matmul: (b, x) => {
    if (x.dims.length < 1) return;
    const inner = x.dims.at(-1)!;
    const columns = b.draw(1, 5);
    const weight =
      b.draw(0, 2) === 0 && x.dims.length > 2 ? [x.dims.at(-3)!, inner, columns] : [inner, columns];
    if (x.dims.length === 1 && weight.length > 2) return;
    b.add('MatMul', [x.name, b.constant(weight)], [...x.dims.slice(0, -1), columns]);
  },
  gemm: (b, x) => {
    if (x.dims.length !== 2) return;
    const transB = b.draw(0, 1);
    const columns = b.draw(1, 5);
    const weight = transB ? [columns, x.dims[1]!] : [x.dims[1]!, columns];
    b.add('Gemm', [x.name, b.constant(weight), b.constant([columns])], [x.dims[0]!, columns], {
      transB: int(transB),
    });
  },
  conv: (b, x) => {
    if (x.dims.length < 3 || x.dims.length > 5) return;
    const channels = x.dims[1]!;
    const group = channels > 0 && b.draw(0, 1) ? channels : 1;
    const outputs = group * b.draw(1, 3);
    const spatial = x.dims.slice(2);
    const kernel = spatial.map(() => b.draw(1, 3));
    const dilations = spatial.map(() => b.draw(1, 2));
    const same = b.draw(0, 3) === 0 && dilations.every((d) => d === 1);
    const pads = [...spatial, ...spatial].map(() => b.draw(0, 2));
    const fits = spatial.every(
      (d, i) => d + (same ? 2 : pads[i]! + pads[i + spatial.length]!) >= dilations[i]! * (kernel[i]! - 1) + 1,
    );
    if (!fits) return;
    b.end('Conv', [x.name, b.constant([outputs, channels / group, ...kernel])], {
      group: int(group),
      strides: ints(spatial.map(() => b.draw(1, 3))),
      dilations: ints(dilations),
      ...(same ? { auto_pad: text(b.pick(['SAME_UPPER', 'SAME_LOWER'])) } : { pads: ints(pads) }),
    });
  },
  convTranspose: (b, x) => {
    if (x.dims.length !== 4) return;
    b.end('ConvTranspose', [x.name, b.constant([x.dims[1]!, b.draw(1, 3), b.draw(2, 3), b.draw(2, 3)])], {
      strides: ints([b.draw(1, 3), b.draw(1, 3)]),
    });
  },
  pool: (b, x) => {
    if (x.dims.length !== 4 || x.dims.some((d) => d < 2)) return;
    const kernel = [b.draw(1, 3), b.draw(1, 3)];
    if (kernel.some((k, i) => x.dims[i + 2]! < k)) return;
    const pads = kernel.flatMap((k) => b.draw(0, k - 1));
    b.end(b.pick(['MaxPool', 'AveragePool']), [x.name], {
      kernel_shape: ints(kernel),
      strides: ints([b.draw(1, 3), b.draw(1, 3)]),
      pads: ints([...pads, ...pads]),
      ceil_mode: int(b.draw(0, 1)),
    });
  },
  globalPool: (b, x) => {
    if (x.dims.length < 3) return;
    b.add(
      b.pick(['GlobalAveragePool', 'GlobalMaxPool']),
      [x.name],
      x.dims.map((d, i) => (i < 2 ? d : 1)),
    );
  },
  normalise: (b, x) => {
    if (x.dims.length < 2) return;
    if (b.draw(0, 1)) {
      const channels = [x.dims[1]!];
      const weights = Array.from({ length: 4 }, () => b.constant(channels));
      b.add('BatchNormalization', [x.name, ...weights], x.dims);
    } else {
      const axis = b.draw(1, x.dims.length - 1);
      const shape = x.dims.slice(axis);
      b.add('LayerNormalization', [x.name, b.constant(shape), b.constant(shape)], x.dims, {
        axis: int(axis),
      });
    }
  },
  softmax: (b, x) => {
    if (x.dims.length > 0)
      b.add(b.pick(['Softmax', 'LogSoftmax']), [x.name], x.dims, { axis: int(b.draw(0, x.dims.length - 1)) });
  },
  reduce: (b, x) => {
    const axes = [...x.dims.keys()].filter(() => b.draw(0, 1));
    const keepdims = b.draw(0, 1);
    const dims = x.dims.flatMap((d, i) => (axes.length > 0 && !axes.includes(i) ? [d] : keepdims ? [1] : []));
    const inputs = axes.length > 0 ? [x.name, b.ints(axes)] : [x.name];
    b.add(b.pick(REDUCTIONS), inputs, dims, { keepdims: int(keepdims) });
  },
  arg: (b, x) => {
    if (x.dims.length === 0) return;
    b.end(b.pick(['ArgMax', 'ArgMin']), [x.name], {
      axis: int(b.draw(0, x.dims.length - 1)),
      keepdims: int(b.draw(0, 1)),
    });
  },
  transpose: (b, x) => {
    const perm = [...x.dims.keys()]
      .map((i) => [b.draw(0, 99), i] as const)
      .sort((p, q) => p[0] - q[0])
      .map((p) => p[1]);
    b.add(
      'Transpose',
      [x.name],
      perm.map((i) => x.dims[i]!),
      { perm: ints(perm) },
    );
  },
  reshape: (b, x) => {
    const size = x.dims.reduce((n, d) => n * d, 1);
    const divisor = b.pick([1, 2, 3].filter((d) => size % d === 0));
    b.add('Reshape', [x.name, b.ints([divisor, -1])], [divisor, size / divisor]);
  },
  flatten: (b, x) => {
    const axis = b.draw(0, x.dims.length);
    const product = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);
    b.add('Flatten', [x.name], [product(x.dims.slice(0, axis)), product(x.dims.slice(axis))], {
      axis: int(axis),
    });
  },
  /** What exporters write for `x.view(x.shape[0], -1)`. */
  shapeChain: (b, x) => {
    if (x.dims.length < 2) return;
    const stem = `s${b.nodes.length}`;
    const node = (
      op: string,
      inputs: string[],
      output: string,
      attributes: Record<string, Attribute> = {},
    ): void => void b.nodes.push(makeNode(op, inputs, [output], attributes, { name: output }));
    node('Shape', [x.name], `${stem}a`);
    node('Gather', [`${stem}a`, b.constant([], [0], 'int64')], `${stem}b`);
    node('Unsqueeze', [`${stem}b`, b.ints([0])], `${stem}c`);
    node('Concat', [`${stem}c`, b.ints([-1])], `${stem}d`, { axis: int(0) });
    b.add('Reshape', [x.name, `${stem}d`], [x.dims[0]!, x.dims.slice(1).reduce((n, d) => n * d, 1)]);
  },
  unsqueeze: (b, x) => {
    if (x.dims.length > 4) return;
    const axis = b.draw(0, x.dims.length);
    b.add('Unsqueeze', [x.name, b.ints([axis])], [...x.dims.slice(0, axis), 1, ...x.dims.slice(axis)]);
  },
  squeeze: (b, x) => {
    const axes = [...x.dims.keys()].filter((i) => x.dims[i] === 1);
    if (axes.length > 0)
      b.add(
        'Squeeze',
        [x.name, b.ints(axes)],
        x.dims.filter((d) => d !== 1),
      );
  },
  concat: (b, x) => {
    if (x.dims.length === 0) return;
    const axis = b.draw(0, x.dims.length - 1);
    b.add(
      'Concat',
      [x.name, x.name],
      x.dims.map((d, i) => (i === axis ? 2 * d : d)),
      { axis: int(axis) },
    );
  },
  split: (b, x) => {
    if (x.dims.length === 0) return;
    const axis = b.draw(0, x.dims.length - 1);
    if (x.dims[axis]! < 2) return;
    b.end('Split', [x.name], { axis: int(axis), num_outputs: int(2) }, 2);
  },
  slice: (b, x) => {
    if (x.dims.length === 0) return;
    const axis = b.draw(0, x.dims.length - 1);
    const [start, stop] = [b.draw(-4, 3), b.draw(-4, 6)];
    b.end('Slice', [x.name, b.ints([start]), b.ints([stop]), b.ints([axis]), b.ints([b.pick([1, 2, -1])])]);
  },
  pad: (b, x) => {
    if (x.dims.length === 0) return;
    const pads = [...x.dims, ...x.dims].map(() => b.draw(0, 2));
    b.add(
      'Pad',
      [x.name, b.ints(pads)],
      x.dims.map((d, i) => d + pads[i]! + pads[i + x.dims.length]!),
    );
  },
  expand: (b, x) => {
    const dims = [b.draw(1, 3), ...x.dims];
    if (x.dims.length < 5) b.add('Expand', [x.name, b.ints(dims)], dims);
  },
  tile: (b, x) => {
    if (x.dims.length === 0) return;
    const repeats = x.dims.map(() => b.draw(1, 2));
    b.add(
      'Tile',
      [x.name, b.ints(repeats)],
      x.dims.map((d, i) => d * repeats[i]!),
    );
  },
  gather: (b, x) => {
    if (x.dims.length === 0 || x.dims.length > 4) return;
    const axis = b.draw(0, x.dims.length - 1);
    if (x.dims[axis] === 0) return;
    const shape = [b.draw(1, 3), b.draw(1, 2)];
    const indices = b.constant(shape, new Array(shape[0]! * shape[1]!).fill(0), 'int64');
    b.add('Gather', [x.name, indices], [...x.dims.slice(0, axis), ...shape, ...x.dims.slice(axis + 1)], {
      axis: int(axis),
    });
  },
  topK: (b, x) => {
    if (x.dims.length === 0 || x.dims.at(-1)! < 1) return;
    b.end('TopK', [x.name, b.ints([b.draw(1, x.dims.at(-1)!)])], {}, 2);
  },
  cumSum: (b, x) => {
    if (x.dims.length > 0)
      b.add('CumSum', [x.name, b.constant([], [b.draw(0, x.dims.length - 1)], 'int64')], x.dims);
  },
  resize: (b, x) => {
    if (x.dims.length !== 4 || x.dims.some((d) => d === 0)) return;
    const scales = [1, 1, b.pick([1, 2, 0.5, 1.5]), b.pick([1, 2, 3])];
    if (scales.some((s, i) => Math.floor(s * x.dims[i]!) < 1)) return;
    b.end('Resize', [x.name, '', b.constant([4], scales)], { mode: text('nearest') });
  },
  depthToSpace: (b, x) => {
    if (x.dims.length !== 4 || x.dims[1]! % 4 !== 0) return;
    b.add('DepthToSpace', [x.name], [x.dims[0]!, x.dims[1]! / 4, 2 * x.dims[2]!, 2 * x.dims[3]!], {
      blocksize: int(2),
    });
  },
  einsum: (b, x) => {
    if (x.dims.length !== 2) return;
    const columns = b.draw(1, 4);
    b.add('Einsum', [x.name, b.constant([x.dims[1]!, columns])], [columns, x.dims[0]!], {
      equation: text('ij,jk->ki'),
    });
  },
  where: (b, x) => {
    const stem = `w${b.nodes.length}`;
    b.nodes.push(makeNode('Greater', [x.name, b.constant([])], [stem], {}, { name: stem }));
    b.add('Where', [stem, x.name, b.constant([])], x.dims);
  },
  lstm: (b, x) => {
    if (x.dims.length !== 3 || x.dims.some((d) => d === 0)) return;
    const hidden = b.draw(1, 3);
    b.end(
      'LSTM',
      [x.name, b.constant([1, 4 * hidden, x.dims[2]!]), b.constant([1, 4 * hidden, hidden])],
      { hidden_size: int(hidden) },
      3,
    );
  },
};

const INPUT_SHAPES: readonly number[][] = [
  [2, 4, 5, 6],
  [3, 4],
  [2, 3, 4],
  [1, 8, 7, 7],
  [5],
  [2, 3, 4, 3, 5],
  [1, 1],
];

export function randomModel(
  numbers: readonly number[],
  steps: readonly Step[] = Object.values(STEPS),
): { model: Model; input: Value } {
  const b = new Builder(numbers);
  const input = { name: 'x', dims: b.pick(INPUT_SHAPES) };
  b.values.push(input);
  while (!b.done)
    b.pick(steps)(b, b.values[b.values.length - 1 - b.draw(0, Math.min(2, b.values.length - 1))]!);
  if (b.nodes.length === 0) b.add('Relu', ['x'], input.dims);
  const graph = makeGraph({
    nodes: b.nodes,
    inputs: [{ name: 'x', type: new TensorType('float32', input.dims) }],
    outputs: b.nodes.flatMap((n) => n.outputs.map((name) => ({ name, type: UNKNOWN }))),
    initializers: b.initializers,
  });
  return { model: makeModel(graph, { opsetImports: new Map([['', OPSET]]), irVersion: 9 }), input };
}

/** What a random graph is made from. */
export const numbers = fc.array(fc.nat(10_000), { minLength: 8, maxLength: 120 });
