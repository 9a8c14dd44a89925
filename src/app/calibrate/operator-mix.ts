// Operators that networks of users have and search spaces do not: each on a tensor of its own, of a random size, in one graph.
import { type Attribute, type Model, makeGraph, makeModel, makeNode, type Node } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';
import { TensorType } from '../../graph/types.js';
import { type Network, OpenedModel } from '../../networks/index.js';
import { ByteRange } from '../../util/bytes.js';
import type { Random } from '../../util/random.js';

const OPERATORS_AT_ONCE = 14;
const CHANNELS = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const SIDES = [7, 10, 14, 20, 28, 40, 56, 80, 112];
/** Larger tensors would take most of the time. */
const MOST_ELEMENTS = 500_000;

/** What a part of the graph may ask for. */
interface Part {
  /** Names of its inputs, and the sizes (1, C, H, W) of all of them. */
  readonly x: string;
  readonly other: () => string;
  readonly y: string;
  readonly channels: number;
  readonly side: number;
  readonly floats: (dims: readonly number[], value: number) => string;
  readonly integers: (values: readonly number[]) => string;
}

const ints = (...value: number[]): Attribute => ({ type: 'ints', value });
const int = (value: number): Attribute => ({ type: 'int', value });
const text = (value: string): Attribute => ({ type: 'string', value });

const PARTS: readonly ((part: Part) => Node)[] = [
  ({ x, y }) => makeNode('Sigmoid', [x], [y]),
  ({ x, y }) => makeNode('Tanh', [x], [y]),
  ({ x, y }) => makeNode('Exp', [x], [y]),
  ({ x, y }) => makeNode('Erf', [x], [y]),
  ({ x, y }) => makeNode('Abs', [x], [y]),
  ({ x, y }) => makeNode('Sqrt', [x], [y]),
  ({ x, y }) => makeNode('LeakyRelu', [x], [y]),
  ({ x, y }) => makeNode('Elu', [x], [y]),
  ({ x, y, channels, floats }) => makeNode('PRelu', [x, floats([channels, 1, 1], 0.2)], [y]),
  ({ x, y, other }) => makeNode('Sub', [x, other()], [y]),
  ({ x, y, floats }) => makeNode('Div', [x, floats([], 3)], [y]),
  ({ x, y, floats }) => makeNode('Pow', [x, floats([], 2)], [y]),
  ({ x, y, other }) => makeNode('Max', [x, other()], [y]),
  ({ x, y }) => makeNode('GlobalAveragePool', [x], [y]),
  ({ x, y }) => makeNode('ReduceMax', [x], [y], { axes: ints(1) }),
  ({ x, y }) => makeNode('ArgMax', [x], [y], { axis: int(1) }),
  ({ x, y, integers }) => makeNode('Pad', [x, integers([0, 0, 1, 1, 0, 0, 1, 1])], [y]),
  ({ x, y, integers, channels }) =>
    makeNode('Slice', [x, integers([0]), integers([channels >> 1]), integers([1])], [y]),
  ({ x, y }) => makeNode('Cast', [x], [y], { to: int(6) }),
  ({ x, y }) => makeNode('Flatten', [x], [y]),
  ({ x, y, integers }) => makeNode('Unsqueeze', [x, integers([0])], [y]),
  ({ x, y, integers }) => makeNode('Gather', [x, integers([0, 2, 5])], [y], { axis: int(1) }),
  ({ x, y, integers }) => makeNode('Tile', [x, integers([1, 1, 2, 1])], [y]),
  ({ x, y, channels, side, integers }) =>
    makeNode('Resize', [x, '', '', integers([1, channels, 2 * side, 2 * side])], [y], {
      mode: text('nearest'),
      coordinate_transformation_mode: text('asymmetric'),
      nearest_mode: text('floor'),
    }),
  ({ x, y, channels, side, integers }) =>
    makeNode('Resize', [x, '', '', integers([1, channels, 2 * side, 2 * side])], [y], {
      mode: text('linear'),
    }),
  ({ x, y, channels, floats }) =>
    makeNode('InstanceNormalization', [x, floats([channels], 1), floats([channels], 0)], [y]),
  ({ x, y, channels, floats }) =>
    makeNode(
      'BatchNormalization',
      [x, floats([channels], 1), floats([channels], 0), floats([channels], 0), floats([channels], 1)],
      [y],
    ),
  ({ x, y, channels, floats }) =>
    makeNode('ConvTranspose', [x, floats([channels, channels >> 1, 2, 2], 0.01)], [y], {
      strides: ints(2, 2),
    }),
  ({ x, y }) => makeNode('Shape', [x], [y]),
  ({ x, y, integers }) => makeNode('Expand', [x, integers([2, 1, 1, 1])], [y]),
];

/** A network of some of them. */
export function operatorMix(random: Random): Network {
  const inputs: { name: string; type: TensorType }[] = [];
  const outputs: { name: string; type: { kind: 'unknown' } }[] = [];
  const nodes: Node[] = [];
  const initializers = new Map<string, Tensor>();
  const constant = (dtype: 'float32' | 'int64', dims: readonly number[], data: ArrayBuffer): string => {
    const name = `c${initializers.size}`;
    const bytes = ByteRange.of(new Uint8Array(data));
    initializers.set(name, { name, dtype, dims, data: { kind: 'raw', bytes } });
    return name;
  };
  const chosen = random.sample(PARTS.length, OPERATORS_AT_ONCE);
  for (const [i, place] of [...chosen].entries()) {
    const [channels, side] = sizes(random);
    const given = (): string => {
      const name = `x${inputs.length}`;
      inputs.push({ name, type: new TensorType('float32', [1, channels, side, side]) });
      return name;
    };
    const y = `y${i}`;
    // What comes before has just written it, as in a network: it is in the cache.
    const written = (): string => {
      const name = `w${nodes.length}`;
      nodes.push(makeNode('Neg', [given()], [name]));
      return name;
    };
    nodes.push(
      PARTS[place]!({
        x: written(),
        other: written,
        y,
        channels,
        side,
        floats: (dims, value) => {
          const count = dims.reduce((product, size) => product * size, 1);
          return constant('float32', dims, new Float32Array(count).fill(value).buffer);
        },
        integers: (values) => constant('int64', [values.length], BigInt64Array.from(values, BigInt).buffer),
      }),
    );
    outputs.push({ name: y, type: { kind: 'unknown' } });
  }
  const model: Model = makeModel(makeGraph({ nodes, inputs, outputs, initializers }), {
    opsetImports: new Map([['', 17]]),
    irVersion: 8,
  });
  const name = `operators ${[...chosen].join(' ')}`;
  return new OpenedModel(name, undefined, () => model).at({});
}

function sizes(random: Random): [channels: number, side: number] {
  for (;;) {
    const [channels, side] = [random.pick(CHANNELS), random.pick(SIDES)];
    if (channels * side ** 2 <= MOST_ELEMENTS) return [channels, side];
  }
}
