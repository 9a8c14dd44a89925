import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attribute, type Graph, makeGraph, makeNode, type Node } from './graph.js';
import { capturedNames, topologicalOrder, usedNames } from './order.js';
import { UNKNOWN } from './types.js';

fc.configureGlobal({ seed: 1 });

/** The order, walked as an inference walks it; `x` is an input. */
function ordered(nodes: readonly Node[], isOuter: (name: string) => boolean = () => false): Node[] {
  const known = new Set(['x']);
  const walked: Node[] = [];
  for (const node of topologicalOrder(nodes, (name) => known.has(name), isOuter)) {
    walked.push(node);
    for (const name of node.outputs) if (name !== '') known.add(name);
  }
  return walked;
}

/** A random graph in order: every node reads `x` or outputs of nodes before it. */
const graphs: fc.Arbitrary<Node[]> = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .map((reads) =>
    reads.map((from, i) =>
      makeNode(
        'Op',
        from.map((n) => (n % (i + 1) === 0 ? 'x' : `v${(n % (i + 1)) - 1}`)),
        [`v${i}`],
      ),
    ),
  );

function expectRunnable(nodes: readonly Node[]): void {
  const known = new Set(['x', '']);
  for (const node of nodes) {
    for (const name of usedNames(node)) expect(known.has(name)).toBe(true);
    for (const name of node.outputs) known.add(name);
  }
}

function branch(reads: readonly string[], gives: string): { then_branch: Attribute } {
  const graph = makeGraph({
    nodes: [makeNode('Op', reads, [gives])],
    inputs: [],
    outputs: [{ name: gives, type: UNKNOWN }],
  });
  return { then_branch: { type: 'graph', value: graph } };
}

describe('topologicalOrder', () => {
  it('puts any permutation in an order that runs, with every node once', () => {
    const shuffled = graphs.chain((nodes) =>
      fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
    );
    fc.assert(
      fc.property(shuffled, (nodes) => {
        const walked = ordered(nodes);
        expectRunnable(walked);
        expect(new Set(walked)).toEqual(new Set(nodes));
        expect(walked).toHaveLength(nodes.length);
      }),
    );
  });

  it('leaves what is in order as it is', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        expect(ordered(nodes)).toEqual(nodes);
      }),
    );
  });

  it('finds any cycle, and names a node on or behind it', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.nat(), (nodes, i, j) => {
        const [from, to] = [i % nodes.length, j % nodes.length].sort((a, b) => a - b) as [number, number];
        // The earlier node reads the later one, which is made to read the earlier one.
        const cyclic = nodes.map((node, k) => ({
          ...node,
          inputs: [...node.inputs, ...(k === from ? [`v${to}`] : []), ...(k === to ? [`v${from}`] : [])],
        }));
        expect(() => ordered(cyclic)).toThrowError(
          expect.objectContaining({
            code: 'GRAPH_CYCLE',
            where: { node: expect.stringMatching(/^v\d+$/), operator: 'Op' },
          }),
        );
      }),
    );
  });

  it('finds a second producer of a value, in the nodes and among the inputs', () => {
    const twice = [makeNode('A', [], ['v']), makeNode('B', [], ['v'], {}, { name: 'second' })];
    expect(() => ordered(twice)).toThrowError(
      expect.objectContaining({
        code: 'GRAPH_DUPLICATE_NAME',
        where: { node: 'second', operator: 'B' },
      }),
    );
    expect(() => ordered([makeNode('A', [], ['x'])])).toThrowError(
      expect.objectContaining({ code: 'GRAPH_DUPLICATE_NAME' }),
    );
    expect(() => ordered([makeNode('A', [], ['v', 'v'])])).toThrowError(
      expect.objectContaining({ code: 'GRAPH_DUPLICATE_NAME' }),
    );
  });

  it('finds a value that nothing provides', () => {
    const nodes = [makeNode('A', ['x', 'ghost'], [''], {}, { domain: 'my.ops' })];
    expect(() => ordered(nodes)).toThrowError(
      expect.objectContaining({ code: 'GRAPH_MISSING_INPUT', where: { node: '#0', operator: 'my.ops.A' } }),
    );
    expect(ordered(nodes, (name) => name === 'ghost')).toEqual(nodes);
  });

  it('lets optional inputs and unwanted outputs be', () => {
    const nodes = [makeNode('A', ['', 'x', ''], ['', '']), makeNode('B', [''], [''])];
    expect(ordered(nodes)).toEqual(nodes);
  });

  it('follows what subgraphs take from outside', () => {
    const late = makeNode('Relu', ['x'], ['y']);
    const branching = makeNode('If', ['x'], ['z'], branch(['y'], 'z'));
    expect(ordered([branching, late])).toEqual([late, branching]);
    const cyclic = makeNode('If', ['x'], ['z'], branch(['z'], 'inner'));
    expect(() => ordered([cyclic])).toThrowError(expect.objectContaining({ code: 'GRAPH_CYCLE' }));
  });

  it('sorts a long chain given backwards', () => {
    const count = 50_000;
    const nodes = Array.from({ length: count }, (_, i) =>
      makeNode('Op', [i === 0 ? 'x' : `v${i - 1}`], [`v${i}`]),
    );
    expect(ordered(nodes.toReversed())).toEqual(nodes);
  });
});

describe('capturedNames', () => {
  it('are the names a graph uses but does not define, through all levels', () => {
    const inner = branch(['a', 'own', 'deep'], 'r');
    const graph: Graph = makeGraph({
      nodes: [makeNode('Op', ['b', 'in'], ['own']), makeNode('If', ['own'], ['r2'], inner)],
      inputs: [{ name: 'in', type: UNKNOWN }],
      outputs: [
        { name: 'r2', type: UNKNOWN },
        { name: 'passed', type: UNKNOWN },
      ],
    });
    expect([...capturedNames(graph)].sort()).toEqual(['a', 'b', 'deep', 'passed']);
  });
});
