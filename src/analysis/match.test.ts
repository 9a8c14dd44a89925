import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import type { Model } from '../graph/graph.js';
import { Random } from '../util/random.js';
import { inferShapes } from './infer.js';
import { matchGraphs } from './match.js';
import { type GraphText, modelOf, tensor } from './models.testing.js';

const match = (a: Model, b: Model) => matchGraphs(inferShapes(a).graph, inferShapes(b).graph);

/** Twelve equal blocks with a skip around each, and a head. */
function blocks(
  count: number,
  edit: (line: string, block: number) => readonly string[] = (line) => [line],
): GraphText {
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const x = i === 0 ? 'x' : `s${i - 1}`;
    lines.push(
      ...edit(`c${i} = Conv(${x}, w${i}) pads=1,1,1,1`, i),
      ...edit(`r${i} = Relu(c${i})`, i),
      ...edit(`s${i} = Add(r${i}, ${x})`, i),
    );
  }
  return {
    inputs: ['x: n,4,8,8'],
    nodes: [...lines, `y = GlobalAveragePool(s${count - 1})`],
    outputs: ['y'],
    initializers: Array.from({ length: count }, (_, i) => tensor(`w${i}`, [4, 4, 3, 3])),
  };
}

describe('matchGraphs', () => {
  it('pairs all nodes of a network with its copy of other names and order', () => {
    const text = blocks(12);
    const renamed = JSON.parse(
      JSON.stringify(text.nodes).replace(/\b([crs])(\d+)\b/g, '$1_$2_other'),
    ) as string[];
    const model = modelOf(text);
    const other = modelOf({ ...text, nodes: renamed });
    const shuffled = {
      ...other,
      graph: { ...other.graph, nodes: [...other.graph.nodes].sort((p, q) => (p.name < q.name ? 1 : -1)) },
    };
    const { pairs, removed, added } = match(model, shuffled);
    expect(removed).toEqual([]);
    expect(added).toEqual([]);
    expect(pairs.flatMap(({ differences }) => differences)).toEqual([]);
    for (const { a, b } of pairs) {
      expect(b.node.outputs[0]!.replace(/_(\d+)_other/, '$1')).toBe(a.node.outputs[0]);
    }
  });

  it('tells an added node, a removed one and a changed attribute apart', () => {
    const model = modelOf(blocks(12));
    const edited = modelOf(
      blocks(12, (line, i) => {
        if (i === 3 && line.startsWith('r3')) return ['q3 = Sigmoid(c3)', 'r3 = Relu(q3)'];
        if (i === 7 && line.startsWith('r7')) return [];
        if (i === 7 && line.startsWith('s7')) return ['s7 = Add(c7, s6)'];
        if (i === 9 && line.startsWith('c9'))
          return [line.replace('pads=1,1,1,1', 'pads=2,2,2,2 dilations=2,2')];
        return [line];
      }),
    );
    const { pairs, removed, added } = match(model, edited);
    expect(added.map(({ node }) => node.opType)).toEqual(['Sigmoid']);
    expect(removed.map(({ node }) => node.outputs[0])).toEqual(['r7']);
    const changed = pairs.filter(({ differences }) => differences.length > 0);
    expect(changed.map(({ a, differences }) => [a.node.outputs[0], differences])).toEqual([
      ['c9', ['attribute pads: 1,1,1,1 → 2,2,2,2', 'attribute dilations: none → 2,2']],
    ]);
  });

  it('notices an edge that goes elsewhere', () => {
    const model = modelOf(blocks(6));
    const edited = modelOf(blocks(6, (line) => [line.startsWith('s4') ? 's4 = Add(r4, s2)' : line]));
    const { pairs, removed, added } = match(model, edited);
    expect([removed, added]).toEqual([[], []]);
    const changed = pairs.filter(({ differences }) => differences.length > 0);
    expect(changed.map(({ a, differences }) => [a.node.outputs[0], differences])).toEqual([
      ['s4', ['input 1 reads another value']],
    ]);
  });

  it('says once where sizes begin to differ, and takes defaults for what they are', () => {
    const text: GraphText = {
      inputs: ['x: 1,4,8,8'],
      nodes: ['a = Relu(x)', 'b = Flatten(a)', 'y = Relu(b)'],
      outputs: ['y'],
    };
    const other: GraphText = { ...text, nodes: ['a = Relu(x)', 'b = Flatten(a) axis=2', 'y = Relu(b)'] };
    const explicit: GraphText = { ...text, nodes: ['a = Relu(x)', 'b = Flatten(a) axis=1', 'y = Relu(b)'] };
    expect(match(modelOf(text), modelOf(explicit)).pairs.flatMap((p) => p.differences)).toEqual([]);
    expect(match(modelOf(text), modelOf(other)).pairs.flatMap((p) => p.differences)).toEqual([
      'attribute axis: none → 2',
      'output: float32[1,256] → float32[4,64]',
    ]);
  });

  it('accounts for every node exactly once, whatever was deleted', () => {
    const random = Random.seeded(1);
    for (let trial = 0; trial < 20; trial++) {
      const gone = new Set(Array.from({ length: 3 }, () => random.below(10)));
      const a = modelOf(blocks(10));
      const b = modelOf(
        blocks(10, (line, i) =>
          gone.has(i) && line.startsWith('r') ? [line.replace('Relu', 'Tanh')] : [line],
        ),
      );
      const { pairs, removed, added } = match(a, b);
      expect(pairs.length + removed.length).toBe(a.graph.nodes.length);
      expect(pairs.length + added.length).toBe(b.graph.nodes.length);
      expect(new Set(pairs.map((p) => p.b)).size).toBe(pairs.length);
      expect(removed.map(({ node }) => node.opType)).toEqual(Array.from(gone, () => 'Relu'));
      expect(added.map(({ node }) => node.opType)).toEqual(Array.from(gone, () => 'Tanh'));
    }
  });
});
