// Files made to exhaust time, memory or stack: deep nesting, huge counts, shapes and numbers without end.
// Each function gives one such file for its parameters; `BOMBS` draws the parameters.
import {
  type FunctionDefinition,
  type Graph,
  makeGraph,
  makeModel,
  makeNode,
  type Node,
} from '../src/graph/graph.js';
import type { Tensor } from '../src/graph/tensor.js';
import { optionalType, sequenceType, type TensorType, UNKNOWN, type ValueType } from '../src/graph/types.js';
import { encode } from '../src/onnx/codec.js';
import { type Decoded, MODEL } from '../src/onnx/proto.js';
import { BYTES, WireWriter } from '../src/onnx/wire.js';
import { encodeModel } from '../src/onnx/write.js';
import { ByteRange } from '../src/util/bytes.js';
import type { Random } from '../src/util/random.js';
import { body, float32, graphOf, int, int64, ints, modelOf, tensor, text } from './built-models.js';

type File = Uint8Array;

const X = { x: tensor('float32', 'n', 4) };

/** A file from a graph of messages, to say what a `Model` cannot. */
function graphFile(graph: Decoded, more: Decoded = {}): File {
  return encode(MODEL, {
    irVersion: 10,
    opsetImport: [{ domain: '', version: 21 }],
    graph,
    ...more,
  }).finish();
}

/** One operator on `x` and constants. */
export function oneNode(
  opType: string,
  constants: readonly Tensor[],
  attributes: Parameters<typeof makeNode>[3] = {},
  x: TensorType = X.x,
  opset = 21,
): File {
  const node = makeNode(opType, ['x', ...constants.map((t) => t.name)], ['y'], attributes, { name: 'node' });
  const graph = graphOf({ x }, [node], ['y'], constants);
  return encodeModel(makeModel(graph, { opsetImports: new Map([['', opset]]) }));
}

/** One operator on constants only. */
export function onConstants(opType: string, constants: readonly Tensor[], attributes = {}): File {
  const node = makeNode(
    opType,
    constants.map((t) => t.name),
    ['y'],
    attributes,
    { name: 'node' },
  );
  return encodeModel(modelOf({}, [node], ['y'], constants));
}

// Nesting ----------------------------------------------------------------------------------------------------

/** If in If in If …: both branches hold the next, so that the file doubles with each level. */
export function nestedIf(depth: number): File {
  let branch: Graph = graphOf({}, [makeNode('Relu', ['x'], ['out'])], ['out']);
  for (let i = 0; i < depth; i++) {
    const node = makeNode('If', ['flag'], ['out'], { then_branch: body(branch), else_branch: body(branch) });
    branch = graphOf({}, [node], ['out']);
  }
  return encodeModel(makeModel({ ...branch, inputs: inputsOf({ ...X, flag: tensor('bool') }) }));
}

/** If in If …, of which only one branch holds the next. */
export function nestedIfOneSided(depth: number): File {
  const plain = graphOf({}, [makeNode('Relu', ['x'], ['out'])], ['out']);
  let branch = plain;
  for (let i = 0; i < depth; i++) {
    const node = makeNode('If', ['flag'], ['out'], { then_branch: body(branch), else_branch: body(plain) });
    branch = graphOf({}, [node], ['out']);
  }
  return encodeModel(makeModel({ ...branch, inputs: inputsOf({ ...X, flag: tensor('bool') }) }));
}

function inputsOf(types: Readonly<Record<string, TensorType>>): Graph['inputs'] {
  return Object.entries(types).map(([name, type]) => ({ name, type }));
}

