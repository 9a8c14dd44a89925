// Small networks that together use many kinds of operators, written out by hand: where mutations start when
// no other files are at hand.
import { symbol } from '../../src/graph/dim.js';
import type { DataType } from '../../src/graph/dtype.js';
import {
  type Attribute,
  type FunctionDefinition,
  type Graph,
  type Model,
  makeGraph,
  makeModel,
  makeNode,
  type Node,
} from '../../src/graph/graph.js';
import type { Tensor } from '../../src/graph/tensor.js';
import { TensorType, UNKNOWN } from '../../src/graph/types.js';
import { ByteRange } from '../../src/util/bytes.js';

export const ints = (...value: (number | bigint)[]): Attribute => ({ type: 'ints', value });
export const int = (value: number | bigint): Attribute => ({ type: 'int', value });
export const float = (value: number): Attribute => ({ type: 'float', value });
export const text = (value: string): Attribute => ({ type: 'string', value });
export const body = (value: Graph): Attribute => ({ type: 'graph', value });

/** An int64 tensor. Values are taken modulo 2^64. */
export function int64(name: string, dims: readonly number[], values: readonly (number | bigint)[]): Tensor {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setBigInt64(8 * i, BigInt.asIntN(64, BigInt(value)), true);
  });
  return { name, dtype: 'int64', dims, data: { kind: 'raw', bytes: ByteRange.of(bytes) } };
}

export function float32(name: string, dims: readonly number[], values: readonly number[]): Tensor {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return { name, dtype: 'float32', dims, data: { kind: 'raw', bytes: ByteRange.of(bytes) } };
}

/** A float32 tensor of one value everywhere. */
function weight(name: string, ...dims: number[]): Tensor {
  const count = dims.reduce((n, d) => n * d, 1);
  return float32(name, dims, new Array<number>(count).fill(0.5));
}

/** A shape from numbers and names. */
export function tensor(dtype: DataType, ...dims: (number | string)[]): TensorType {
  return new TensorType(
    dtype,
    dims.map((d) => (typeof d === 'number' ? d : symbol(d))),
  );
}

/** A graph from its inputs, nodes, outputs and constants. */
export function graphOf(
  inputs: Readonly<Record<string, TensorType>>,
  nodes: readonly Node[],
  outputs: readonly string[],
  constants: readonly Tensor[] = [],
): Graph {
  return makeGraph({
    nodes,
    inputs: Object.entries(inputs).map(([name, type]) => ({ name, type })),
    outputs: outputs.map((name) => ({ name, type: UNKNOWN })),
    initializers: new Map(constants.map((t) => [t.name, t])),
  });
}

export function modelOf(
  inputs: Readonly<Record<string, TensorType>>,
  nodes: readonly Node[],
  outputs: readonly string[],
  constants: readonly Tensor[] = [],
  functions: readonly FunctionDefinition[] = [],
): Model {
  return makeModel(graphOf(inputs, nodes, outputs, constants), { functions });
}

function convolutional(): Model {
  return modelOf(
    { x: tensor('float32', 'batch', 3, 32, 'width') },
    [
      makeNode('Conv', ['x', 'w', 'b'], ['c'], { kernel_shape: ints(3, 3), pads: ints(1, 1, 1, 1) }),
      makeNode('BatchNormalization', ['c', 'b', 'b', 'b', 'b'], ['n']),
      makeNode('Relu', ['n'], ['r']),
      makeNode('MaxPool', ['r'], ['p'], { kernel_shape: ints(2, 2), strides: ints(2, 2) }),
      makeNode('Pad', ['p', 'pads'], ['q'], { mode: text('reflect') }),
      makeNode('Resize', ['q', '', 'scales'], ['u'], { mode: text('nearest') }),
      makeNode('ConvTranspose', ['u', 't'], ['d'], { strides: ints(2, 2) }),
      makeNode('GlobalAveragePool', ['d'], ['g']),
      makeNode('Flatten', ['g'], ['f']),
      makeNode('Gemm', ['f', 'm', 'b'], ['h'], { transB: int(1) }),
      makeNode('Softmax', ['h'], ['y'], { axis: int(-1) }),
    ],
    ['y'],
    [
      weight('w', 4, 3, 3, 3),
      weight('b', 4),
      weight('t', 4, 4, 2, 2),
      weight('m', 4, 4),
      int64('pads', [8], [0, 0, 1, 1, 0, 0, 1, 1]),
      float32('scales', [4], [1, 1, 2, 2]),
    ],
  );
}

