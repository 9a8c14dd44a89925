import { describe, expect, it } from 'vitest';
import { allOperators, inputsOf } from './index.js';
import { FormalInputs, isStatistic, isTrained } from './inputs.js';
import { Call } from './operator.js';
import { costOf, input, modelOf } from './ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);

/** `com.microsoft.Gelu` as domain and name. */
function nodeOf(key: string): { domain: string; opType: string } {
  const at = key.lastIndexOf('.');
  return { domain: at < 0 ? '' : key.slice(0, at), opType: key.slice(at + 1) };
}

describe('names of inputs', () => {
  it('are those of the schemas, at every opset', () => {
    const conv = inputsOf({ domain: '', opType: 'Conv' });
    expect(conv.names).toEqual(['X', 'W', 'B']);
    expect([0, 1, 2].map((slot) => conv.role(slot))).toEqual(['data', 'weight', 'bias']);
    // Until opset 10 the scales came second.
    expect(inputsOf({ domain: '', opType: 'Resize' }, 10).slot('scales')).toBe(1);
    expect(inputsOf({ domain: '', opType: 'Resize' }, 11).slot('scales')).toBe(2);
    expect(inputsOf({ domain: '', opType: 'Clip' }, 6).slot('min')).toBe(-1);
    expect(inputsOf({ domain: '', opType: 'Clip' }, 13).slot('min')).toBe(1);
  });

  it('of a variadic input hold for all that follow', () => {
    const concat = inputsOf({ domain: '', opType: 'Concat' });
    expect([concat.name(0), concat.name(7)]).toEqual(['inputs', 'inputs']);
    const quantised = inputsOf({ domain: 'com.microsoft', opType: 'QLinearConcat' });
    expect([0, 1, 2, 3, 4, 5, 200, 201].map((slot) => quantised.role(slot))).toEqual([
      ...['setting', 'setting', 'data', 'setting', 'setting', 'data'],
      ...['data', 'setting'],
    ]);
  });

  it('are unknown for an operator that nobody defines', () => {
    const unknown = inputsOf({ domain: 'my.own', opType: 'Thing' });
    expect([unknown.names, unknown.role(3), unknown.name(0)]).toEqual([[], 'data', undefined]);
  });

  it('can be asked for by a call, which refuses names that no version has', () => {
    const model = modelOf({ op: 'Conv', inputs: [float(1, 2, 4, 4), float(3, 2, 1, 1), float(3)] });
    const [node] = model.graph.nodes;
    const scope = {
      inferBody: () => ({ outputTypes: [] }),
      sameWork: () => false,
    };
    const call = new Call(
      node!,
      21,
      model.graph.inputs.map(({ type }) => type),
      scope,
    );
    expect([call.has('B'), call.shape('W')]).toEqual([true, [3, 2, 1, 1]]);
    expect(() => call.has('bias')).toThrow("Conv has no input called 'bias'");
    expect(costOf({ op: 'Conv', inputs: [float(1, 2, 4, 4), float(3, 2, 1, 1)] })?.otherFlops).toBe(0);
  });
});

describe('the roles of all operators', () => {
  it('are of inputs that they have, each named once', () => {
    for (const [key, operator] of allOperators()) {
      const { others: _, each: __, ...named } = operator.roles ?? {};
      const all = Object.values(named).flat();
      const { names } = inputsOf(nodeOf(key));
      expect([key, all.filter((name) => !names.includes(name))]).toEqual([key, []]);
      expect([key, new Set(all).size]).toEqual([key, all.length]);
    }
  });
});

describe('roles', () => {
  it('are trained, measured, or neither', () => {
    const inputs = new FormalInputs(['x', 'w', 'b', 'm', 's'], {
      weight: ['w'],
      bias: ['b'],
      mean: ['m'],
      setting: ['s'],
    });
    const roles = inputs.names.map((_, slot) => inputs.role(slot));
    expect(roles.filter(isTrained)).toEqual(['weight', 'bias']);
    expect(roles.filter(isStatistic)).toEqual(['mean']);
    expect(inputs.slots('data')).toEqual([0]);
  });
});
