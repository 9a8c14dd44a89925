// What can be counted of a network as it is, before anything is prepared for running it: parameters, and the arithmetic of
// one sample. So no batch, output or lack of memory can stop these counts.
import { type CostReport, cost } from '../../analysis/cost.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown, symbolsIn } from '../../graph/dim.js';
import { hasSubgraphs, type Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { settledInference } from '../../transform/sizes.js';
import { AuspexError } from '../../util/errors.js';
import { measuredInference } from './measured-sizes.js';
import { normalise } from './normalise.js';
import { boundSizes, type PrepareOptions } from './prepare.js';

/** How many open sizes a hint names. */
const NAMED_SIZES = 4;

export class NetworkCounts {
  readonly #inference: Inference;
  readonly #parameters: CostReport | undefined;
  readonly #model: Model;
  readonly #options: PrepareOptions;
  #report: CostReport | undefined;
  #asScored: Inference | undefined;

  /**
   * @param options sizes; where the network does not allow them, it is counted as it is written
   * @param inference its shapes, where they are known
   */
  constructor(model: Model, options: PrepareOptions = {}, inference = sized(model, options)) {
    this.#model = model;
    this.#options = options;
    this.#inference = inference;
    const { dims = {}, shapes = {} } = options;
    const isTold = Object.keys(dims).length + Object.keys(shapes).length > 0;
    // A batch, or a size that was chosen, may decide which branch runs: `inspect` counts the weights of both.
    this.#parameters = !isTold && model.graph.nodes.some(hasSubgraphs) ? cost(inferShapes(model)) : undefined;
  }

  /** Of a network whose sizes depend on the data: those of a run. */
  static async measured(model: Model, options: PrepareOptions = {}): Promise<NetworkCounts> {
    const { dims, shapes } = options;
    const given = { ...(dims && { dims }), ...(shapes && { shapes }) };
    return new NetworkCounts(model, options, await measuredInference(model, given));
  }

  get #totals(): CostReport['totals'] {
    this.#report ??= cost(this.#inference);
    return this.#report.totals;
  }

  /** Of the network as it is scored, for what is not known of it as it is written: branches that sizes decide. */
  get #scored(): Inference {
    this.#asScored ??= inferShapes(normalise(this.#model, this.#options).model);
    return this.#asScored;
  }

  /** Trained parameters: those that `inspect` counts. */
  get parameters(): number {
    return this.#parameters?.totals.parameters ?? this.#totals.parameters;
  }

  /** Multiply-accumulates of one sample. */
  get macs(): number {
    return this.#perSample('MACs', 'macs');
  }

  /** Floating-point operations of one sample: 2·MACs and all other arithmetic. */
  get flops(): number {
    return this.#perSample('FLOPs', 'flops');
  }

  #perSample(what: string, count: 'macs' | 'flops'): number {
    const written = this.#totals[count];
    const samples = samplesOf(this.#inference);
    if (isKnown(written) && isKnown(samples)) return written / samples;
    const scored = cost(this.#scored).totals[count];
    const own = samplesOf(this.#scored);
    if (isKnown(scored) && isKnown(own)) return scored / own;
    const open = [...new Set([written, samples].flatMap(symbolsIn))];
    const flags = open.slice(0, NAMED_SIZES).map((size) => `--dim ${size}=SIZE`);
    throw new AuspexError('PROXY_SHAPES', `${what} depend on sizes that are not known: ${open.join(', ')}`, {
      hint: `fix them: ${flags.join(' ')}${open.length > NAMED_SIZES ? ' …' : ''}, or --shape INPUT=…`,
    });
  }
}

/** The first size of the first input. */
function samplesOf({ graph, model }: Inference): Dim {
  const first = graph.inputNames.find((name) => !model.graph.initializers.has(name));
  const type = graph.types.get(first ?? '');
  return (isTensor(type) ? type.shape?.[0] : undefined) ?? 1;
}

/** With the sizes that are wanted, and sensible ones for what is open; as it is written where they do not fit. */
function sized(model: Model, options: PrepareOptions): Inference {
  try {
    return settledInference(boundSizes(model, options));
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return settledInference(inferShapes(model));
  }
}