function attention(): Model {
  return modelOf(
    { x: tensor('float32', 'batch', 'seq', 8) },
    [
      makeNode('LayerNormalization', ['x', 'g', 'g'], ['n']),
      makeNode('MatMul', ['n', 'w'], ['qkv']),
      makeNode('Split', ['qkv'], ['q', 'k', 'v'], { axis: int(-1), num_outputs: int(3) }),
      makeNode('Transpose', ['k'], ['kt'], { perm: ints(0, 2, 1) }),
      makeNode('MatMul', ['q', 'kt'], ['s']),
      makeNode('Softmax', ['s'], ['p']),
      makeNode('MatMul', ['p', 'v'], ['o']),
      makeNode('Shape', ['o'], ['shape']),
      makeNode('Gather', ['shape', 'zero'], ['rows'], { axis: int(0) }),
      makeNode('Concat', ['rows', 'rest'], ['target'], { axis: int(0) }),
      makeNode('Reshape', ['o', 'target'], ['flat']),
      makeNode('Einsum', ['q', 'k'], ['e'], { equation: text('bid,bjd->bij') }),
      makeNode('ReduceMean', ['e', 'last'], ['mean'], { keepdims: int(0) }),
      makeNode('Unsqueeze', ['mean', 'last'], ['wide']),
      makeNode('Squeeze', ['wide', 'last'], ['thin']),
      makeNode('TopK', ['thin', 'one'], ['values', 'indices']),
      makeNode('Cast', ['indices'], ['cast'], { to: int(1) }),
    ],
    ['flat', 'values', 'cast'],
    [
      weight('g', 8),
      weight('w', 8, 24),
      int64('zero', [1], [0]),
      int64('one', [1], [1]),
      int64('rest', [1], [-1]),
      int64('last', [1], [-1]),
    ],
  );
}

function shapes(): Model {
  return modelOf(
    { x: tensor('float32', 'n', 4), cond: tensor('bool', 'n') },
    [
      makeNode('Shape', ['x'], ['s']),
      makeNode('ConstantOfShape', ['s'], ['zeros'], {
        value: { type: 'tensor', value: int64('v', [1], [7]) },
      }),
      makeNode('Range', ['a', 'limit', 'step'], ['r']),
      makeNode('Expand', ['r', 'two'], ['e']),
      makeNode('Tile', ['e', 'two'], ['t']),
      makeNode('Slice', ['t', 'a1', 'b1'], ['sl']),
      makeNode('OneHot', ['r', 'depth', 'hot'], ['oh']),
      makeNode('NonZero', ['zeros'], ['nz']),
      makeNode('Compress', ['x', 'cond'], ['cp'], { axis: int(0) }),
      makeNode('Where', ['cond', 's0', 's0'], ['wh']),
      makeNode('Gather', ['s', 's0'], ['dim']),
      makeNode('Mul', ['dim', 'dim'], ['sq']),
      makeNode('Div', ['sq', 'two'], ['half']),
      makeNode('GatherND', ['x', 'nd'], ['gnd']),
      makeNode('ScatterND', ['x', 'nd', 'up'], ['snd']),
      makeNode('CumSum', ['r', 'a'], ['cs']),
      makeNode('Trilu', ['x'], ['tri']),
      makeNode('DepthToSpace', ['img'], ['d2s'], { blocksize: int(2) }),
      makeNode('SequenceConstruct', ['x', 'x'], ['seq']),
      makeNode('ConcatFromSequence', ['seq'], ['cat'], { axis: int(0) }),
      makeNode('SplitToSequence', ['cat', 'step'], ['parts']),
    ],
    ['t', 'sl', 'oh', 'nz', 'cp', 'half', 'cs', 'parts'],
    [
      int64('a', [], [0]),
      int64('limit', [], [6]),
      int64('step', [], [2]),
      int64('two', [2], [2, 3]),
      int64('a1', [1], [1]),
      int64('b1', [1], [5]),
      int64('depth', [], [10]),
      int64('hot', [2], [0, 1]),
      int64('s0', [1], [0]),
      int64('nd', [1, 1], [0]),
      weight('up', 1, 4),
      weight('img', 1, 4, 2, 2),
    ],
  );
}

