// What a trait promises holds for every operator that has it.
import { describe, expect, it } from 'vitest';
import { AuspexError } from '../util/errors.js';
import { allOperators, inputsOf, traitsOf } from './index.js';
import type { Operator } from './operator.js';
import { attributesOf, costOf, inferTypes, input, known, type TestCase } from './ort.testing.js';
import { schemaFor } from './schemas.js';

const OPSET = 22;

/** The operators of ai.onnx with a trait. */
function having(has: (traits: NonNullable<Operator['traits']>) => boolean): string[] {
  return [...allOperators()]
    .filter(([key, { traits }]) => !key.includes('.') && traits !== undefined && has(traits))
    .map(([key]) => key)
    .filter((key) => schemaFor('', key, OPSET)?.deprecated === undefined);
}

const float = (...dims: number[]) => input('float32', dims);

/** Applications of operators that take more than one input, or an attribute. */
const CASES: Readonly<Record<string, Omit<TestCase, 'op'>>> = {
  Cast: { inputs: [float(2, 3)], attributes: attributesOf({ to: 11 }) },
  CastLike: { inputs: [float(2, 3), input('float64', [1])] },
  Concat: { inputs: [float(2, 3), float(2, 3)], attributes: attributesOf({ axis: 0 }) },
  DequantizeLinear: { inputs: [input('int8', [2, 3]), float()] },
  Expand: { inputs: [float(2, 1), known([2, 3])] },
  Gather: { inputs: [float(2, 3), known([1])] },
  GatherElements: { inputs: [float(2, 3), input('int64', [2, 3])] },
  GatherND: { inputs: [float(2, 3), input('int64', [1, 2])] },
  PRelu: { inputs: [float(2, 3, 4), float(1)] },
  Pad: { inputs: [float(2, 3), known([0, 1, 0, 1])] },
  QuantizeLinear: { inputs: [float(2, 3), float()] },
  Reshape: { inputs: [float(2, 3), known([3, 2])] },
  Slice: { inputs: [float(2, 3), known([0]), known([1])] },
  Split: { inputs: [float(2, 4)], attributes: attributesOf({ axis: 1, num_outputs: 2 }), outputs: 2 },
  Squeeze: { inputs: [float(2, 1, 3)] },
  Tile: { inputs: [float(2, 3), known([2, 1])] },
  Unsqueeze: { inputs: [float(2, 3), known([0])] },
};

const caseOf = (op: string): TestCase => ({
  op,
  opset: OPSET,
  ...(CASES[op] ?? { inputs: [float(2, 3, 4)] }),
});

describe('movements', () => {
  // A sequence is no tensor that could be given here.
  const tensors = having(({ moves, sequence }) => moves !== undefined && sequence === undefined).filter(
    (op) => !/^Memcpy|^DynamicSlice$/.test(op),
  );

  it.each(tensors)('%s computes nothing unless it quantises', (op) => {
    const { macs = 0, otherFlops = 0 } = costOf(caseOf(op))!;
    expect(macs).toBe(0);
    if (traitsOf({ domain: '', opType: op }).moves === 'quantisation') expect(otherFlops).toBeGreaterThan(0);
    else expect(otherFlops).toBe(0);
  });

  it.each(tensors)('%s is a movement of data', (op) => {
    expect(inputsOf({ domain: '', opType: op }).role(0)).toBe('data');
  });

  it('that keep all elements keep their number', () => {
    const keeping = having(({ moves }) => ['same', 'type', 'shape', 'axes'].includes(moves ?? ''));
    for (const op of keeping.filter((name) => tensors.includes(name))) {
      const [before] = caseOf(op).inputs;
      const [after] = inferTypes(caseOf(op));
      const size = before!.dims.reduce((n, d) => n * d, 1);
      expect([op, after?.kind === 'tensor' && after.size]).toEqual([op, size]);
    }
  });
});