/** Loops in loops whose state grows in each iteration, so that its type has to be found by trying. */
export function nestedLoop(depth: number): File {
  const loop = (inner: readonly Node[], last: string): Graph =>
    makeGraph({
      nodes: [makeNode('Identity', ['going'], ['still']), ...inner],
      inputs: [
        { name: 'i', type: tensor('int64') },
        { name: 'going', type: tensor('bool') },
        { name: 'state', type: UNKNOWN },
      ],
      outputs: ['still', last].map((name) => ({ name, type: UNKNOWN })),
    });
  let graph = loop([makeNode('Concat', ['state', 'state'], ['grown'], { axis: int(0) })], 'grown');
  for (let i = 1; i < depth; i++) {
    graph = loop([makeNode('Loop', ['trips', 'going', 'state'], ['grown'], { body: body(graph) })], 'grown');
  }
  const outer = makeNode('Loop', ['trips', 'flag', 'x'], ['y'], { body: body(graph) });
  const inputs = { ...X, flag: tensor('bool'), trips: tensor('int64') };
  return encodeModel(modelOf(inputs, [outer], ['y']));
}

/** A sequence of sequences of … as the type of an input. */
export function nestedType(levels: number, kind: 'sequence' | 'optional' = 'sequence'): File {
  const number = kind === 'sequence' ? 4 : 9;
  let type: Uint8Array = new Uint8Array();
  for (let i = 0; i < levels; i++) {
    const element = new WireWriter();
    element.tag(1, BYTES);
    element.uint(type.length);
    element.bytes(type);
    const outer = new WireWriter();
    outer.tag(number, BYTES);
    outer.message(element);
    type = outer.finish();
  }
  const wrap = (field: number, content: Uint8Array): Uint8Array => {
    const writer = new WireWriter();
    writer.tag(field, BYTES);
    writer.uint(content.length);
    writer.bytes(content);
    return writer.finish();
  };
  return wrap(7, wrap(11, wrap(2, type)));
}

/** The same as a type that fits the limits, on its way through operators. */
export function nestedTypeInUse(levels: number): File {
  let type: ValueType = tensor('float32', 'n');
  for (let i = 0; i < levels; i++) type = i % 2 === 0 ? sequenceType(type) : optionalType(type);
  const nodes = [makeNode('Identity', ['x'], ['y']), makeNode('SequenceAt', ['y', 'i'], ['z'])];
  const graph = makeGraph({
    nodes,
    inputs: [
      { name: 'x', type },
      { name: 'i', type: tensor('int64') },
    ],
    outputs: [{ name: 'y', type }],
  });
  return encodeModel(makeModel(graph));
}

// Functions --------------------------------------------------------------------------------------------------

function functionOf(name: string, nodes: readonly Node[], last: string): FunctionDefinition {
  return {
    name,
    domain: 'f',
    inputs: ['a'],
    outputs: [last],
    attributes: [],
    attributeDefaults: new Map(),
    nodes,
    opsetImports: new Map([
      ['', 21],
      ['f', 1],
    ]),
    valueInfo: new Map(),
  };
}

const callOf = (name: string, from: string, to: string): Node =>
  makeNode(name, [from], [to], {}, { domain: 'f' });

function withFunctions(functions: readonly FunctionDefinition[]): File {
  return encodeModel(modelOf(X, [callOf(functions[0]!.name, 'x', 'y')], ['y'], [], functions));
}

/** A function that calls itself. */
export function recursiveFunction(calls = 1): File {
  const nodes = Array.from({ length: calls }, (_, i) => callOf('F', i === 0 ? 'a' : `b${i - 1}`, `b${i}`));
  return withFunctions([functionOf('F', nodes, `b${calls - 1}`)]);
}

/** Two functions that call each other. */
export function mutuallyRecursiveFunctions(): File {
  return withFunctions([
    functionOf('F', [callOf('G', 'a', 'b')], 'b'),
    functionOf('G', [callOf('F', 'a', 'b')], 'b'),
  ]);
}

/** f0 calls f1 twice, f1 calls f2 twice …: 2^levels applications from a few lines. */
export function doublingFunctions(levels: number): File {
  const functions = Array.from({ length: levels }, (_, i) =>
    functionOf(`F${i}`, [callOf(`F${i + 1}`, 'a', 'b'), callOf(`F${i + 1}`, 'b', 'c')], 'c'),
  );
  return withFunctions([...functions, functionOf(`F${levels}`, [makeNode('Relu', ['a'], ['c'])], 'c')]);
}

