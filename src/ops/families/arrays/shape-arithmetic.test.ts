// How exporters compute shapes: chains from Shape through arithmetic back to an operator that takes sizes. They
// must come out the same with symbols as with the numbers that ONNX Runtime sees.
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { codeOfDataType } from '../../../graph/dtype.js';
import { type Model, makeNode } from '../../../graph/graph.js';
import { parseDim } from '../../../graph/parse-dim.js';
import { isTensor, TensorType } from '../../../graph/types.js';
import { attribute, float, type ShortAttribute } from '../../cases.testing.js';
import { modelWith } from '../../graph.testing.js';
import { expectModelSameAsOrt, known, knownScalar, type TestInput } from '../../ort.testing.js';

type Attributes = Readonly<Record<string, ShortAttribute>>;

/** Writes down a chain: `apply` adds a node and gives the name of its output, `constant` that of a constant. */
class Chain {
  readonly inputs: TestInput[];
  readonly #nodes: ReturnType<typeof makeNode>[] = [];

  constructor(...inputs: TestInput[]) {
    this.inputs = inputs;
  }

  constant(values: number | readonly number[], dtype: TestInput['dtype'] = 'int64'): string {
    this.inputs.push(typeof values === 'number' ? knownScalar(values, dtype) : known(values, dtype));
    return `x${this.inputs.length - 1}`;
  }

  apply(op: string, inputs: readonly string[], attributes: Attributes = {}): string {
    const output = `v${this.#nodes.length}`;
    const entries = Object.entries(attributes).map(([name, value]) => [name, attribute(value)] as const);
    this.#nodes.push(makeNode(op, inputs, [output], Object.fromEntries(entries)));
    return output;
  }

  /** Size `axis` of a value as a list of one, as torch.onnx writes `x.size(axis)`. */
  size(of: string, axis: number): string {
    const size = this.apply('Gather', [this.apply('Shape', [of]), this.constant(axis)]);
    return this.apply('Unsqueeze', [size, this.constant([0])]);
  }

  concat(...parts: readonly string[]): string {
    return this.apply('Concat', parts, { axis: 0 });
  }

  slice(list: string, start: number, end: number): string {
    const bounds = [start, end, 0].map((bound) => this.constant([bound]));
    return this.apply('Slice', [list, ...bounds]);
  }

  cast(value: string, to: 'float32' | 'int64'): string {
    return this.apply('Cast', [value], { to: codeOfDataType(to) });
  }

