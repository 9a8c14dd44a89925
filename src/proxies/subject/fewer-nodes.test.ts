// The oracle is the graph itself, as ONNX Runtime computes it before and after.
import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../analysis/infer.js';
import { gradients } from '../../autodiff/gradients.js';
import { type Model, makeGraph, makeModel } from '../../graph/graph.js';
import { Builder } from '../../ops/build.js';
import { Session } from '../../runtime/session.js';
import { spaceNamed } from '../../spaces/index.js';
import { compacted } from './fewer-nodes.js';
import { lossFeeds, lossModel } from './loss.js';
import { Subject } from './subject.js';

const compact = (model: Model): Model =>
  compacted(model, new Builder({ opsets: model.opsetImports, types: inferShapes(model).graph.types }));

const SPACES = ['nasbench201', 'fbnet', 'autoformer-tiny', 'lts-gpt2'];

function subjectOf(name: string): Subject {
  const space = spaceNamed(name);
  const options = { batch: 2, width: 0.0625, ...(space.defaults.input === 'image' && { resolution: 32 }) };
  const sizes = space.defaults.input === 'image' ? {} : { resolution: 8, classes: 50 };
  return Subject.of(space.network(space.parse(space.example), { ...options, ...sizes }));
}

describe('a graph in fewer nodes', () => {
  it.each(SPACES)('gives the same gradients, of %s', async (name) => {
    const subject = subjectOf(name);
    const { model, loss } = lossModel(subject);
    const whole = gradients(
      model,
      loss,
      subject.layers.map((layer) => layer.weight),
    ).model;
    const smaller = compact(whole);
    expect(smaller.graph.nodes.length).toBeLessThan(whole.graph.nodes.length);
    expect(smaller.graph.outputs).toEqual(whole.graph.outputs);
    const results = [];
    for (const run of [whole, smaller]) {
      const session = await Session.create(run, { optimization: 'disabled', threads: 1 });
      results.push(await session.run(await lossFeeds(subject, 0)));
      await session.dispose();
    }
    const [before, after] = results;
    for (const { name: output } of whole.graph.outputs) {
      expect(after![output]!.data, output).toEqual(before![output]!.data);
    }
  });

  it('keeps the statistics of two normalisations apart, as ONNX Runtime writes over them', () => {
    const b = new Builder({ opsets: new Map([['', 20]]) });
    const x = b.input('x', 'float32', [2, 3, 4, 4]);
    const [ones, zeros] = [b.constant([1, 1, 1], 'float32'), b.constant([0, 0, 0], 'float32')];
    const normalise = (value: typeof x) =>
      b.apply(
        'BatchNormalization',
        [value, ones, zeros, zeros.neg(), ones.neg()],
        { training_mode: 1, momentum: 0 },
        { outputs: 3 },
      )[0]!;
    const y = normalise(normalise(x).relu());
    const model = modelOf(b, [y.name]);
    const { nodes } = compact(model).graph;
    expect(nodes.filter((node) => node.opType === 'Neg')).toHaveLength(4);
  });

  it('reads what is repeated before it is, but not where nothing else says the size', () => {
    const b = new Builder({ opsets: new Map([['', 20]]) });
    const [x, row] = [b.input('x', 'float32', [4, 3]), b.input('row', 'float32', [1, 3])];
    const both = x.add(row.expand([4, 3]));
    const alone = row.expand([4, 3]).mul(row.expand([4, 3]));
    const { nodes } = compact(modelOf(b, [both.name, alone.name])).graph;
    const inputs = (name: string) => nodes.find((node) => node.outputs[0] === name)!.inputs;
    expect(inputs(both.name)).toEqual(['x', 'row']);
    // One of the two must stay.
    expect(inputs(alone.name).filter((name) => name === 'row')).toHaveLength(1);
  });

  it('never draws once what is drawn twice', () => {
    const b = new Builder({ opsets: new Map([['', 20]]) });
    const draw = () => b.op('RandomNormal', [], { shape: [4] });
    const y = draw().sub(draw());
    expect(compact(modelOf(b, [y.name])).graph.nodes).toHaveLength(3);
  });
});

function modelOf(b: Builder, outputs: readonly string[]): Model {
  return makeModel(
    makeGraph({
      name: 'test',
      nodes: b.nodes,
      inputs: b.inputs,
      outputs: outputs.map((name) => ({ name, type: b.types.get(name)! })),
      initializers: b.initializers,
    }),
    { opsetImports: b.opsets },
  );
}