// Counts -----------------------------------------------------------------------------------------------------

/** x → Relu → Relu → …, in order or backwards. */
export function chain(count: number, opType = 'Relu', backwards = false): File {
  const nodes = Array.from({ length: count }, (_, i) =>
    makeNode(opType, [i === 0 ? 'x' : `v${i - 1}`], [`v${i}`]),
  );
  return encodeModel(modelOf(X, backwards ? nodes.reverse() : nodes, [`v${count - 1}`]));
}

/** Many nodes that say nothing but their operator. */
export function emptyNodes(count: number): File {
  return graphFile({ node: new Array<Decoded>(count).fill({ opType: 'A' }) });
}

export function emptyMessages(field: string, count: number): File {
  return graphFile({ [field]: new Array<Decoded>(count).fill({}) });
}

/** One node of very many inputs. */
export function wideNode(opType: string, count: number, same = false): File {
  const names = Array.from({ length: count }, (_, i) => (same ? 'x' : `v${i}`));
  const inputs = same ? X : Object.fromEntries(names.map((name) => [name, tensor('float32', 1)]));
  return encodeModel(modelOf(inputs, [makeNode(opType, names, ['y'], { axis: int(0) })], ['y']));
}

/** One node of very many outputs. */
export function manyOutputs(opType: string, count: number): File {
  const outputs = Array.from({ length: count }, (_, i) => `y${i}`);
  return encodeModel(modelOf(X, [makeNode(opType, ['x'], outputs, { num_outputs: int(count) })], ['y0']));
}

export function longAttribute(opType: string, name: string, count: number, value: number): File {
  return oneNode(opType, [], { [name]: { type: 'ints', value: new Array<number>(count).fill(value) } });
}

export function manyAttributes(count: number): File {
  const attributes = Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, int(i)]));
  return oneNode('Relu', [], attributes);
}

export function manyDims(rank: number): File {
  const type = { tensorType: { elemType: 1, shape: { dim: new Array<Decoded>(rank).fill({}) } } };
  return graphFile({ node: [{ opType: 'Relu', input: ['x'], output: ['y'] }], input: [{ name: 'x', type }] });
}

/** Many square matrices of one shape, as if each might be another one's transpose. */
export function manyMatrices(count: number, side: number, fill: number | undefined): File {
  const data = ByteRange.of(new Uint8Array(fill === undefined ? 0 : side * side).fill(fill ?? 0));
  const weights = Array.from(
    { length: count },
    (_, i): Tensor => ({
      name: `w${i}`,
      dtype: 'int8',
      dims: [side, side],
      data: { kind: 'raw', bytes: data },
    }),
  );
  const nodes = weights.map((w, i) => makeNode('MatMulInteger', [w.name, w.name], [`y${i}`]));
  return encodeModel(modelOf({}, nodes, ['y0'], weights));
}

/** Constants that all flow through one long chain of rearrangements. */
export function joinedConstants(count: number): File {
  const constants = Array.from({ length: count }, (_, i) => float32(`c${i}`, [1], [i]));
  const nodes = constants.map((c, i) =>
    makeNode('Concat', [i === 0 ? c.name : `v${i - 1}`, c.name], [`v${i}`], { axis: int(0) }),
  );
  return encodeModel(modelOf({}, nodes, [`v${count - 1}`], constants));
}

/** Many values, and many nodes with bodies that could see all of them. */
export function manyScopes(count: number): File {
  const branch = body(graphOf({}, [makeNode('Relu', ['x'], ['out'])], ['out']));
  const nodes = Array.from({ length: count }, (_, i) =>
    makeNode('If', ['flag'], [`v${i}`], { then_branch: branch, else_branch: branch }),
  );
  return encodeModel(modelOf({ ...X, flag: tensor('bool') }, nodes, ['v0']));
}

