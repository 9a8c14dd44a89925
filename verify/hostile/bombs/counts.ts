// Bombs that are wide: very many nodes, inputs, names, constants.
import { makeModel, makeNode } from '../../../src/graph/graph.js';
import type { Tensor } from '../../../src/graph/tensor.js';
import type { Decoded } from '../../../src/onnx/proto.js';
import { encodeModel } from '../../../src/onnx/write.js';
import { ByteRange } from '../../../src/util/bytes.js';
import { body, float32, graphOf, int, modelOf, tensor } from '../built-models.js';
import { type File, graphFile, inputsOf, oneNode, X } from './files.js';

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
