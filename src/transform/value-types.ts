// What is known of the values of a model where they stand: in its graph, in the graphs that nodes run, in functions.
import { type InferredGraph, inferShapes } from '../analysis/infer.js';
import { axisSize, sameDim } from '../graph/dim.js';
import type { FunctionDefinition, Graph, Model } from '../graph/graph.js';
import { isTensor, TensorType, UNKNOWN, type ValueType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';

/** Where names have a meaning. */
export type Place = Graph | FunctionDefinition;

/** The types of all values, by place. A body that runs more than once has what holds in all runs. */
export class ValueTypes {
  readonly #types = new Map<Place, Map<string, ValueType>>();
  /** Why nothing is known, where inference failed. */
  readonly problem: AuspexError | undefined;

  constructor(model: Model) {
    try {
      this.#note(model, model.graph, inferShapes(model).graph);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      this.problem = error;
    }
  }

  /** The types of the values that a place defines. */
  of(place: Place): ReadonlyMap<string, ValueType> | undefined {
    return this.#types.get(place);
  }

  #note(model: Model, place: Place, inferred: InferredGraph): void {
    const known = this.#types.get(place);
    if (known === undefined) this.#types.set(place, new Map(inferred.types));
    else for (const [name, type] of inferred.types) known.set(name, common(name, known.get(name), type));
    for (const { node, call, isFunction } of inferred.nodes) {
      for (const { name, graph } of call.bodies) {
        const attribute = node.attributes.get(name);
        const own = isFunction
          ? model.functions.find((f) => f.name === node.opType && f.domain === node.domain)
          : attribute?.type === 'graph'
            ? attribute.value
            : undefined;
        if (own) this.#note(model, own, graph as InferredGraph);
      }
    }
  }
}

/** What holds for both; sizes that differ are left open. */
function common(name: string, a: ValueType | undefined, b: ValueType): ValueType {
  if (!isTensor(a) || !isTensor(b) || a.dtype !== b.dtype) return UNKNOWN;
  if (a.shape === undefined || a.shape.length !== b.shape?.length) return new TensorType(a.dtype, undefined);
  const shape = a.shape.map((size, i) => (sameDim(size, b.shape![i]!) ? size : axisSize(name, i)));
  const isSame = a.mayBeKnown && b.mayBeKnown && String(a.elements) === String(b.elements);
  return isSame ? a : new TensorType(a.dtype, shape);
}
