// Which inputs of a network have a batch, and at which axis.
import { type Dim, isKnown } from '../../graph/dim.js';
import type { ValueInfo } from '../../graph/graph.js';
import { isTensor, type Shape } from '../../graph/types.js';
import { AuspexError } from '../../util/errors.js';

/** The batch of a network: its size, and where inputs may have it. */
export interface BatchedInputs {
  /** 1 where it is open. */
  readonly was: number;
  /** Its name where it is open and has one. */
  readonly name: string | undefined;
  /** For every input, the axes that may be the batch, the likeliest first; undefined: none. */
  readonly axes: ReadonlyMap<string, readonly (number | undefined)[]>;
}

/** States of recurrent layers: (layers, batch, features). */
const STATE = /^(h|c|hx|cx)?_?(state|hidden|cell|h|c|h0|c0|hn|cn|rnn)(_?in|_?\d+|s)?$|state|hidden/i;
/** Numbers that are the same for all samples. */
const SETTING =
  /thresh|iou|speed|scale|rate|^sr$|max|min|temperature|config|use_|flag|top_?k|alpha|beta|sigma/i;

/** @throws AuspexError BATCH_NONE if no input has an axis that could be the batch */
export function batchedInputs(inputs: readonly ValueInfo[]): BatchedInputs {
  const shapes = inputs.map((info) => ({ ...info, shape: shapeOf(info) }));
  const main = shapes
    .filter(({ shape }) => (shape?.length ?? 0) > 0)
    .toSorted((a, b) => weight(b.name, b.shape!) - weight(a.name, a.shape!))[0];
  if (main === undefined) {
    throw new AuspexError('BATCH_NONE', 'no input of the network has an axis that could be a batch', {
      hint: 'leave out --batch',
    });
  }
  const first = main.shape![0]!;
  const was = isKnown(first) ? first : 1;
  const name = isKnown(first) || String(first) === '?' ? undefined : String(first);
  const axes = new Map(
    shapes.map(({ name: input, shape }) => [
      input,
      input === main.name ? [0] : candidates(input, shape ?? [], was, first),
    ]),
  );
  return { was, name, axes };
}

function shapeOf({ type }: ValueInfo): Shape | undefined {
  return isTensor(type) ? type.shape : undefined;
}

/** What is likely the data: the larger the more likely, states and settings last. */
function weight(name: string, shape: Shape): number {
  const size = shape.reduce<number>((n, d) => n * (isKnown(d) ? d : 100), 1);
  if (shape.length < 2) return Math.min(size, 2) / 10;
  return STATE.test(name) || /past|cache/i.test(name) ? 0.5 : size;
}

function candidates(name: string, shape: Shape, was: number, batch: Dim): readonly (number | undefined)[] {
  if (shape.length === 0) return [undefined];
  const text = String(batch);
  const isNamed = !isKnown(batch) && text !== '?';
  if (isNamed) {
    const at = shape.findIndex((d) => String(d) === text);
    if (at >= 0) return [at];
  }
  const fits = (d: Dim | undefined): boolean => d !== undefined && (isKnown(d) ? d === was : !isKnown(batch));
  const found = [0, 1].filter((axis) => fits(shape[axis]));
  if (found.length === 0) return [undefined];
  if (shape.length === 1) return SETTING.test(name) ? [undefined, 0] : [0, undefined];
  const isState = shape.length >= 3 && STATE.test(name) && found.includes(1);
  return [...(isState ? found.toReversed() : found), undefined];
}
