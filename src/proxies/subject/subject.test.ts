import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { TensorType } from '../../graph/types.js';
import { decodeModel } from '../../onnx/read.js';
import { Session } from '../../runtime/session.js';
import { scoreAll } from '../proxy.js';
import { params } from '../scores/counts.js';
import { GRADIENT_PROXIES } from '../scores/gradient-proxies.js';
import { gradNorm, snip } from '../scores/gradient-scores.js';
import { Subject } from './subject.js';

const fixture = (name: string) =>
  decodeModel(new Uint8Array(readFileSync(new URL(`../fixtures/${name}.onnx`, import.meta.url))));

/** x·W + b, and a softmax. */
const linear = (input: string) =>
  modelOf({
    inputs: [`x: ${input}`],
    nodes: ['a = MatMul(x, w)', 'c = Add(a, b)', 'y = Softmax(c)'],
    outputs: ['y'],
    initializers: [tensor('w', [9, 3]), tensor('b', [3])],
  });

describe('what counts as a weight', () => {
  it('is what convolutions and linear layers have, of a vision transformer', () => {
    const { layers } = Subject.of(fixture('vit'));
    const shapes = layers.map((layer) => layer.dims.reduce((n, d) => n * d, 1));
    const block = [12 * 36, 12 * 12, 12 * 24, 24 * 12];
    expect(shapes).toEqual([12 * 48, ...block, ...block, 12 * 7]);
  });

  it('leaves embeddings, positions, normalisations and biases out, and says what they are', () => {
    const explained = Subject.of(fixture('gpt')).explain();
    const roles = explained.map(({ role, counts }) => `${role} ${counts}`);
    const count = (what: string): number => roles.filter((role) => role === what).length;
    expect(count('weight true')).toBe(9);
    expect(count('bias false')).toBe(8);
    expect(count('scale false')).toBe(5);
    expect(count('shift false')).toBe(5);
    // Of tokens, and of positions.
    expect(count('embedding false')).toBe(1);
    expect(count('table false')).toBe(1);
  });

  it('can be chosen', async () => {
    const model = fixture('mlp');
    const all = Subject.of(model).layers.map((layer) => layer.weight);
    const one = Subject.of(model, { weights: all.slice(1, 2) });
    const details = (await gradNorm.score(Subject.of(model))).details as { layers: { value: number }[] };
    expect((await gradNorm.score(one)).value).toBe(details.layers[1]!.value);
    expect(() => Subject.of(model, { weights: ['nothing'] })).toThrowError(
      expect.objectContaining({ code: 'PROXY_WEIGHT' }),
    );
  });

  it('is not the table that an output layer shares with an embedding', () => {
    const tied = modelOf({
      inputs: ['x: 2,3'],
      nodes: [
        'i = Cast(x) to=7',
        'e = Gather(table, i)',
        'h = MatMul(e, w)',
        't = Transpose(table)',
        'y = MatMul(h, t)',
      ],
      outputs: ['y'],
      initializers: [tensor('table', [9, 4]), tensor('w', [4, 4])],
    });
    const subject = Subject.of(tied);
    expect(subject.layers.map((layer) => layer.weight)).toEqual(['w']);
    expect(subject.roles.get('table')).toEqual({ kind: 'embedding' });
  });
});