function recurrent(): Model {
  return modelOf(
    { x: tensor('float32', 'seq', 'batch', 4) },
    [
      makeNode('LSTM', ['x', 'w', 'r', 'b'], ['y', 'h', 'c'], { hidden_size: int(3) }),
      makeNode('GRU', ['x', 'gw', 'gr'], ['gy'], { hidden_size: int(3) }),
      makeNode('Squeeze', ['y', 'one'], ['z']),
    ],
    ['z', 'h', 'c', 'gy'],
    [
      weight('w', 1, 12, 4),
      weight('r', 1, 12, 3),
      weight('b', 1, 24),
      weight('gw', 1, 9, 4),
      weight('gr', 1, 9, 3),
      int64('one', [1], [1]),
    ],
  );
}

function controlFlow(): Model {
  const branch = (operator: string): Attribute =>
    body(graphOf({}, [makeNode(operator, ['x'], ['out'])], ['out']));
  const loopBody = makeGraph({
    nodes: [
      makeNode('Identity', ['going'], ['still']),
      makeNode('Add', ['state', 'x'], ['next']),
      makeNode('Relu', ['next'], ['scan']),
    ],
    inputs: [
      { name: 'i', type: tensor('int64') },
      { name: 'going', type: tensor('bool') },
      { name: 'state', type: UNKNOWN },
    ],
    outputs: ['still', 'next', 'scan'].map((name) => ({ name, type: UNKNOWN })),
  });
  const scanBody = graphOf(
    { sum: tensor('float32', 4), item: tensor('float32', 4) },
    [makeNode('Add', ['sum', 'item'], ['total']), makeNode('Identity', ['total'], ['each'])],
    ['total', 'each'],
  );
  return modelOf(
    { x: tensor('float32', 'n', 4), flag: tensor('bool') },
    [
      makeNode('If', ['flag'], ['chosen'], { then_branch: branch('Relu'), else_branch: branch('Tanh') }),
      makeNode('Loop', ['trips', 'flag', 'chosen'], ['final', 'scans'], { body: body(loopBody) }),
      makeNode('Scan', ['start', 'x'], ['total', 'all'], { body: body(scanBody), num_scan_inputs: int(1) }),
    ],
    ['final', 'scans', 'total', 'all'],
    [int64('trips', [], [5]), weight('start', 4)],
  );
}

function withFunctions(): Model {
  const definition = (name: string, nodes: readonly Node[]): FunctionDefinition => ({
    name,
    domain: 'local',
    inputs: ['a'],
    outputs: ['b'],
    attributes: ['slope'],
    attributeDefaults: new Map([['axis', int(0)]]),
    nodes,
    opsetImports: new Map([
      ['', 21],
      ['local', 1],
    ]),
    valueInfo: new Map(),
  });
  return modelOf(
    { x: tensor('float32', 2, 'n') },
    [makeNode('Outer', ['x'], ['y'], { slope: float(0.1) }, { domain: 'local' })],
    ['y'],
    [],
    [
      definition('Outer', [
        makeNode('Inner', ['a'], ['m'], {}, { domain: 'local' }),
        makeNode('LeakyRelu', ['m'], ['b'], { alpha: { type: 'reference', value: 'slope', of: 'float' } }),
      ]),
      definition('Inner', [makeNode('Exp', ['a'], ['t']), makeNode('Mul', ['t', 'a'], ['b'])]),
    ],
  );
}

function quantised(): Model {
  const quantity = (name: string, dims: readonly number[], dtype: 'uint8' | 'int8'): Tensor => {
    const count = dims.reduce((n, d) => n * d, 1);
    return { name, dtype, dims, data: { kind: 'raw', bytes: ByteRange.of(new Uint8Array(count)) } };
  };
  return modelOf(
    { x: tensor('float32', 'n', 8) },
    [
      makeNode('QuantizeLinear', ['x', 'scale', 'zero'], ['q']),
      makeNode('MatMulInteger', ['q', 'w', 'zero'], ['m']),
      makeNode('DequantizeLinear', ['w', 'scales', 'zeros'], ['d'], { axis: int(1) }),
      makeNode('MatMul', ['x', 'd'], ['y']),
      makeNode('DynamicQuantizeLinear', ['x'], ['dq', 'ds', 'dz']),
    ],
    ['m', 'y', 'dq'],
    [
      weight('scale'),
      weight('scales', 4),
      quantity('zero', [], 'uint8'),
      quantity('zeros', [4], 'int8'),
      quantity('w', [8, 4], 'int8'),
    ],
  );
}

/** The models by name. */
export function builtModels(): Readonly<Record<string, Model>> {
  return {
    convolutional: convolutional(),
    attention: attention(),
    shapes: shapes(),
    recurrent: recurrent(),
    controlFlow: controlFlow(),
    withFunctions: withFunctions(),
    quantised: quantised(),
  };
}
