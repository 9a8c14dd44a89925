// A sample of what `npm run hostile` does at length, and every kind of attack by name with what must come of it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inferShapes } from '../src/analysis/infer.js';
import { type Attribute, makeModel, makeNode } from '../src/graph/graph.js';
import type { Tensor } from '../src/graph/tensor.js';
import { UNKNOWN } from '../src/graph/types.js';
import { readModel } from '../src/onnx/file.js';
import { encodeModel } from '../src/onnx/write.js';
import {
  chain,
  emptyMessages,
  emptyNodes,
  growingSequence,
  joinedConstants,
  longAttribute,
  longNames,
  manyAttributes,
  manyDims,
  manyMatrices,
  manyOutputs,
  manyScopes,
  wideNode,
} from '../verify/hostile/bombs/counts.js';
import { oneNode } from '../verify/hostile/bombs/files.js';
import {
  doublingFunctions,
  foldingFunctions,
  followedLoops,
  mutuallyRecursiveFunctions,
  nestedIf,
  nestedIfOneSided,
  nestedLoop,
  nestedType,
  nestedTypeInUse,
  recursiveFunction,
  repeatedFunction,
} from '../verify/hostile/bombs/nesting.js';
import {
  externalData,
  growingSizes,
  highRank,
  longEquation,
  longFormula,
  manySymbols,
  range,
  SIZE_OPERATORS,
  symbolicElements,
} from '../verify/hostile/bombs/sizes.js';
import {
  float,
  float32,
  graphOf,
  int,
  int64,
  ints,
  modelOf,
  tensor,
} from '../verify/hostile/built-models.js';
import { KINDS, kindOf, makeCase } from '../verify/hostile/cases.js';
import { loadCorpus } from '../verify/hostile/corpus.js';
import { type Outcome, runPipeline, runTransformation, TRANSFORMS } from '../verify/hostile/pipeline.js';

const RESULT: Outcome = { kind: 'result' };

/** What must come of a file: `result`, or the code of an error. */
function expectOutcome(bytes: Uint8Array, expected: string): void {
  expect(runPipeline(bytes)).toEqual(expected === 'result' ? RESULT : { kind: 'error', code: expected });
}

const corpus = loadCorpus(undefined);

describe('a sample of hostile files', () => {
  const SEED = 1;
  const CASES = 600;

  it('ends in results and errors only', () => {
    const defects: unknown[] = [];
    for (let index = 0, cases = 0; cases < CASES; index++) {
      // Bombs take their time; they are below, one by one.
      if (kindOf(index).startsWith('bomb')) continue;
      cases++;
      const { kind, from, bytes } = makeCase(SEED, index, corpus);
      const outcome = runPipeline(bytes);
      if (outcome.kind === 'defect') defects.push({ index, kind, from, what: outcome.what });
    }
    expect(defects).toEqual([]);
  });

  it('goes through every transformation, or is refused', async () => {
    const defects: unknown[] = [];
    for (let index = 0; index < CASES / 4; index++) {
      if (kindOf(index).startsWith('bomb')) continue;
      const { kind, from, bytes } = makeCase(SEED, index, corpus);
      if (runPipeline(bytes).kind !== 'result') continue;
      for (const name of Object.keys(TRANSFORMS)) {
        const outcome = await runTransformation(bytes, name);
        if (outcome.kind === 'defect') defects.push({ index, kind, from, what: outcome.what });
      }
    }
    expect(defects).toEqual([]);
  });

  it('can be made again', () => {
    const indices = [...KINDS.keys()].map((i) => 7 * i).filter((i) => !kindOf(i).startsWith('bomb'));
    for (const index of indices) {
      const [first, second] = [makeCase(3, index, corpus), makeCase(3, index, corpus)];
      expect(Buffer.compare(first.bytes, second.bytes)).toBe(0);
    }
  });

  it('starts from models that are sound', () => {
    for (const { name, bytes } of corpus) expect([name, runPipeline(bytes)]).toEqual([name, RESULT]);
  });
});

