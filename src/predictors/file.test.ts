import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { makeGraph, makeModel } from '../graph/graph.js';
import { INFO_KEY, infoOf } from './file.js';

const modelWith = (info: unknown) =>
  makeModel(makeGraph({ name: 'none', nodes: [], inputs: [], outputs: [] }), {
    metadata:
      info === undefined
        ? new Map()
        : new Map([[INFO_KEY, typeof info === 'string' ? info : JSON.stringify(info)]]),
  });

const SECOND = {
  version: 2,
  kind: 'forest',
  entries: [{ view: 'features', state: { names: ['macs'], space: null }, gives: 'values' }],
  labels: [{ name: 'ms', unit: 'ms', better: 'lower', transform: 'log' }],
  seen: { spaces: ['nasbench201'], rows: 3, seed: 0 },
  recipe: { model: {} },
};
const FIRST = {
  version: 1,
  kind: 'nn-former',
  input: 'cell',
  space: 'nasbench201',
  labels: [
    {
      name: 'ms',
      unit: 'ms',
      scale: 'log',
      interval: { coverage: 0.9, rows: 20, groups: [{ halfWidth: 1 }] },
    },
    { name: 'accuracy', unit: '%', scale: 'linear' },
  ],
  rows: 10,
  seed: 4,
  split: { seed: 4, train: 10, validation: 2, of: 12 },
  vocabulary: ['input', 'output'],
  nodes: 8,
  recipe: { cells: 'pruned', steps: 5 },
  scales: [{ scale: 'log', offset: 1, factor: 2 }],
};

describe('what a file says', () => {
  it('is read as it was written', () => {
    expect(infoOf(modelWith(SECOND))).toEqual(SECOND);
  });

  it('of version 1 is brought up to date', () => {
    expect(infoOf(modelWith(FIRST))).toEqual({
      version: 2,
      kind: 'nn-former',
      entries: [
        {
          view: 'cell',
          state: {
            space: 'nasbench201',
            form: 'pruned',
            sizes: 'fixed',
            vocabulary: ['input', 'output'],
            nodes: 8,
          },
          gives: 'values',
        },
      ],
      labels: [
        { name: 'ms', unit: 'ms', better: 'lower', transform: 'log', interval: FIRST.labels[0]!.interval },
        { name: 'accuracy', unit: '%', better: 'higher', transform: 'linear' },
      ],
      seen: { spaces: ['nasbench201'], rows: 10, seed: 4, split: FIRST.split },
      recipe: { ...FIRST.recipe, scales: FIRST.scales },
    });
    const { vocabulary: _, nodes: __, recipe: ___, scales: ____, ...features } = FIRST;
    const forest = { ...features, kind: 'forest', features: ['macs', 'depth'], options: { trees: 3 } };
    expect(infoOf(modelWith(forest))).toMatchObject({
      entries: [{ view: 'features', state: { names: ['macs', 'depth'], space: null } }],
      recipe: { model: { trees: 3 } },
    });
    expect(infoOf(modelWith({ ...features, kind: 'nnlp-network', recipe: {} })).entries).toEqual([
      { view: 'nnlqp', state: { encoding: 'nnlp' }, gives: 'values' },
    ]);
  });

  it.each([
    ['no metadata', undefined, /not an auspex predictor/],
    ['no JSON', '{"version":', /not JSON/],
    ['a list', [], /damaged/],
    ['no version', {}, /damaged at version/],
    ['no labels', { ...SECOND, labels: undefined }, /damaged at labels/],
    ['a label of no name', { ...SECOND, labels: [{}] }, /damaged at labels\.0\.name/],
    ['no entries', { ...SECOND, entries: [] }, /damaged at entries/],
    [
      'a state of another view',
      { ...SECOND, entries: [{ ...SECOND.entries[0], state: 3 }] },
      /entries\[0\]\.state/,
    ],
    [
      'an interval without groups',
      { ...FIRST, labels: [{ ...FIRST.labels[0], interval: {} }] },
      /damaged at labels/,
    ],
    [
      'an unknown kind of version 1',
      { ...FIRST, vocabulary: undefined, kind: 'magic' },
      /kind of predictor 'magic'/,
    ],
  ])('is refused with %s', (_, info, message) => {
    expect(() => infoOf(modelWith(info))).toThrow(expect.objectContaining({ code: 'NOT_A_PREDICTOR' }));
    expect(() => infoOf(modelWith(info))).toThrow(message);
  });

  it('is refused if it is of a later version, or of a view that is not known', () => {
    expect(() => infoOf(modelWith({ version: 3 }))).toThrow(
      expect.objectContaining({ code: 'PREDICTOR_TOO_NEW' }),
    );
    const entries = [{ ...SECOND.entries[0], view: 'magic' }];
    expect(() => infoOf(modelWith({ ...SECOND, entries }))).toThrow(
      expect.objectContaining({ code: 'VIEW_UNKNOWN' }),
    );
  });
});
