// What an open size of an input is: told by its name, its place, the type of the input and the inputs beside it. Every role
// has sizes that make sense, the first ones first.
import { isKnown, namesIn } from '../../graph/dim.js';
import { isInteger } from '../../graph/dtype.js';
import { isTensor, type Shape, type TensorType, type ValueType } from '../../graph/types.js';

type Role = keyof typeof ROLES;

interface RoleFacts {
  /** In the order in which they are tried. */
  readonly sizes: readonly number[];
  /** For people. */
  readonly what: string;
}

/** Sizes by what they are. */
export const ROLES = {
  batch: { sizes: [1], what: 'one sample' },
  side: {
    sizes: [224, 320, 640, 48, 256, 512, 192, 416, 128, 384, 448, 96, 64, 112, 299, 32, 28, 1024],
    what: 'the side of an image',
  },
  channels: { sizes: [3, 1, 4], what: 'channels' },
  tokens: { sizes: [64, 128, 32, 16, 512, 256, 8, 77], what: 'the length of a text' },
  samples: {
    sizes: [16_000, 4096, 512, 576, 784, 1024, 1536, 8000, 32_000, 48_000, 480, 256, 160, 80_000],
    what: 'samples of audio at 16 kHz',
  },
  chunk: {
    sizes: [512, 576, 256, 1536, 1024, 480, 160, 4096, 16_000],
    what: 'a piece of audio at 16 kHz',
  },
  frames: { sizes: [64, 128, 100, 96, 76, 200, 256, 300, 3000, 16, 32], what: 'frames of a sequence' },
  mels: { sizes: [80, 128, 64, 40], what: 'mel bands' },
  past: { sizes: [16, 0, 1], what: 'tokens before' },
  features: { sizes: [64, 128, 256, 512, 32, 16, 784, 1024], what: 'features' },
} as const satisfies Record<string, RoleFacts>;

/** An open size. */
export interface OpenSize {
  readonly name: string;
  readonly role: Role;
  /** The first input that has it. */
  readonly input: string;
  readonly axis: number;
}

/** What a name says, in this order. */
const BY_NAME: readonly (readonly [pattern: RegExp, role: Role])[] = [
  [/past|cache|history/i, 'past'],
  [/batch|^n$|^bs$/i, 'batch'],
  [/mel|feature_?size|n_?bands/i, 'mels'],
  [/chan/i, 'channels'],
  [/height|width|weight|^[hw]$|image|side|pixel/i, 'side'],
  [/sample|audio|wave|pcm/i, 'samples'],
  [/frame/i, 'frames'],
  [/seq|token|text|phone|word|len/i, 'tokens'],
  [/time|^t$/i, 'frames'],
  [/feat|^[cd]$/i, 'features'],
];

/** Names of inputs that are audio. */
const AUDIO = /audio|wave|pcm|sound|speech|samples|^(x|input)$|input_values|signal/i;
const STATE = /state|hidden|^(h|c)(0|n|_?in)?$|cache/i;

/** Every size that inputs leave open, by name, in the order of the inputs. */
export function openSizesOf(
  inputNames: readonly string[],
  types: ReadonlyMap<string, ValueType>,
): ReadonlyMap<string, OpenSize> {
  const found = new Map<string, OpenSize>();
  const isStreaming = inputNames.some((name) => STATE.test(name));
  for (const input of inputNames) {
    const type = types.get(input);
    if (!isTensor(type)) continue;
    (type.shape ?? []).forEach((size, axis) => {
      if (isKnown(size)) return;
      for (const name of namesIn(size)) {
        if (!found.has(name))
          found.set(name, { name, role: roleOf(name, input, type, axis, isStreaming), input, axis });
      }
    });
  }
  return found;
}

function roleOf(symbol: string, input: string, type: TensorType, axis: number, isStreaming: boolean): Role {
  const shape = type.shape ?? [];
  // A size without a name of its own is called after its input: `x[2]` says nothing.
  const hasName = !symbol.startsWith(`${input}[`);
  const named = hasName ? BY_NAME.find(([pattern]) => pattern.test(symbol))?.[1] : undefined;
  const isWhole = isInteger(type.dtype);
  const isAudio = !isWhole && shape.length <= 2 && axis === shape.length - 1 && axis > 0;
  if (isAudio && named !== 'batch' && named !== 'features' && (named !== undefined || AUDIO.test(input))) {
    return isStreaming ? 'chunk' : 'samples';
  }
  if (named !== undefined) {
    // Whole numbers are not sound, and a sequence of images is one of tokens.
    if (named === 'tokens' && !isWhole && shape.length === 3) return 'frames';
    return named === 'frames' && isWhole && shape.length <= 2 ? 'tokens' : named;
  }
  if (axis === 0 && (shape.length > 1 || isWhole)) return 'batch';
  if (STATE.test(input) && axis === 1 && shape.length === 3) return 'batch';
  if (isWhole && type.dtype !== 'uint8') return 'tokens';
  if (shape.length === 4 || (shape.length === 3 && type.dtype === 'uint8')) {
    return axis === channelAxis(shape) ? 'channels' : 'side';
  }
  if (shape.length === 2) return 'features';
  if (shape.length === 1) return 'samples';
  return 'frames';
}

/** Channels are last where the last size is the small one that is known. */
function channelAxis(shape: Shape): number {
  const last = shape.at(-1);
  return typeof last === 'number' && last <= 4 ? shape.length - 1 : shape.length - 3;
}