describe('bytes that are no model', () => {
  const bytes = corpus[0]!.bytes;
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'ONNX_EMPTY'],
    ['zeros', new Uint8Array(1000), 'ONNX_MALFORMED'],
    ['ones', new Uint8Array(1000).fill(0xff), 'ONNX_MALFORMED'],
    ['half a model', bytes.subarray(0, bytes.length / 2), 'ONNX_TRUNCATED'],
    ['all but the last byte', bytes.subarray(0, -1), 'ONNX_TRUNCATED'],
    ['a length of 2^53', Uint8Array.of(0x3a, ...new Array<number>(7).fill(0xff), 0x0f), 'ONNX_TRUNCATED'],
    ['a length of 2^63', Uint8Array.of(0x3a, ...new Array<number>(9).fill(0xff), 0x01), 'ONNX_MALFORMED'],
    [
      'a number of eleven bytes',
      Uint8Array.of(0x08, ...new Array<number>(10).fill(0xff), 0x01),
      'ONNX_MALFORMED',
    ],
  ])('%s', (_, file, expected) => expectOutcome(file, expected));
});

describe('nesting', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['If in If, 7 deep on both sides', () => nestedIf(7), 'result'],
    ['If in If, 50 deep', () => nestedIfOneSided(50), 'result'],
    ['If in If, 200 deep', () => nestedIfOneSided(200), 'ONNX_LIMIT'],
    ['Loop in Loop, 12 deep', () => nestedLoop(12), 'result'],
    ['Loops that are followed through each iteration', () => followedLoops(4, 64, 10), 'result'],
    ['a sequence of sequences, 5,000 deep', () => nestedType(5000), 'ONNX_LIMIT'],
    ['an optional of optionals, 5,000 deep', () => nestedType(5000, 'optional'), 'ONNX_LIMIT'],
    ['a type 81 deep, in use', () => nestedTypeInUse(81), 'result'],
    ['a function that calls itself', () => recursiveFunction(), 'MODEL_TOO_DEEP'],
    ['a function that calls itself four times', () => recursiveFunction(4), 'MODEL_TOO_DEEP'],
    ['functions that call each other', () => mutuallyRecursiveFunctions(), 'MODEL_TOO_DEEP'],
    ['a function of 5,000 nodes, called 1,000 times', () => repeatedFunction(5000, 1000), 'MODEL_TOO_DEEP'],
    ['2^40 applications by functions that double', () => doublingFunctions(40), 'MODEL_TOO_DEEP'],
    ['2^8 applications by functions that double', () => doublingFunctions(8), 'result'],
    ['functions that double and compute', () => foldingFunctions(20, 4096), 'MODEL_TOO_DEEP'],
  ])('%s', (_, make, expected) => expectOutcome(make(), expected));
});

describe('counts', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['3,000 nodes in a row', () => chain(3000), 'result'],
    ['3,000 nodes backwards', () => chain(3000, 'Relu', true), 'result'],
    ['3,000 nodes nobody knows', () => chain(3000, 'Unknown'), 'result'],
    ['5,000 nodes that are only a name', () => emptyNodes(5000), 'result'],
    ['10,000 nodes without even that', () => emptyMessages('node', 10_000), 'ONNX_MALFORMED'],
    ['10,000 inputs of one name', () => emptyMessages('input', 10_000), 'GRAPH_DUPLICATE_NAME'],
    ['100,000 empty declarations', () => emptyMessages('valueInfo', 100_000), 'result'],
    ['one node of 5,000 inputs', () => wideNode('Concat', 5000), 'result'],
    ['one node of 20,000 times the same input', () => wideNode('Sum', 20_000, true), 'result'],
    ['one node of 20,000 outputs', () => manyOutputs('Unknown', 20_000), 'result'],
    ['an attribute of 200,000 numbers', () => longAttribute('Transpose', 'perm', 200_000, 1), 'OP_ATTRIBUTE'],
    [
      'a kernel of 200,000 dimensions',
      () => longAttribute('MaxPool', 'kernel_shape', 200_000, 1),
      'SHAPE_MISMATCH',
    ],
    ['10,000 attributes', () => manyAttributes(10_000), 'result'],
    ['100,000 dimensions', () => manyDims(100_000), 'ONNX_LIMIT'],
    ['256 dimensions', () => highRank('Transpose', 256, 1), 'result'],
    ['1,000 equal matrices', () => manyMatrices(1000, 32, 0), 'result'],
    ['1,000 matrices without data', () => manyMatrices(1000, 32, undefined), 'result'],
    ['1,000 constants in one chain', () => joinedConstants(1000), 'result'],
    ['300 nodes with bodies', () => manyScopes(300), 'result'],
    ['names of 50,000 letters around 500 nodes', () => longNames(30, 500, 50_000), 'result'],
    ['a sequence of 2,000 elements, one by one', () => growingSequence(2000), 'result'],
    ['1,000 names of sizes', () => manySymbols(1000), 'result'],
  ])('%s', (_, make, expected) => expectOutcome(make(), expected));
});

