// What an input of a network is, as far as its name, its type, its place and the nodes that read it tell.

import { isFloat } from '../graph/dtype.js';
import type { Model, ValueInfo } from '../graph/graph.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { inputsOf, traitsOf } from '../ops/index.js';
import type { Lookup } from './lookups.js';

export type Meaning =
  /** Normal numbers: images, features, audio. */
  | { readonly kind: 'numbers' }
  /** Whole numbers from 0 to below a bound, evenly. */
  | { readonly kind: 'tokens'; readonly below: number; readonly isCertain: boolean }
  /** Bytes of images: 0 to 255. */
  | { readonly kind: 'bytes' }
  /** The same number everywhere. */
  | { readonly kind: 'same'; readonly value: number; readonly what: string }
  /** 0, 1, 2 … along the last axis. */
  | { readonly kind: 'positions' }
  /** Numbers of one row, repeated. */
  | { readonly kind: 'row'; readonly values: readonly number[]; readonly what: string };

/** 16 kHz, what most networks for speech were trained at. */
const SAMPLE_RATE = 16_000;

interface Named {
  readonly pattern: RegExp;
  /** Whether the input may have more than a few elements. */
  readonly isLarge?: true;
  readonly value: number;
  readonly what: string;
}

/** What names say, in this order. */
const BY_NAME: readonly Named[] = [
  { pattern: /use_?cache/i, value: 0, what: 'no cache' },
  { pattern: /token_?type|segment/i, isLarge: true, value: 0, what: 'token types' },
  { pattern: /past|cache|memory/i, isLarge: true, value: 0, what: 'a state' },
  {
    pattern: /^(h|c|hx|cx|h0|c0|h_?in|c_?in|hidden|cell)$|state|hidden_?in/i,
    isLarge: true,
    value: 0,
    what: 'a state',
  },
  { pattern: /mask/i, isLarge: true, value: 1, what: 'a mask' },
  { pattern: /sampl(e|ing)_?rate|^sr$|_sr$/i, value: SAMPLE_RATE, what: 'a sample rate' },
  { pattern: /iou/i, value: 0.45, what: 'a threshold' },
  { pattern: /thresh|conf|score|prob/i, value: 0.5, what: 'a threshold' },
  { pattern: /max_?(det|box|num|out)|top_?k|num_/i, value: 100, what: 'a number of results' },
  { pattern: /speed|scale|temperature|rate|factor|ratio|alpha/i, value: 1, what: 'a factor' },
];

/** Noise, length and width of phonemes, as networks of VITS name them together. */
const VITS_SCALES = [0.667, 1, 0.8];
const FEW = 8;

interface MeaningContext {
  readonly model: Model;
  readonly types: ReadonlyMap<string, ValueType>;
  readonly lookups: readonly Lookup[];
  /** How many different tokens there are where tables do not tell. */
  readonly vocabulary: number;
}

/** What an input is taken for. */
export function meaningOf({ name, type }: ValueInfo, context: MeaningContext): Meaning {
  const dtype = isTensor(type) ? type.dtype : undefined;
  const dims = (isTensor(type) ? type.shape : undefined) ?? [];
  const size = dims.reduce<number>((n, d) => n * Number(d), 1);
  const isWhole = /^u?int/.test(dtype ?? '');
  if (isWhole && /position/i.test(name)) return { kind: 'positions' };
  const named = BY_NAME.find(({ pattern, isLarge }) => pattern.test(name) && (isLarge || size <= FEW));
  const below = boundOf(name, context);
  // A table of two rows is one of token types; masks may be looked up, too.
  if (below !== undefined && (named === undefined || named.value >= below.below))
    return { kind: 'tokens', ...below };
  if (/scales/i.test(name) && size === VITS_SCALES.length) {
    return { kind: 'row', values: VITS_SCALES, what: 'noise, length and width scales' };
  }
  if (isWhole && size <= Math.max(FEW, Number(dims[0] ?? 1)) && /len(gth)?s?$/i.test(name)) {
    return { kind: 'same', value: fullLength(name, context), what: 'the full length' };
  }
  if (isFloat(dtype) && isInitialState(name, context.model))
    return { kind: 'same', value: 0, what: 'a state' };
  const isImageMask = dtype === 'uint8' && dims.length >= 3;
  if (named !== undefined && !isImageMask) return { kind: 'same', value: named.value, what: named.what };
  if (dtype === 'uint8') return { kind: 'bytes' };
  if (dtype === 'bool') return { kind: 'same', value: 1, what: 'true' };
  if (isWhole && /(^|_)ids?$|token|text|phone/i.test(name) && dims.length > 0) {
    return { kind: 'tokens', below: Math.max(2, Math.min(context.vocabulary, 100)), isCertain: false };
  }
  return isWhole ? { kind: 'same', value: 1, what: 'ones' } : { kind: 'numbers' };
}

function boundOf(
  input: string,
  { lookups, vocabulary }: MeaningContext,
): { below: number; isCertain: boolean } | undefined {
  const own = lookups.filter((lookup) => lookup.input === input);
  if (own.length === 0) return undefined;
  const direct = own.filter((lookup) => lookup.isDirect).map((lookup) => lookup.rows);
  if (direct.length > 0) return { below: Math.min(...direct), isCertain: true };
  return { below: Math.max(vocabulary, ...own.map((lookup) => lookup.rows)), isCertain: false };
}

/** Whether a recurrent layer starts from an input. */
function isInitialState(name: string, { graph }: Model): boolean {
  return graph.nodes.some(
    (node) =>
      traitsOf(node).recurrent &&
      node.inputs.some((input, i) => input === name && /^initial/.test(inputsOf(node).names[i] ?? '')),
  );
}

/** The length of what an input called `x_lengths` belongs to: the second size of `x`, else of the first long input. */
function fullLength(name: string, { model, types }: MeaningContext): number {
  const stem = name.replace(/_?len(gth)?s?$/i, '');
  const shapes = model.graph.inputs
    .filter((info) => info.name !== name && !model.graph.initializers.has(info.name))
    .map((info) => ({ name: info.name, shape: sizesOf(types.get(info.name) ?? info.type) }))
    .filter(({ shape }) => shape.length >= 2);
  const own =
    shapes.find((info) => stem !== '' && info.name === stem) ??
    shapes.find((info) => info.name.startsWith(stem));
  const shape = (own ?? shapes[0])?.shape ?? [1, 1];
  // Of (batch, features, time) and (batch, time, features) the time is the one that is no usual number of features.
  const [, second = 1, third] = shape;
  return third !== undefined && /^(40|64|80|128)$/.test(String(second)) ? third : second;
}

function sizesOf(type: ValueType): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map(Number);
}

/** How a report says it. */
export function meaningText(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'numbers':
      return 'normal numbers';
    case 'tokens':
      return `token ids below ${meaning.below}`;
    case 'bytes':
      return 'bytes from 0 to 255';
    case 'positions':
      return 'positions 0, 1, 2 …';
    case 'same':
      return /true|ones|full/.test(meaning.what) ? meaning.what : `${meaning.what}: ${meaning.value}`;
    case 'row':
      return `${meaning.what}: ${meaning.values.join(', ')}`;
  }
}
