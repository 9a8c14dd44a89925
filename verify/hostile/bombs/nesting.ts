// Bombs that go deep: graphs in graphs, types in types, functions that call each other.
import {
  type FunctionDefinition,
  type Graph,
  makeGraph,
  makeModel,
  makeNode,
  type Node,
} from '../../../src/graph/graph.js';
import type { Tensor } from '../../../src/graph/tensor.js';
import { optionalType, sequenceType, UNKNOWN, type ValueType } from '../../../src/graph/types.js';
import { BYTES, WireWriter } from '../../../src/onnx/wire.js';
import { encodeModel } from '../../../src/onnx/write.js';
import { ByteRange } from '../../../src/util/bytes.js';
import { body, graphOf, int, int64, modelOf, tensor } from '../built-models.js';
import { type File, inputsOf, X } from './files.js';

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

/** The body of a Loop that carries one value. */
function loopBody(inner: readonly Node[], last: string): Graph {
  return makeGraph({
    nodes: [makeNode('Identity', ['going'], ['still']), ...inner],
    inputs: [
      { name: 'i', type: tensor('int64') },
      { name: 'going', type: tensor('bool') },
      { name: 'state', type: UNKNOWN },
    ],
    outputs: ['still', last].map((name) => ({ name, type: UNKNOWN })),
  });
}

/** Loops in loops whose state grows in each iteration, so that its type has to be found by trying. */
export function nestedLoop(depth: number): File {
  let graph = loopBody([makeNode('Concat', ['state', 'state'], ['grown'], { axis: int(0) })], 'grown');
  for (let i = 1; i < depth; i++) {
    graph = loopBody(
      [makeNode('Loop', ['trips', 'going', 'state'], ['grown'], { body: body(graph) })],
      'grown',
    );
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
    const inner = type;
    const outer = new WireWriter();
    outer.tag(number, BYTES);
    outer.message((element) => {
      element.tag(1, BYTES);
      element.uint(inner.length);
      element.bytes(inner);
    });
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

/** A loop of as many iterations as are followed one by one, in one of as many, in one …. */
export function followedLoops(depth: number, trips: number, width: number): File {
  const steps = Array.from({ length: width }, (_, i) =>
    makeNode('Add', [i === 0 ? 'state' : `a${i - 1}`, 'one'], [`a${i}`]),
  );
  let graph = loopBody(steps, `a${width - 1}`);
  for (let i = 1; i < depth; i++) {
    graph = loopBody([makeNode('Loop', ['trips', 'true', 'state'], ['next'], { body: body(graph) })], 'next');
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

/** A long function that is called again and again. */
export function repeatedFunction(nodes: number, calls: number): File {
  const inner = Array.from({ length: nodes }, (_, i) =>
    makeNode('Relu', [i === 0 ? 'a' : `r${i - 1}`], [`r${i}`]),
  );
  const outer = Array.from({ length: calls }, (_, i) => callOf('F', i === 0 ? 'x' : `y${i - 1}`, `y${i}`));
  return encodeModel(modelOf(X, outer, [`y${calls - 1}`], [], [functionOf('F', inner, `r${nodes - 1}`)]));
}

/** f0 calls f1 twice, f1 calls f2 twice …: 2^levels applications from a few lines. */
export function doublingFunctions(levels: number): File {
  const functions = Array.from({ length: levels }, (_, i) =>
    functionOf(`F${i}`, [callOf(`F${i + 1}`, 'a', 'b'), callOf(`F${i + 1}`, 'b', 'c')], 'c'),
  );
  return withFunctions([...functions, functionOf(`F${levels}`, [makeNode('Relu', ['a'], ['c'])], 'c')]);
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