describe('weights that are drawn anew', () => {
  const drawn = (how: 'default' | 'normal', seed = 1) => {
    const { model, layers } = Subject.of(fixture('cnn-norm'), { initialise: how, seed });
    return { weights: layers.map((l) => [...Subject.of(model).weight(l.weight)]), layers, model };
  };

  it("are within PyTorch's bounds, and fill them", () => {
    const { weights, layers } = drawn('default');
    weights.forEach((values, i) => {
      const bound = 1 / Math.sqrt(layers[i]!.fanIn);
      const most = Math.max(...values.map(Math.abs));
      expect(most).toBeLessThanOrEqual(bound);
      expect(most).toBeGreaterThan(0.9 * bound);
    });
    expect(layers.map((l) => l.fanIn)).toEqual([27, 9, 36, 72, 8, 12]);
  });

  it('are by what meets in one output, however the weight comes to its layer', () => {
    const fanOf = (node: string, dims: readonly number[], attributes = {}) => {
      const model = modelOf({
        inputs: ['x: 2,5,6'],
        nodes: ['t = Transpose(w)', node, 'z = ReduceMean(y)'],
        outputs: ['z'],
        initializers: [tensor('w', dims)],
        attributes: {
          y: attributes,
          t: { perm: { type: 'ints', value: dims.map((_, i) => BigInt(i)).reverse() } },
        },
      });
      return Subject.of(model).layers.map((l) => l.fanIn);
    };
    const equation = (value: string) => ({ equation: { type: 'string', value } });
    expect(fanOf('y = MatMul(x, w)', [6, 4])).toEqual([6]);
    expect(fanOf('y = MatMul(x, t)', [4, 6])).toEqual([6]);
    expect(fanOf('y = MatMul(w, x)', [4, 5])).toEqual([5]);
    expect(fanOf('y = MatMul(t, x)', [5, 4])).toEqual([5]);
    expect(fanOf('y = Einsum(x, w)', [3, 6, 4], equation('btd, hde -> bthe'))).toEqual([6]);
    expect(fanOf('y = Einsum(x, w)', [4, 5, 6], equation('btd,etd->be'))).toEqual([30]);
    expect(fanOf('y = Einsum(x, w)', [6, 4], equation('...d,de'))).toEqual([6]);
  });

  it('have the bound of their width in recurrent layers, and are 1 and 0 in normalisations in parts', () => {
    const recurrent = modelOf({
      inputs: ['x: 5,2,3'],
      nodes: ['y, h = GRU(x, w, r, b) hidden_size=4', 'z = Squeeze(h)'],
      outputs: ['z'],
      initializers: [tensor('w', [1, 12, 3]), tensor('r', [1, 12, 4]), tensor('b', [1, 24])],
    });
    for (const name of ['w', 'r', 'b']) {
      expect(Subject.of(recurrent).roles.get(name)).toEqual({ kind: 'other', fanIn: 4 });
    }
    const grouped = modelOf({
      inputs: ['x: 2,4,3'],
      nodes: [
        'n = InstanceNormalization(x, one, zero)',
        's = Unsqueeze(scale, axis)',
        't = CastLike(s, n)',
        'a = Mul(n, t)',
        'u = CastLike(shift, n)',
        'y = Add(a, u)',
      ],
      outputs: ['y'],
      initializers: [
        tensor('one', [4]),
        tensor('zero', [4]),
        tensor('axis', [1], [1], 'int64'),
        ...[tensor('scale', [4]), tensor('shift', [4, 1])],
      ],
    });
    const { roles } = Subject.of(grouped);
    expect([roles.get('scale'), roles.get('shift')]).toEqual([{ kind: 'scale' }, { kind: 'shift' }]);
  });

  it('are standard normal where NASWOT wants them so', () => {
    const values = drawn('normal').weights.flat();
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(values.length));
    expect(Math.abs(variance - 1)).toBeLessThan(6 / Math.sqrt(values.length));
  });

  it('are others for another seed, and normalisations are 1 and 0', () => {
    expect(drawn('default', 2).weights).not.toEqual(drawn('default', 1).weights);
    const subject = Subject.of(fixture('cnn-norm'), { initialise: 'default' });
    for (const { name, role } of subject.explain()) {
      if (role === 'scale' || role === 'variance')
        expect(new Set(subject.weight(name))).toEqual(new Set([1]));
      if (role === 'shift' || role === 'mean') expect(new Set(subject.weight(name))).toEqual(new Set([0]));
    }
  });
});

