import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { type Attribute, makeNode, type Node } from '../../../graph/graph.js';
import { formatType, isTensor, optionalType, TensorType, type ValueType } from '../../../graph/types.js';
import { body, formal, modelWith } from '../../graph.testing.js';
import { expectModelSameAsOrt, input } from '../../ort.testing.js';

const x = input('float32', [2, 3]);
const TYPE: Attribute = { type: 'type_proto', value: new TensorType('float32', undefined) };

const FILLED = makeNode('Optional', ['x0'], ['o']);
const EMPTY = makeNode('Optional', [], ['o'], { type: TYPE });
const GET = makeNode('OptionalGetElement', ['o'], ['y']);
const HAS = makeNode('OptionalHasElement', ['o'], ['y']);

function infer(nodes: readonly Node[], opset = 18): ValueType {
  return inferShapes(modelWith([x], nodes, ['y'], opset)).graph.outputTypes[0]!;
}

describe('optional values', () => {
  it.each([
    ['the element', [FILLED, GET]],
    ['whether it is there', [FILLED, HAS]],
    ['that it is not there', [EMPTY, HAS]],
  ])('tells %s as ONNX Runtime does', (_, nodes) =>
    expectModelSameAsOrt(modelWith([x], nodes, ['y'], 18), [x]),
  );

  it.each<[string, Node[], number]>([
    ['a filled one', [FILLED, HAS], 1],
    ['an empty one', [EMPTY, HAS], 0],
    ['a tensor', [makeNode('OptionalHasElement', ['x0'], ['y'])], 1],
    ['nothing', [makeNode('OptionalHasElement', [''], ['y'])], 0],
  ])('knows whether %s has an element', (_, nodes, present) => {
    const type = infer(nodes);
    expect(isTensor(type) && type.elements).toEqual([present]);
  });

  it('does not know it of an input', () => {
    const model = modelWith([x], [makeNode('OptionalHasElement', ['x0'], ['y'])], ['y'], 18);
    const types = { x0: optionalType(new TensorType('float32', [2])) };
    const [type] = inferShapes(model, { types }).graph.outputTypes;
    expect(isTensor(type) && type.elements).toBeUndefined();
  });

  it('makes an empty optional of the given type', () => {
    expect(formatType(infer([makeNode('Optional', [], ['y'], { type: TYPE })]))).toBe('optional(float32[?])');
  });

  it('passes what is not optional, since opset 18', () => {
    const nodes = [makeNode('OptionalGetElement', ['x0'], ['y'])];
    expect(String(infer(nodes))).toBe('float32[2,3]');
    expect(() => infer(nodes, 15)).toThrow(/must be optional/);
  });

  it('takes a plain value for the optional input of a loop body as one that is there', () => {
    const carried = { name: 'o', type: optionalType(new TensorType('float32', undefined)) };
    const loop = makeNode('Loop', ['', '', 'x0'], ['', 'y'], {
      body: body(
        [formal('i', 'int64', []), formal('go', 'bool', []), carried],
        [
          makeNode('Identity', ['go'], ['on']),
          makeNode('Identity', ['o'], ['next']),
          makeNode('OptionalGetElement', ['o'], ['element']),
          makeNode('Shape', ['element'], ['sizes']),
        ],
        ['on', 'next', 'sizes'],
      ),
    });
    const type = infer([loop], 15);
    expect(isTensor(type) && type.shape?.[1]).toBe(2);
  });

  it('rejects an empty one where an element is needed, and one without a type', () => {
    expect(() => infer([EMPTY, GET])).toThrow(/empty/);
    expect(() => infer([makeNode('Optional', [], ['y'])])).toThrow(/'type' is missing/);
  });
});
