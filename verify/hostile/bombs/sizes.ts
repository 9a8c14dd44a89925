// Bombs of sizes: numbers beyond what machines count, formulas without end.
import { makeNode, type Node } from '../../../src/graph/graph.js';
import type { Tensor } from '../../../src/graph/tensor.js';
import type { TensorType } from '../../../src/graph/types.js';
import { encodeModel } from '../../../src/onnx/write.js';
import { float32, int, int64, ints, modelOf, tensor, text } from '../built-models.js';
import { type File, onConstants, oneNode, X } from './files.js';

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

/** Numbers that no size can be. */
export const HUGE = [2 ** 31, 2 ** 40, 2 ** 53 - 1, 2n ** 62n, 2n ** 63n - 1n, 10n ** 18n] as const;

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
  RandomNormal: (n) => onConstants('RandomNormal', [], { shape: ints(n, n) }),
};

function pooled(opType: string, attributes: Parameters<typeof makeNode>[3]): File {
  return oneNode(opType, [], attributes, tensor('float32', 1, 4, 8, 'w'));
}

/** Steps and limits of a Range that never ends, or is no number. */
export function range(start: number, limit: number, delta: number): File {
  const constants = [float32('a', [], [start]), float32('b', [], [limit]), float32('c', [], [delta])];
  return onConstants('Range', constants);
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