  model(output: string): Model {
    return modelWith(this.inputs, this.#nodes, [output]);
  }
}

interface Case {
  readonly name: string;
  /** The first input: with numbers, and with symbols. */
  readonly sizes: readonly number[];
  readonly symbols: readonly string[];
  readonly expected: string;
  build(chain: Chain): string;
}

const CASES: readonly Case[] = [
  {
    name: 'attention splits its heads',
    sizes: [2, 5, 24],
    symbols: ['batch', 'seq', '24'],
    expected: '[batch,3,seq,8]',
    build: (c) => {
      const heads = c.concat(c.size('x0', 0), c.size('x0', 1), c.constant([3]), c.constant([8]));
      return c.apply('Transpose', [c.apply('Reshape', ['x0', heads])], { perm: [0, 2, 1, 3] });
    },
  },
  {
    name: 'attention joins its heads',
    sizes: [2, 3, 5, 8],
    symbols: ['batch', '3', 'seq', '8'],
    expected: '[batch,seq,24]',
    build: (c) => {
      const x = c.apply('Transpose', ['x0'], { perm: [0, 2, 1, 3] });
      return c.apply('Reshape', [x, c.concat(c.size(x, 0), c.size(x, 1), c.constant([-1]))]);
    },
  },
  {
    name: 'windows are cut out of an image',
    sizes: [2, 6, 8, 3],
    symbols: ['n', '2*h', '2*w', 'c'],
    expected: '[h*n*w,2,2,c]',
    build: (c) => {
      const shape = c.apply('Shape', ['x0']);
      const [two, channels] = [c.constant([2]), c.slice(shape, -1, 2 ** 31)];
      const cells = c.apply('Div', [c.slice(shape, 1, 3), two]);
      const [rows, columns] = [c.slice(cells, 0, 1), c.slice(cells, 1, 2)];
      const blocks = c.concat(c.slice(shape, 0, 1), rows, two, columns, two, channels);
      const x = c.apply('Transpose', [c.apply('Reshape', ['x0', blocks])], { perm: [0, 1, 3, 2, 4, 5] });
      return c.apply('Reshape', [x, c.concat(c.constant([-1]), two, two, channels)]);
    },
  },
  {
    name: 'an image is scaled by a factor',
    sizes: [1, 3, 5, 8],
    symbols: ['n', '3', 'h', 'w'],
    expected: '[n,3,floor(3*h/2),floor(3*w/2)]',
    build: (c) => {
      const shape = c.apply('Shape', ['x0']);
      const image = c.cast(c.slice(shape, 2, 4), 'float32');
      const scaled = c.apply('Floor', [c.apply('Mul', [image, c.constant(1.5, 'float32')])]);
      const sizes = c.concat(c.slice(shape, 0, 2), c.cast(scaled, 'int64'));
      return c.apply('Resize', ['x0', '', '', sizes]);
    },
  },
  {
    name: 'scales come from sizes over sizes',
    sizes: [1, 3, 5, 8],
    symbols: ['n', '3', 'h', 'w'],
    expected: '[n,3,2*h,2*w]',
    build: (c) => {
      const shape = c.cast(c.slice(c.apply('Shape', ['x0']), 2, 4), 'float32');
      const doubled = c.apply('Mul', [shape, c.constant(2, 'float32')]);
      const scales = c.concat(c.constant([1, 1], 'float32'), c.apply('Div', [doubled, shape]));
      return c.apply('Resize', ['x0', '', scales]);
    },
  },
  {
    name: 'positions are numbered and expanded',
    sizes: [2, 5],
    symbols: ['batch', 'seq'],
    expected: '[batch,seq]',
    build: (c) => {
      const length = c.apply('Squeeze', [c.size('x0', 1)]);
      const positions = c.apply('Range', [c.constant(0), length, c.constant(1)]);
      const asked = c.concat(c.size('x0', 0), c.constant([-1]));
      // torch.onnx writes −1, "as it is", as a 1 that broadcasts.
      const isKept = c.apply('Equal', [asked, c.constant([-1])]);
      const target = c.apply('Where', [isKept, c.constant([1]), asked]);
      return c.apply('Expand', [positions, target]);
    },
  },
  {
    name: 'a causal mask is made and cut',
    sizes: [2, 5],
    symbols: ['batch', 'seq'],
    expected: '[1,1,seq,seq]',
    build: (c) => {
      const length = c.size('x0', 1);
      const ones = c.apply('ConstantOfShape', [c.constant([1, 1, 64, 64])]);
      const mask = c.apply('Trilu', [ones, c.constant(1)]);
      const [zero, step] = [c.constant([0, 0]), c.constant([1, 1])];
      return c.apply('Slice', [mask, zero, c.concat(length, length), c.constant([2, 3]), step]);
    },
  },
];

/** The model's output when its first input has these sizes. */
function outputShape(model: Model, sizes: readonly (string | number)[]): string {
  const x0 = new TensorType(
    'float32',
    sizes.map((d) => parseDim(String(d))),
  );
  const [type] = inferShapes(model, { types: { x0 } }).graph.outputTypes;
  return isTensor(type) ? `[${type.shape}]` : 'unknown';
}

describe('shape arithmetic', () => {
  it.each(CASES)('$name', async ({ sizes, symbols, expected, build }) => {
    const chain = new Chain(float(...sizes));
    const model = chain.model(build(chain));
    await expectModelSameAsOrt(model, chain.inputs);
    expect(outputShape(model, symbols)).toBe(expected);
  });
});