describe('the batch', () => {
  it('is as large as asked where its size is a symbol', () => {
    expect(Subject.of(linear('n,9')).samples).toBe(16);
    expect(Subject.of(linear('n,9'), { batch: 5 }).samples).toBe(5);
    expect(Subject.of(linear('n,9'), { dims: { n: 7 } }).samples).toBe(7);
    expect(Subject.of(linear('2,9'), { batch: 5 }).samples).toBe(5);
  });

  it('is changed in nodes that fix it', () => {
    const fixed = (shape: readonly number[]) =>
      modelOf({
        inputs: ['x: 1,9'],
        nodes: ['a = Reshape(x, shape)', 'y = Relu(a)'],
        outputs: ['y'],
        initializers: [tensor('shape', [2], shape, 'int64')],
      });
    for (const shape of [
      [1, 9],
      [1, -1],
    ]) {
      expect(Subject.of(fixed(shape), { batch: 4 }).logits.dims).toEqual([4, 9]);
    }
    expect(Subject.of(fixed([-1, 9]), { batch: 4 }).logits.dims).toEqual([4, 9]);
  });

  it('holds tokens of the vocabulary', () => {
    const subject = Subject.of(fixture('gpt'));
    const tokens = Array.from({ length: 50 }, (_, i) => [
      ...(subject.inputs(i).x!.data as BigInt64Array),
    ]).flat();
    expect(new Set(tokens.map(Number)).size).toBe(23);
    expect(Math.max(...tokens.map(Number))).toBe(22);
  });

  it('must fit the network, and so must labels', async () => {
    const x = { type: 'float32', dims: [2, 9], data: new Float32Array(18) } as const;
    const given = Subject.of(linear('2,9'), { batches: [{ x }], labels: [[0, 3]] });
    expect(() => given.labels()).toThrowError(expect.objectContaining({ code: 'PROXY_LABELS' }));
    const missing = Subject.of(linear('2,9'), { batches: [{}] });
    expect(() => missing.inputs()).toThrowError(expect.objectContaining({ code: 'PROXY_INPUT' }));
    const zico = GRADIENT_PROXIES.find((p) => p.name === 'zico')!;
    await expect(zico.score(Subject.of(linear('2,9'), { batches: [{ x }] }))).rejects.toThrowError(
      expect.objectContaining({ code: 'PROXY_BATCH' }),
    );
  });

  it('must have statistics, unless they are frozen', async () => {
    const model = modelOf({
      inputs: ['x: 1,9'],
      nodes: ['a = MatMul(x, w)', 'y = BatchNormalization(a, s, b, m, v)'],
      outputs: ['y'],
      initializers: [
        tensor('w', [9, 3]),
        ...['s', 'b', 'm', 'v'].map((name) => tensor(name, [3], [1, 2, 1])),
      ],
    });
    await expect(snip.score(Subject.of(model, { batch: 1 }))).rejects.toThrowError(
      expect.objectContaining({ code: 'BATCH_TOO_SMALL' }),
    );
    expect((await snip.score(Subject.of(model, { statistics: 'frozen' }))).value).toBeGreaterThan(0);
  });
});

describe('the logits', () => {
  it('are what goes into a softmax at the end', () => {
    expect(Subject.of(linear('2,9')).logits).toMatchObject({ name: 'c', axis: 1, classes: 3, rows: 2 });
  });

  it('are per pixel for maps', () => {
    const model = modelOf({
      inputs: ['x: 2,3,4,4'],
      nodes: ['y = Conv(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [5, 3, 1, 1])],
    });
    expect(Subject.of(model).logits).toMatchObject({ axis: 1, classes: 5, rows: 32 });
  });
});

describe('several proxies', () => {
  const model = fixture('cnn-norm');

  it('give together what each gives alone, with one graph for all gradients of the loss', async () => {
    const compiled = vi.spyOn(Session, 'create');
    const names = ['plain', 'snip', 'grad_norm', 'grasp', 'fisher'];
    const requests = GRADIENT_PROXIES.filter(({ name }) => names.includes(name)).map((proxy) => ({ proxy }));
    const together = await scoreAll(Subject.of(model), requests);
    expect(compiled).toHaveBeenCalledTimes(1);
    compiled.mockRestore();
    expect(together.length).toBe(names.length);
    for (const outcome of together) {
      const { value } = await outcome.proxy.score(Subject.of(model));
      const shared = 'score' in outcome ? outcome.score.value : Number.NaN;
      expect(Math.abs(shared / value - 1), outcome.proxy.name).toBeLessThan(1e-5);
    }
  });

  it('do not stop when one of them fails', async () => {
    const flat = modelOf({ inputs: ['x: 4,5'], nodes: ['y = Relu(x)'], outputs: ['y'] });
    const [count, failed] = await scoreAll(Subject.of(flat), [{ proxy: params }, { proxy: snip }]);
    expect(count).toMatchObject({ score: { value: 0 } });
    expect(failed).toMatchObject({ error: { code: 'PROXY_NO_WEIGHTS' } });
  });
});

it('has all its sizes', () => {
  const { model } = Subject.of(linear('n,9'), { batch: 5 });
  expect(model.graph.inputs[0]!.type).toEqual(new TensorType('float32', [5, 9]));
});