/** Names as long as they may be, of nested nodes around many others. */
export function longNames(depth: number, count: number, bytes: number): File {
  const many = Array.from({ length: count }, (_, i) =>
    makeNode('Relu', [i === 0 ? 'x' : `v${i - 1}`], [`v${i}`]),
  );
  let branch = graphOf({}, many, [`v${count - 1}`]);
  const plain = graphOf({}, [makeNode('Relu', ['x'], ['out'])], ['out']);
  for (let i = 0; i < depth; i++) {
    const name = `${i}/${'n/'.repeat(bytes / 2)}`;
    const attributes = { then_branch: body(branch), else_branch: body(plain) };
    branch = graphOf({}, [makeNode('If', ['flag'], ['out'], attributes, { name })], ['out']);
  }
  return encodeModel(makeModel({ ...branch, inputs: inputsOf({ ...X, flag: tensor('bool') }) }));
}

/** A sequence that every node makes longer by one. */
export function growingSequence(count: number): File {
  const nodes = Array.from({ length: count }, (_, i) =>
    makeNode('SequenceInsert', [i === 0 ? 'empty' : `s${i - 1}`, 'x'], [`s${i}`]),
  );
  const start = makeNode('SequenceEmpty', [], ['empty']);
  const length = makeNode('SequenceLength', [`s${count - 1}`], ['y']);
  return encodeModel(modelOf(X, [start, ...nodes, length], ['y']));
}

/** A loop of as many iterations as are followed one by one, in one of as many, in one …. */
export function followedLoops(depth: number, trips: number, width: number): File {
  const loop = (inner: readonly Node[], last: string): Graph =>
    makeGraph({
      nodes: [makeNode('Identity', ['going'], ['still']), ...inner],
      inputs: [
        { name: 'i', type: tensor('int64') },
        { name: 'going', type: tensor('bool') },
        { name: 'state', type: UNKNOWN },
      ],
      outputs: ['still', last].map((name) => ({ name, type: UNKNOWN })),
    });
  const steps = Array.from({ length: width }, (_, i) =>
    makeNode('Add', [i === 0 ? 'state' : `a${i - 1}`, 'one'], [`a${i}`]),
  );
  let graph = loop(steps, `a${width - 1}`);
  for (let i = 1; i < depth; i++) {
    graph = loop([makeNode('Loop', ['trips', 'true', 'state'], ['next'], { body: body(graph) })], 'next');
  }
  const outer = makeNode('Loop', ['trips', 'true', 'one'], ['y'], { body: body(graph) });
  const isTrue: Tensor = {
    name: 'true',
    dtype: 'bool',
    dims: [],
    data: { kind: 'raw', bytes: ByteRange.of(Uint8Array.of(1)) },
  };
  return encodeModel(
    modelOf({}, [outer], ['y'], [int64('trips', [], [trips]), int64('one', [], [1]), isTrue]),
  );
}

/** As many different names of sizes as there are dimensions. */
export function manySymbols(count: number): File {
  const inputs = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`x${i}`, tensor('float32', `a${i}`, `b${i}`)]),
  );
  const nodes = Object.keys(inputs).map((name, i) => makeNode('Relu', [name], [`y${i}`]));
  return encodeModel(modelOf(inputs, nodes, ['y0']));
}

/** A name of a size that is a formula, or would be if it were not so long. */
export function longFormula(terms: number): File {
  const formula = Array.from({ length: terms }, (_, i) => `(a${i % 50}+${i})`).join(
    terms % 2 === 0 ? '*' : '//',
  );
  return oneNode('Relu', [], {}, tensor('float32', formula, `${'('.repeat(terms)}a`));
}

/** One operator on a tensor of very many dimensions. */
export function highRank(opType: string, rank: number, size: number | string, attributes = {}): File {
  return oneNode(opType, [], attributes, tensor('float32', ...new Array<number | string>(rank).fill(size)));
}

// Sizes ------------------------------------------------------------------------------------------------------