describe('sizes', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['n, n², n⁴ …', () => growingSizes(200, 'square'), 'result'],
    ['products of 400 names', () => growingSizes(200, 'different'), 'result'],
    ['sums of 400 names', () => growingSizes(200, 'sums'), 'result'],
    ['the least of 400 names', () => growingSizes(200, 'minima'), 'result'],
    ['4,096 symbolic elements', () => symbolicElements(6), 'SHAPE_TOO_LARGE'],
    ['a formula of 2,000 terms', () => longFormula(2000), 'result'],
    ['a formula of 10,000 terms', () => longFormula(10_000), 'ONNX_LIMIT'],
    ['an equation of 100,000 letters', () => longEquation(100_000), 'SHAPE_MISMATCH'],
    ['an equation of one letter, 100,000 times', () => longEquation(100_000, () => 'a'), 'OP_ATTRIBUTE'],
    [
      'a shape of 2^80 elements',
      () => oneNode('Relu', [], {}, tensor('float32', 2 ** 40, 2 ** 40)),
      'SHAPE_TOO_LARGE',
    ],
  ])('%s', (_, make, expected) => expectOutcome(make(), expected));

  /** Largest size that a double counts exactly; then more than that; then none at all. */
  it.each<[operator: string, exact: string, beyond: string, negative: string]>([
    ['Reshape', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'result'],
    ['Expand', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
    ['Tile', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
    ['Pad', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'result'],
    ['ConstantOfShape', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
    ['Range', 'result', 'OP_INPUT', 'result'],
    ['OneHot', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
    ['Split', 'SHAPE_MISMATCH', 'OP_INPUT', 'OP_INPUT'],
    ['SplitCount', 'OP_ATTRIBUTE', 'OP_ATTRIBUTE', 'OP_ATTRIBUTE'],
    ['SplitToSequence', 'result', 'result', 'SHAPE_MISMATCH'],
    ['Resize', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
    ['TopK', 'SHAPE_MISMATCH', 'OP_INPUT', 'OP_INPUT'],
    ['MaxPool', 'SHAPE_TOO_LARGE', 'SHAPE_TOO_LARGE', 'SHAPE_MISMATCH'],
    ['AveragePool', 'OP_ATTRIBUTE', 'OP_ATTRIBUTE', 'OP_ATTRIBUTE'],
    ['DepthToSpace', 'SHAPE_MISMATCH', 'OP_ATTRIBUTE', 'OP_ATTRIBUTE'],
    ['Upsample', 'OP_INPUT', 'OP_INPUT', 'OP_INPUT'],
    ['HannWindow', 'result', 'OP_INPUT', 'OP_INPUT'],
    ['Unsqueeze', 'SHAPE_MISMATCH', 'SHAPE_MISMATCH', 'result'],
    ['RandomNormal', 'SHAPE_TOO_LARGE', 'OP_INPUT', 'OP_INPUT'],
  ])('%s to 2^53−1, to 2^62 and to −1', (operator, exact, beyond, negative) => {
    const make = SIZE_OPERATORS[operator]!;
    expectOutcome(make(2 ** 53 - 1), exact);
    expectOutcome(make(2n ** 62n), beyond);
    expectOutcome(make(-1), negative);
  });

  it.each<[start: number, limit: number, delta: number, string]>([
    [0, 10, 0, 'OP_INPUT'],
    [0, 1e18, 1, 'OP_INPUT'],
    [0, 1e30, 1e-30, 'OP_INPUT'],
    [0, Number.NaN, 1, 'OP_INPUT'],
    [Number.NaN, 1, 1, 'OP_INPUT'],
    [0, 1, Number.NaN, 'OP_INPUT'],
    [0, Number.POSITIVE_INFINITY, 1, 'OP_INPUT'],
    [0, -5, 1, 'result'],
  ])('Range from %s to %s by %s', (start, limit, delta, expected) => {
    expectOutcome(range(start, limit, delta), expected);
  });
});

describe('graphs that make no sense', () => {
  const x = { x: tensor('float32', 2, 3) };
  const relu = (from: string, to: string) => makeNode('Relu', [from], [to], {}, { name: `${from}-${to}` });
  const onX = (opType: string, attributes: Record<string, Attribute> = {}, inputs = ['x']): Uint8Array =>
    encodeModel(modelOf(x, [makeNode(opType, inputs, ['y'], attributes)], ['y']));

  it.each<[string, () => Uint8Array, string]>([
    ['a cycle', () => encodeModel(modelOf(x, [relu('b', 'a'), relu('a', 'b')], ['a'])), 'GRAPH_CYCLE'],
    ['a node that reads itself', () => encodeModel(modelOf(x, [relu('a', 'a')], ['a'])), 'GRAPH_CYCLE'],
    [
      'an input that is nowhere',
      () => encodeModel(modelOf(x, [relu('gone', 'a')], ['a'])),
      'GRAPH_MISSING_INPUT',
    ],
    [
      'an output that is nowhere',
      () => encodeModel(modelOf(x, [relu('x', 'a')], ['b'])),
      'GRAPH_MISSING_OUTPUT',
    ],
    [
      'two outputs of one name',
      () => encodeModel(modelOf(x, [relu('x', 'a'), relu('x', 'a')], ['a'])),
      'GRAPH_DUPLICATE_NAME',
    ],
    [
      'an output of the name of an input',
      () => encodeModel(modelOf(x, [relu('x', 'x')], ['x'])),
      'GRAPH_DUPLICATE_NAME',
    ],
    [
      'two inputs of one name',
      () => {
        const graph = graphOf(x, [relu('x', 'a')], ['a']);
        return encodeModel(makeModel({ ...graph, inputs: [...graph.inputs, { name: 'x', type: UNKNOWN }] }));
      },
      'GRAPH_DUPLICATE_NAME',
    ],
    [
      'a body with other inputs than its loop gives',
      () =>
        onX('Loop', { body: { type: 'graph', value: graphOf(x, [relu('x', 'z')], ['z']) } }, ['', '', 'x']),
      'GRAPH_BODY',
    ],
    [
      'types that do not go together',
      () =>
        encodeModel(modelOf({ ...x, i: tensor('int64', 2, 3) }, [makeNode('Add', ['x', 'i'], ['y'])], ['y'])),
      'TYPE_MISMATCH',
    ],
    ['an attribute that is missing', () => onX('Concat'), 'OP_ATTRIBUTE'],
    ['an attribute of another type', () => onX('Concat', { axis: float(0) }), 'OP_ATTRIBUTE'],
    ['an axis that does not exist', () => onX('Softmax', { axis: int(9) }), 'SHAPE_MISMATCH'],
    ['an axis of −2^63', () => onX('Softmax', { axis: int(-(2n ** 63n)) }), 'SHAPE_MISMATCH'],
    ['an input that is missing', () => onX('Gemm'), 'OP_INPUT'],
    ['no input at all', () => onX('Relu', {}, []), 'OP_INPUT'],
    ['more inputs than an operator takes', () => onX('Relu', {}, ['x', 'x', 'x']), 'result'],
    [
      'a stride of 0',
      () => oneNode('MaxPool', [], { kernel_shape: ints(1), strides: ints(0) }, tensor('float32', 1, 1, 4)),
      'OP_ATTRIBUTE',
    ],
    [
      'padding below nothing',
      () => oneNode('MaxPool', [], { kernel_shape: ints(3), pads: ints(-9, 0) }, tensor('float32', 1, 1, 4)),
      'SHAPE_MISMATCH',
    ],
    [
      'a group of 0',
      () => oneNode('Conv', [float32('w', [1, 1, 1], [1])], { group: int(0) }, tensor('float32', 1, 1, 4)),
      'OP_ATTRIBUTE',
    ],
    [
      'a scale that is no number',
      () => oneNode('Upsample', [float32('s', [2], [Number.NaN, 1])], {}, x.x, 9),
      'OP_INPUT',
    ],
    [
      'a shape of fewer bytes than its type says',
      () => oneNode('Reshape', [{ ...int64('s', [2], [1, 2]), dims: [3] }]),
      'TENSOR_DATA',
    ],
    [
      'a tensor of −1 elements',
      () => oneNode('Reshape', [{ ...int64('s', [1], [1]), dims: [-1] }]),
      'ONNX_MALFORMED',
    ],
    [
      'a tensor of 2^62 elements',
      () => oneNode('Reshape', [{ ...int64('s', [1], [1]), dims: [2 ** 62] }]),
      'ONNX_MALFORMED',
    ],
  ])('%s', (_, make, expected) => expectOutcome(make(), expected));
});

describe('external data', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'auspex-hostile-'));
    mkdirSync(join(folder, 'model'));
    writeFileSync(join(folder, 'secret'), new Uint8Array(16));
    writeFileSync(join(folder, 'model', 'short'), new Uint8Array(4));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Infers a model that reshapes to a shape kept in another file, as read from a folder. */
  function inferFromFolder(location: string, offset = 0, length = 16): void {
    const path = join(folder, 'model', 'm.onnx');
    writeFileSync(path, externalData(location, offset, length));
    inferShapes(readModel(path));
  }

  it('is not looked for without a folder', () => {
    expectOutcome(externalData('../../etc/passwd', 0, 16), 'result');
  });

  it('that is missing leaves shapes unknown', () => {
    expect(() => inferFromFolder('gone')).not.toThrow();
  });

  it.each(['../secret', '../../../../etc/passwd', '/etc/passwd', 'x/../../secret', '', 'C:\\secret'])(
    'does not escape the folder: %j',
    (location) => {
      expect(() => inferFromFolder(location)).toThrowError(
        expect.objectContaining({
          code: 'EXTERNAL_DATA',
          where: expect.objectContaining({ node: 'node', operator: 'Reshape' }),
        }),
      );
    },
  );

  it.skipIf(process.platform === 'win32')('does not follow a link out of the folder', () => {
    symlinkSync(join(folder, 'secret'), join(folder, 'model', 'link'));
    expect(() => inferFromFolder('link')).toThrowError(expect.objectContaining({ code: 'EXTERNAL_DATA' }));
  });

  it.each<[number, number, string]>([
    [0, 16, 'DATA_TRUNCATED'],
    [2 ** 52, 16, 'DATA_TRUNCATED'],
    [0, 4, 'TENSOR_DATA'],
  ])('at offset %s of length %s ends in %s', (offset, length, code) => {
    expect(() => inferFromFolder('short', offset, length)).toThrowError(expect.objectContaining({ code }));
  });

  it('of a tensor that nobody needs is never touched', () => {
    const path = join(folder, 'model', 'm.onnx');
    const weight: Tensor = {
      name: 'w',
      dtype: 'float32',
      dims: [100_000],
      data: { kind: 'external', location: '/dev/zero', offset: 0, length: 400_000 },
    };
    const graph = graphOf(
      { x: tensor('float32', 'n', 1) },
      [makeNode('Mul', ['x', 'w'], ['y'])],
      ['y'],
      [weight],
    );
    writeFileSync(path, encodeModel(makeModel(graph)));
    expect(String(inferShapes(readModel(path)).graph.outputTypes[0])).toBe('float32[n,100000]');
  });
});
