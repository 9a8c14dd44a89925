// What can be counted of a network as it is, before anything is prepared for running it: parameters, and the arithmetic of
// one sample. So no batch, output or lack of memory can stop these counts.
import { type CostReport, cost } from '../../analysis/cost.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { sizeFlags, typicalSizes } from '../../analysis/typical-sizes.js';
import { type Dim, isKnown } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { AuspexError } from '../../util/errors.js';
import { boundSizes, type PrepareOptions } from './prepare.js';

export class NetworkCounts {
  readonly #inference: Inference;
  #report: CostReport | undefined;

  /** @param options sizes; where the network does not allow them, it is counted as it is written. */
  constructor(model: Model, options: PrepareOptions = {}) {
    this.#inference = sized(model, options);
  }

  get #totals(): CostReport['totals'] {
    this.#report ??= cost(this.#inference);
    return this.#report.totals;
  }

  /** Trained parameters: those that `inspect` counts. */
  get parameters(): number {
    return this.#totals.parameters;
  }

  /** Multiply-accumulates of one sample. */
  get macs(): number {
    return this.#perSample('MACs', this.#totals.macs);
  }

  /** Floating-point operations of one sample: 2·MACs and all other arithmetic. */
  get flops(): number {
    return this.#perSample('FLOPs', this.#totals.flops);
  }

  #perSample(what: string, count: Dim): number {
    const { graph, model } = this.#inference;
    const first = graph.inputNames.find((name) => !model.graph.initializers.has(name));
    const type = graph.types.get(first ?? '');
    const samples = (isTensor(type) ? type.shape?.[0] : undefined) ?? 1;
    if (isKnown(count) && isKnown(samples)) return count / samples;
    const open = [...typicalSizes(graph).keys()];
    // Sizes that no input has, such as the number of boxes that are found, cannot be given.
    throw open.length === 0
      ? new AuspexError('PROXY_SHAPES', `${what} depend on sizes that are only known when the network runs`)
      : new AuspexError('PROXY_SHAPES', `${what} depend on sizes that are not known: ${open.join(', ')}`, {
          hint: `give them, for example with ${sizeFlags(graph)}`,
        });
  }
}

/** With the sizes that are wanted; as it is written where they do not fit. */
function sized(model: Model, options: PrepareOptions): Inference {
  try {
    return boundSizes(model, options);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return inferShapes(model);
  }
}
