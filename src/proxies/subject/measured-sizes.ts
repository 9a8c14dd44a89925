// Sizes that only a run tells: how many boxes are left, how long a sentence is when it is spoken. The network runs once, as it
// is, on inputs that are made up, and gives the sizes of its values instead of the values.
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { namesIn } from '../../graph/dim.js';
import { type Model, makeNode } from '../../graph/graph.js';
import { isTensor, TensorType, type ValueType } from '../../graph/types.js';
import { firstRun } from '../../inputs/trial.js';
import { Session, type SessionOptions } from '../../runtime/session.js';
import type { GivenSizes } from '../../transform/sizes.js';

const prefix = 'auspex.sizes/';

/**
 * Shapes of a network with the sizes of a run, where they are not known otherwise.
 *
 * @throws AuspexError if it cannot be run
 */
export async function measuredInference(
  model: Model,
  given: GivenSizes = {},
  options: SessionOptions = {},
): Promise<Inference> {
  const open = withNewSizes(inferShapes(model, given));
  const session = await Session.create(withSizes(model, open), {
    ...options,
    optimization: 'disabled',
    memoryArena: false,
    memoryPattern: false,
    seed: 0,
  });
  try {
    const { inputs, result } = await firstRun(model, (feeds) => session.run(feeds), { given });
    const shapes = Object.fromEntries(Object.entries(inputs).map(([name, { dims }]) => [name, dims]));
    const measured = new Map(open.map((name) => [name, Array.from(result[prefix + name]!.data, Number)]));
    return inferShapes(model, { shapes, measured });
  } finally {
    await session.dispose();
  }
}

/** Values with a size that no value before them has; all others follow from theirs. */
export function withNewSizes({ graph }: Inference): string[] {
  const known = new Set(graph.inputNames.flatMap((name) => namesOf(graph.types.get(name))));
  return graph.nodes
    .flatMap(({ node }) => node.outputs)
    .filter((name) => {
      const type = name === '' ? undefined : graph.types.get(name);
      if (!isTensor(type)) return false;
      const fresh = namesOf(type).filter((size) => !known.has(size));
      for (const size of fresh) known.add(size);
      return type.shape === undefined || fresh.length > 0;
    });
}

function namesOf(type: ValueType | undefined): string[] {
  return isTensor(type) ? (type.shape ?? []).flatMap((size) => [...namesIn(size)]) : [];
}

/** The model with the sizes of some values in the place of its outputs. */
function withSizes({ graph, ...model }: Model, names: readonly string[]): Model {
  const outputs = names.map((name) => ({ name: prefix + name, type: new TensorType('int64', undefined) }));
  const nodes = names.map((name) => makeNode('Shape', [name], [prefix + name]));
  return { ...model, graph: { ...graph, nodes: [...graph.nodes, ...nodes], outputs } };
}
