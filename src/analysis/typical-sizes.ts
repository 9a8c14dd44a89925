// Sizes to suggest where a network leaves them open: what the name of a size, its place and the type of its input say.
// They go into hints, so that a user who follows one gets a number that means something.
import { isKnown, symbolsIn } from '../graph/dim.js';
import { isInteger } from '../graph/dtype.js';
import { isTensor, type TensorType, type ValueType } from '../graph/types.js';
import type { InferredGraph } from './infer.js';

const BATCH = 1;
const IMAGE_SIDE = 224;
const TOKENS = 128;
const SAMPLES = 16_000;
const CHANNELS = 3;

/** What a name says, in this order. */
const BY_NAME: readonly (readonly [pattern: RegExp, size: number])[] = [
  [/past|cache|history/i, 16],
  [/batch|^n$/i, BATCH],
  [/seq|token|text|len/i, TOKENS],
  [/chan/i, CHANNELS],
  [/height|width|^[hw]$|image|side/i, IMAGE_SIDE],
  [/sample|audio|wave/i, SAMPLES],
  [/frame|time/i, TOKENS],
];

/** A typical value of every size that the inputs of a network leave open, by name. */
export function typicalSizes(
  graph: Pick<InferredGraph, 'inputNames' | 'types'>,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const input of graph.inputNames) {
    const type: ValueType | undefined = graph.types.get(input);
    if (!isTensor(type)) continue;
    (type.shape ?? []).forEach((size, axis) => {
      if (isKnown(size)) return;
      for (const symbol of symbolsIn(size)) {
        if (!found.has(symbol)) found.set(symbol, typicalSize(symbol, input, type, axis));
      }
    });
  }
  return found;
}

/** The flags that fix those sizes: `--dim batch=1 --dim height=224`; empty if all are fixed. */
export function sizeFlags(graph: Pick<InferredGraph, 'inputNames' | 'types'>): string {
  const flags = [...typicalSizes(graph)].map(([symbol, size]) => {
    const assignment = `${symbol}=${size}`;
    return `--dim ${/^[\w.=]+$/.test(assignment) ? assignment : `'${assignment}'`}`;
  });
  return flags.join(' ');
}

function typicalSize(symbol: string, input: string, type: TensorType, axis: number): number {
  // A size without a name of its own is called after its input: `x[2]` says nothing.
  const named =
    symbol === `${input}[${axis}]` ? undefined : BY_NAME.find(([pattern]) => pattern.test(symbol));
  if (named !== undefined) return named[1];
  const shape = type.shape ?? [];
  if (axis === 0) return BATCH;
  if (type.dtype !== undefined && isInteger(type.dtype)) return TOKENS;
  if (shape.length === 4) {
    // Channels last where the last size is the small one that is known.
    const last = shape[3];
    const isChannelsLast = typeof last === 'number' && last <= 4;
    const channels = isChannelsLast ? 3 : 1;
    return axis === channels ? CHANNELS : IMAGE_SIDE;
  }
  if (shape.length === 2) return SAMPLES;
  return TOKENS;
}
