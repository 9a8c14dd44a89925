import { describe, expect, it } from 'vitest';
import { modelOf as textModel } from '../analysis/models.testing.js';
import { type Attribute, type Model, makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { TensorType, UNKNOWN } from '../graph/types.js';
import { body, formal, modelWith } from '../ops/graph.testing.js';
import { allOperators } from '../ops/index.js';
import { attributesOf, input, knownScalar } from '../ops/ort.testing.js';
import { SCHEMAS } from '../ops/schemas.generated.js';
import { newestOpset, operatorSchemas } from '../ops/schemas.js';
import { expectModelSameIn, ramp, resultsOf } from '../ops/versions.testing.js';
import { withOpset } from './opset.js';

/** Steps nobody wrote a rule for, on purpose. */
const REFUSED = ['GRUUnit'];

describe('every version of every operator', () => {
  const steps = Object.keys(SCHEMAS)
    .filter((key) => !key.includes('::') && !REFUSED.includes(key))
    .flatMap((key) => {
      const versions = operatorSchemas(key)!;
      return versions.slice(1).map((after, i) => ({ key, before: versions[i]!, after }));
    });

  it('takes what the one before took, or has a rule', () => {
    const missing = steps.filter(({ key, before, after }) => {
      const gone = Object.keys(before.attributes).filter(
        (name) =>
          name !== 'consumed_inputs' && before.attributes[name]!.type !== after.attributes[name]?.type,
      );
      const needed = Object.keys(after.attributes).filter(
        (name) => after.attributes[name]!.required && !before.attributes[name]?.required,
      );
      const isNarrower = after.inputs[1] < before.inputs[1] || after.inputs[0] > before.inputs[0];
      const isWithdrawn = after.deprecated && !before.deprecated;
      const isSame = gone.length + needed.length === 0 && !isNarrower && !isWithdrawn;
      const rule = allOperators()
        .get(key)
        ?.versions?.find(({ since }) => since === after.since);
      return !isSame && rule?.upgrade === undefined;
    });
    expect(missing.map(({ key, after }) => `${key} ${after.since}`)).toEqual([]);
  });

  it('has rules for versions that exist', () => {
    for (const [name, { versions = [] }] of allOperators()) {
      if (name.includes('.')) continue;
      const known = operatorSchemas(name)?.map(({ since }) => since) ?? [];
      for (const { since } of versions) expect(known, name).toContain(since);
    }
  });
});

describe('graphs in graphs', () => {
  const x = ramp([2, 3]);

  it('branches', async () => {
    const branch = (op: string, attributes: Record<string, Attribute>): Attribute =>
      body([], [makeNode(op, ['x1'], [`${op}_y`], attributes)], [`${op}_y`]);
    const model = modelWith(
      [knownScalar(1, 'bool'), x],
      [
        makeNode('If', ['x0'], ['y'], {
          then_branch: branch('Unsqueeze', attributesOf({ axes: [0] })),
          else_branch: branch('ReduceSum', attributesOf({ axes: [0] })),
        }),
      ],
      ['y'],
      11,
    );
    await expectModelSameIn(21, model, [knownScalar(1, 'bool'), x]);
  });

  it('a Scan over a batch', async () => {
    const scan = body(
      [formal('state', 'float32', [2]), formal('element', 'float32', [2])],
      [makeNode('Add', ['state', 'element'], ['next']), makeNode('Identity', ['next'], ['all'])],
      ['next', 'all'],
    );
    const inputs = [ramp([3, 2]), ramp([3, 4, 2])];
    const node = makeNode('Scan', ['', 'x0', 'x1'], ['last', 'every'], {
      body: scan,
      num_scan_inputs: { type: 'int', value: 1 },
      directions: { type: 'ints', value: [1] },
    });
    await expectModelSameIn(21, modelWith(inputs, [node], ['last', 'every'], 8), inputs);
  });

  it('functions, with attributes of their callers', async () => {
    const reduce = makeNode('ReduceMean', ['a'], ['b'], {
      axes: { type: 'reference', value: 'along', of: 'ints' },
    });
    const model: Model = {
      ...modelWith([x], [], ['y'], 17),
      opsetImports: new Map([
        ['', 17],
        ['own', 1],
      ]),
      functions: [
        {
          name: 'Mean',
          domain: 'own',
          inputs: ['a'],
          outputs: ['b'],
          attributes: ['along'],
          attributeDefaults: new Map(),
          nodes: [reduce],
          opsetImports: new Map([['', 17]]),
          valueInfo: new Map(),
        },
      ],
    };
    const call = makeNode('Mean', ['x0'], ['y'], attributesOf({ along: [1] }), { domain: 'own' });
    const whole = { ...model, graph: { ...model.graph, nodes: [call] } };
    await expectModelSameIn(21, whole, [x]);
  });
});

describe('the format', () => {
  const old = textModel({ inputs: ['x: 2,3'], nodes: ['y = Relu(x)'], outputs: ['y'] }, 9);

  it('goes with the opset', () => {
    expect(withOpset({ ...old, irVersion: 3 }, 21).model.irVersion).toBe(10);
    expect(withOpset({ ...old, irVersion: 3 }, 13).model.irVersion).toBe(7);
    const newer = { ...old, opsetImports: new Map([['', 21]]), irVersion: 10 };
    expect(withOpset(newer, 13).model.irVersion).toBe(7);
  });

  it('lists weights among the inputs no longer', async () => {
    const weight = input('float32', [3], [1, 2, 3]);
    const base = modelWith(
      [ramp([2, 3]), { ...weight, constant: true }],
      [makeNode('Mul', ['x0', 'x1'], ['y'])],
      ['y'],
      7,
    );
    const inputs = [...base.graph.inputs, { name: 'x1', type: new TensorType('float32', [3]) }];
    const model = { ...base, irVersion: 3, graph: { ...base.graph, inputs } };
    const { model: after, changes } = withOpset(model, 21);
    expect(after.graph.inputs.map(({ name }) => name)).toEqual(['x0']);
    expect(changes.map(({ what }) => what)).toEqual(['1 weight is no longer listed among the inputs']);
    expect(await resultsOf(after, [ramp([2, 3])])).toEqual(await resultsOf(model, [ramp([2, 3])]));
  });
});

it('gives the model itself where nothing is to do', () => {
  const model = makeModel(makeGraph({ nodes: [], inputs: [], outputs: [] }));
  expect(withOpset(model, 21)).toEqual({ model, changes: [] });
});

it('refuses functions of an opset that does not exist', () => {
  const model = textModel({ inputs: ['x: 2,3'], nodes: ['y = own.F(x)'], outputs: ['y'] }, 17);
  const function_ = {
    ...{ name: 'F', domain: 'own', inputs: ['a'], outputs: ['b'], attributes: [] },
    ...{ attributeDefaults: new Map(), nodes: [makeNode('Relu', ['a'], ['b'])], valueInfo: new Map() },
    opsetImports: new Map([['', Number.MAX_SAFE_INTEGER]]),
  };
  expect(() => withOpset({ ...model, functions: [function_] }, 21)).toThrow(/function 'own.F' uses opset 90/);
});

it.each([
  [0, /opset 0 does not exist/],
  [newestOpset() + 1, /does not exist/],
  [12, /cannot be lowered to opset 12/],
])('refuses opset %d', (version, message) => {
  const graph = makeGraph({ nodes: [], inputs: [], outputs: [{ name: 'x', type: UNKNOWN }] });
  expect(() => withOpset(makeModel(graph), version)).toThrow(message);
});

describe('what no version can say is refused with its node', () => {
  it.each([
    ['half of an integer', ['y = Scale(x) scale=0.5'], 9, 'int64'],
    ['numbers that do not fill a shape', ['y = GivenTensorFill() values=1.0,2.0 shape=3'], 9, 'float32'],
    ['a constant of two bits', ['y = ImageScaler(x) bias=-1.0'], 9, 'uint2'],
  ] as const)('%s', (_, nodes, opset, dtype) => {
    const model = textModel({ inputs: ['x: 1,2,3,3'], nodes: [...nodes], outputs: ['y'] }, opset);
    const inputs = model.graph.inputs.map((one) => ({ ...one, type: new TensorType(dtype, [1, 2, 3, 3]) }));
    const typed = { ...model, graph: { ...model.graph, inputs } };
    expect(() => withOpset(typed, 18)).toThrowError(
      expect.objectContaining({ code: expect.stringMatching(/^[A-Z_]+$/), where: expect.anything() }),
    );
  });
});

it('leaves operators of other domains as they are', () => {
  const model = textModel({ inputs: ['x: 2,3'], nodes: ['y = com.microsoft.Gelu(x)'], outputs: ['y'] }, 12);
  expect(withOpset(model, 21).model.graph.nodes).toBe(model.graph.nodes);
});
