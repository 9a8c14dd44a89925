// The encoder that heads are put on: any predictor that embeds networks. It is run once for all rows, and then written into
// the file of the heads.
import { isKnown } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { entryModel, outputOf } from '../entries.js';
import { inlined } from '../inline.js';
import type { Entry, Json, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import type { GraphSet } from '../views/view.js';

/** The entry of a file of heads that gives what its encoder does. */
export const ENCODER = 'encoder';

export interface Encoder {
  /** With one output, (batch, width). */
  readonly model: Model;
  readonly view: string;
  readonly state: Json;
  readonly width: number;
}

/** The encoder of a predictor: of a file of heads the one inside, else the predictor itself, if it embeds networks. */
export function encoderOf({ info, model }: Pick<Predictor, 'info' | 'model'>): Encoder | undefined {
  const inner = info.entries.find(({ name, gives }) => name === ENCODER && gives === 'latent');
  const entry =
    inner ?? (isEncoder(info.entries) ? info.entries.find(({ gives }) => gives === 'latent') : undefined);
  if (entry === undefined) return undefined;
  const { view, state } = inner === undefined ? entry : leading(entry);
  return encoder(entryModel(model, [outputOf(entry)]), view, state);
}

/** Of a model that embeds what a view gives. */
export function encoder(model: Model, view: string, state: Json): Encoder {
  const type = model.graph.outputs[0]?.type;
  const width = type && isTensor(type) ? type.shape?.[1] : undefined;
  if (width === undefined || !isKnown(width)) throw new Error('the encoder does not say how wide it is');
  return { model: { ...model, metadata: new Map() }, view, state, width };
}

/** Latents that are made to be compared are no embedding for others. */
function isEncoder(entries: readonly Entry[]): boolean {
  return entries.every(({ gives }) => gives === 'latent');
}

/** Heads see what the encoder does and features beside it. */
function leading({ view, state }: Entry): Pick<Entry, 'view' | 'state'> {
  const own = view.replace(/(\+features)+$/, '');
  return own === view ? { view, state } : { view: own, state: (state as readonly Json[])[0] };
}

/** What the encoder gives for all rows of a set: (rows, width). */
export async function embedded({ model }: Encoder, set: GraphSet, threads: number): Promise<Float64Array> {
  const runner = new Runner(model, { threads });
  try {
    return await runner.runAll([model.graph.outputs[0]!.name], set);
  } finally {
    await runner.dispose();
  }
}

/** The encoder in a graph: (batch, width). */
export function encoded(s: Scope, { model }: Encoder, inputs: Inputs): Value {
  return inlined(s.at(ENCODER), model, inputs)[model.graph.outputs[0]!.name]!;
}