describe('elementwise functions', () => {
  it.each(having(({ activation }) => activation !== undefined))('%s keeps type and shape', (op) => {
    expect(inferTypes(caseOf(op))[0]).toMatchObject({ dtype: 'float32', shape: caseOf(op).inputs[0]!.dims });
  });

  it.each(having(({ arithmetic }) => arithmetic !== undefined))('%s broadcasts', (op) => {
    const { inputs } = schemaFor('', op, OPSET)!;
    const isOfOne = inputs[1] === 1;
    const given = op === 'Where' ? [input('bool', [3]), float(2, 1), float(1)] : [float(2, 1), float(3)];
    const test = { op, opset: OPSET, inputs: isOfOne ? [float(2, 3)] : given };
    expect(inferTypes(test)[0]).toMatchObject({ dtype: 'float32', shape: [2, 3] });
  });

  it('normalisations have scale and bias where they learn any', () => {
    for (const op of having(({ normalisation }) => normalisation !== undefined)) {
      const inputs = inputsOf({ domain: '', opType: op });
      if (inputs.names.length > 1) expect([op, inputs.slots('scale').length]).toEqual([op, 1]);
      expect([op, inputs.slots('weight').length]).toEqual([op, 0]);
    }
  });
});

describe('layers', () => {
  it('convolutions and products multiply, and have one weight unless an equation names their operands', () => {
    for (const [key, { traits = {}, cost }] of allOperators()) {
      if (traits.convolution === undefined && traits.product === undefined) continue;
      expect([key, cost.describe]).toEqual([key, expect.stringMatching(/MACs/)]);
      const at = key.lastIndexOf('.');
      const inputs = inputsOf({ domain: at < 0 ? '' : key.slice(0, at), opType: key.slice(at + 1) });
      if (traits.product !== 'einsum') expect([key, inputs.slots('weight').length > 0]).toEqual([key, true]);
    }
  });

  it('recurrent layers have a hidden size, poolings over windows a kernel', () => {
    for (const op of having(({ recurrent }) => recurrent === true)) {
      expect(Object.keys(schemaFor('', op, OPSET)!.attributes)).toContain('hidden_size');
    }
    for (const op of having(({ pooling }) => pooling?.over === 'window')) {
      expect(Object.keys(schemaFor('', op, OPSET)!.attributes)).toContain('kernel_shape');
    }
  });
});

describe('the rest', () => {
  it('inputs whose elements are ignored are named as the schema names them', () => {
    for (const op of having(({ ignoresElementsOf }) => ignoresElementsOf !== undefined)) {
      const { ignoresElementsOf } = traitsOf({ domain: '', opType: op });
      for (const name of ignoresElementsOf!)
        expect(inputsOf({ domain: '', opType: op }).names).toContain(name);
    }
  });

  it('an operator that draws numbers of the standard has a seed; a type attribute is one of the schema', () => {
    for (const op of having(({ draws }) => draws !== undefined)) {
      expect(Object.keys(schemaFor('', op, OPSET)!.attributes)).toContain('seed');
    }
    for (const op of having(({ typeAttribute }) => typeAttribute !== undefined)) {
      const { typeAttribute } = traitsOf({ domain: '', opType: op });
      expect(schemaFor('', op, OPSET)!.attributes[typeAttribute!]?.type).toBe('int');
    }
  });

  it('operators with graphs of their own are control flow', () => {
    for (const [key] of allOperators()) {
      if (key.includes('.')) continue;
      const types = Object.values(schemaFor('', key, OPSET)?.attributes ?? {}).map(({ type }) => type);
      const hasGraphs = types.includes('graph');
      expect([key, traitsOf({ domain: '', opType: key }).controlFlow !== undefined]).toEqual([
        key,
        hasGraphs,
      ]);
    }
  });

  it('an operator that nobody defines has none', () => {
    expect(traitsOf({ domain: 'my.own', opType: 'Conv' })).toEqual({});
    expect(() => inferTypes({ op: 'Reshape', inputs: [float(2, 3), known([4, 2])] })).toThrow(AuspexError);
  });
});