/** Sizes multiplied with each other again and again: n, n², n⁴ … or n·m·k·…. */
export function growingSizes(steps: number, how: 'square' | 'different' | 'sums' | 'minima'): File {
  const inputs: Record<string, TensorType> = { x: tensor('float32', 'n', 'm') };
  const nodes: Node[] = [makeNode('Shape', ['x'], ['s0'])];
  const different = how !== 'square';
  for (let i = 0; i < steps; i++) {
    const other = different ? `d${i}` : `s${i}`;
    if (different) {
      inputs[`x${i}`] = tensor('float32', `a${i}`, `b${i}`);
      nodes.push(makeNode('Shape', [`x${i}`], [`d${i}`]));
    }
    const operator = { square: 'Mul', different: 'Mul', sums: 'Add', minima: 'Min' }[how];
    nodes.push(makeNode(operator, [`s${i}`, other], [`s${i + 1}`]));
    if (how === 'different' && i % 3 === 2) {
      nodes.push(
        makeNode('Add', [`s${i + 1}`, `d${i}`], [`t${i}`]),
        makeNode('Div', [`t${i}`, 'three'], [`u${i}`]),
      );
      nodes.push(makeNode('Mul', [`t${i}`, `u${i}`], [`w${i}`]));
    }
  }
  nodes.push(makeNode('ConstantOfShape', [`s${steps}`], ['y']));
  return encodeModel(modelOf(inputs, nodes, ['y'], [int64('three', [], [3])]));
}

/** As many known symbolic elements as are carried, computed with many times. */
export function symbolicElements(steps: number): File {
  const wide = tensor('float32', ...Array.from({ length: 64 }, (_, i) => `d${i}`));
  const nodes = [
    makeNode('Shape', ['x'], ['s']),
    makeNode('Concat', new Array<string>(64).fill('s'), ['v0'], { axis: int(0) }),
    ...Array.from({ length: steps }, (_, i) =>
      makeNode(i % 2 === 0 ? 'Add' : 'Mul', [`v${i}`, i % 3 === 0 ? 'turned' : 'v0'], [`v${i + 1}`]),
    ),
  ];
  nodes.splice(2, 0, makeNode('Slice', ['v0', 'end', 'start', 'axis', 'step'], ['turned']));
  const constants = [
    int64('end', [1], [-1]),
    int64('start', [1], [-9999]),
    int64('axis', [1], [0]),
    int64('step', [1], [-1]),
  ];
  return encodeModel(modelOf({ x: wide }, nodes, [`v${steps}`], constants));
}

/** Known elements computed with by functions that double. */
export function foldingFunctions(levels: number, elements: number): File {
  const inner = functionOf(
    `F${levels}`,
    [makeNode('Add', ['a', 'a'], ['b']), makeNode('Mul', ['b', 'a'], ['c'])],
    'c',
  );
  const functions = Array.from({ length: levels }, (_, i) =>
    functionOf(`F${i}`, [callOf(`F${i + 1}`, 'a', 'b'), callOf(`F${i + 1}`, 'a', 'c')], 'c'),
  );
  const known = int64('k', [elements], new Array<number>(elements).fill(1));
  return encodeModel(modelOf({}, [callOf('F0', 'k', 'y')], ['y'], [known], [...functions, inner]));
}

/** An equation of very many letters. */
export function longEquation(
  letters: number,
  letter: (i: number) => string = (i) => 'abcdefgh'[i % 8]!,
): File {
  const term = Array.from({ length: letters }, (_, i) => letter(i)).join('');
  return oneNode('Einsum', [], { equation: text(`${term}->${term.slice(0, 3)}`) });
}

/** Data in a file that is not for the model to read. */
export function externalData(location: string, offset: number, length: number): File {
  const shape: Tensor = {
    name: 'shape',
    dtype: 'int64',
    dims: [2],
    data: { kind: 'external', location, offset, length },
  };
  return oneNode('Reshape', [shape]);
}

const HUGE = [2 ** 31, 2 ** 40, 2 ** 53 - 1, 2n ** 62n, 2n ** 63n - 1n, 10n ** 18n] as const;

/** Operators whose output is as large as a number in the file says. */
export const SIZE_OPERATORS: Readonly<Record<string, (size: number | bigint) => File>> = {
  Reshape: (n) => oneNode('Reshape', [int64('shape', [2], [n, 2])]),
  Expand: (n) => oneNode('Expand', [int64('shape', [3], [n, 1, 4])]),
  Tile: (n) => oneNode('Tile', [int64('repeats', [2], [1, n])]),
  Pad: (n) => oneNode('Pad', [int64('pads', [4], [n, n, 0, 0])]),
  ConstantOfShape: (n) => onConstants('ConstantOfShape', [int64('shape', [2], [n, n])]),
  Range: (n) => onConstants('Range', [int64('a', [], [0]), int64('b', [], [n]), int64('c', [], [1])]),
  OneHot: (n) => oneNode('OneHot', [int64('depth', [], [n]), int64('values', [2], [0, 1])]),
  Split: (n) => oneNode('Split', [int64('sizes', [1], [n])], { axis: int(1) }),
  SplitCount: (n) => oneNode('Split', [], { num_outputs: int(n), axis: int(1) }),
  SplitToSequence: (n) => oneNode('SplitToSequence', [int64('size', [], [n])], { axis: int(1) }),
  Resize: (n) =>
    encodeModel(
      modelOf(X, [makeNode('Resize', ['x', '', '', 'sizes'], ['y'])], ['y'], [int64('sizes', [2], [n, n])]),
    ),
  Slice: (n) => oneNode('Slice', [int64('starts', [1], [0]), int64('ends', [1], [n])]),
  Gather: (n) => oneNode('Gather', [int64('i', [1], [n])], { axis: int(1) }),
  TopK: (n) => oneNode('TopK', [int64('k', [1], [n])]),
  EyeLike: (n) => oneNode('EyeLike', [], { k: int(n) }),
  MaxPool: (n) => pooled('MaxPool', { kernel_shape: ints(n, n), pads: ints(n, n, n, n) }),
  AveragePool: (n) =>
    pooled('AveragePool', { kernel_shape: ints(1, 1), strides: ints(n, 0), dilations: ints(n, n) }),
  DepthToSpace: (n) => pooled('DepthToSpace', { blocksize: int(n) }),
  Upsample: (n) => oneNode('Upsample', [float32('scales', [2], [Number(n), 1])], {}, X.x, 9),
  HannWindow: (n) => onConstants('HannWindow', [int64('size', [], [n])]),
  Unsqueeze: (n) => oneNode('Unsqueeze', [int64('axes', [2], [0, n])]),
  Bernoulli: (n) => onConstants('RandomNormal', [], { shape: ints(n, n) }),
};

function pooled(opType: string, attributes: Parameters<typeof makeNode>[3]): File {
  return oneNode(opType, [], attributes, tensor('float32', 1, 4, 8, 'w'));
}

/** Steps and limits of a Range that never ends, or is no number. */
export function range(start: number, limit: number, delta: number): File {
  const constants = [float32('a', [], [start]), float32('b', [], [limit]), float32('c', [], [delta])];
  return onConstants('Range', constants);
}

const power = (random: Random, low: number, high: number): number =>
  Math.round(10 ** (low + (high - low) * random.float()));

/** One draw of every kind of bomb. */
export const BOMBS: Readonly<Record<string, (random: Random) => File>> = {
  'nested If': (random) => nestedIf(random.between(1, 9)),
  'nested If, one-sided': (random) => nestedIfOneSided(power(random, 1, 2.3)),
  'nested Loop': (random) => nestedLoop(random.between(2, 30)),
  'nested types': (random) => nestedType(power(random, 1, 3.7), random.pick(['sequence', 'optional'])),
  'nested types in use': (random) => nestedTypeInUse(random.between(1, 80)),
  'recursive functions': (random) =>
    random.chance(0.3) ? mutuallyRecursiveFunctions() : recursiveFunction(random.between(1, 4)),
  'doubling functions': (random) => doublingFunctions(random.between(2, 40)),
  'folding functions': (random) => foldingFunctions(random.between(2, 20), random.pick([1, 64, 4096])),
  'long chain': (random) =>
    chain(power(random, 2, 4.3), random.pick(['Relu', 'Unknown']), random.chance(0.3)),
  'empty nodes': (random) => emptyNodes(power(random, 2, 4.7)),
  'empty messages': (random) =>
    emptyMessages(
      random.pick(['node', 'input', 'valueInfo', 'initializer', 'sparseInitializer']),
      power(random, 2, 5.5),
    ),
  'wide node': (random) =>
    wideNode(
      random.pick(['Concat', 'Sum', 'Max', 'Unknown', 'SequenceConstruct']),
      power(random, 2, 4.5),
      random.chance(0.5),
    ),
  'many outputs': (random) => manyOutputs(random.pick(['Split', 'Unknown', 'Relu']), power(random, 2, 4.5)),
  'long attribute': (random) => {
    const [opType, name] = random.pick([
      ['Transpose', 'perm'],
      ['MaxPool', 'kernel_shape'],
      ['Conv', 'pads'],
      ['Constant', 'value_ints'],
      ['ReduceSum', 'axes'],
      ['Unknown', 'a'],
    ] as const);
    return longAttribute(opType, name, power(random, 2, 5.5), random.pick([0, 1, -1, 2 ** 40]));
  },
  'many attributes': (random) => manyAttributes(power(random, 2, 4.7)),
  'many dims': (random) => manyDims(power(random, 1, 5)),
  'many matrices': (random) =>
    manyMatrices(power(random, 2, 4), random.pick([4, 16, 32]), random.pick([undefined, 0, 1])),
  'joined constants': (random) => joinedConstants(power(random, 2, 3.7)),
  'many scopes': (random) => manyScopes(power(random, 1, 3.5)),
  'long names': (random) => longNames(random.between(1, 50), power(random, 1, 3), power(random, 2, 4.7)),
  'growing sequence': (random) => growingSequence(power(random, 2, 4)),
  'followed loops': (random) =>
    followedLoops(random.between(1, 6), random.pick([2, 8, 64, 65, 1e9]), random.pick([1, 10, 100])),
  'many symbols': (random) => manySymbols(power(random, 2, 4)),
  'long formula': (random) => longFormula(power(random, 1, 4.5)),
  'high rank': (random) => {
    const opType = random.pick([
      'Transpose',
      'Relu',
      'Flatten',
      'ReduceSum',
      'Shape',
      'Softmax',
      'Einsum',
      'NonZero',
    ]);
    const attributes = opType === 'Einsum' ? { equation: text('...->...') } : {};
    return highRank(opType, power(random, 1, 2.5), random.pick([1, 2, 'n', '?']), attributes);
  },
  'growing sizes': (random) =>
    growingSizes(power(random, 0.5, 2.7), random.pick(['square', 'different', 'sums', 'minima'])),
  'symbolic elements': (random) => symbolicElements(random.between(1, 12)),
  'huge sizes': (random) =>
    random.pick(Object.values(SIZE_OPERATORS))(random.pick([...HUGE, -1, 0, -(2n ** 63n)])),
  'endless range': (random) => {
    const numbers = [
      0,
      -0,
      1,
      -1,
      1e-30,
      1e30,
      1e18,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    return range(random.pick(numbers), random.pick(numbers), random.pick(numbers));
  },
  'long equation': (random) => longEquation(power(random, 1, 5)),
  'external data': (random) =>
    externalData(
      random.pick(['../../etc/passwd', '/etc/passwd', 'w.bin', '', '.', 'C:\\w', 'a\0b', '../'.repeat(2000)]),
      random.pick([0, 8, 2 ** 53 - 1]),
      random.pick([0, 16, 2 ** 53 - 1]),
    ),
};
