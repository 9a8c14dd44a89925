// The options that fix sizes of networks, the same in every command.
import { type Command, InvalidArgumentError } from 'commander';
import type { Sizes } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import { wholeNumber } from './command.js';

export interface SizeFlags {
  batch?: number;
  resolution?: number;
  width?: number;
  classes?: number;
  dim?: Record<string, number>;
  shape?: Record<string, (number | string)[]>;
}

/**
 * Adds --batch, --resolution, --width, --classes, --dim and --shape.
 *
 * @param batch what the help says of the batch, with the command's default
 */
export function withSizes(command: Command, batch = 'batch size (1)'): Command {
  return command
    .option('--batch <n>', batch, atLeastOne)
    .option('--resolution <n>', 'side of input images, or number of tokens', atLeastOne)
    .option('--width <factor>', "a space's hidden widths, relative to the paper's (1)", factor)
    .option('--classes <n>', 'number of classes, or vocabulary size, of a space', atLeastOne)
    .option('--dim <name=size>', 'fix a symbolic dimension: seq=128 (repeatable)', parseDimension)
    .option('--shape <input=dims>', 'fix the shape of an input: x=1x3x224x224 (repeatable)', parseShape);
}

/** The sizes that were given. */
export function sizesFrom({ batch, resolution, width, classes, dim, shape }: SizeFlags): Sizes {
  return {
    ...(batch === undefined ? {} : { batch }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(width === undefined ? {} : { width }),
    ...(classes === undefined ? {} : { classes }),
    ...(dim === undefined ? {} : { dims: dim }),
    ...(shape === undefined ? {} : { shapes: shape }),
  };
}

/** `input=1x3x224x224` or `input=batch,3,224,224`; `input=` is a scalar. */
export function parseShape(text: string, shapes: SizeFlags['shape']): Required<SizeFlags>['shape'] {
  const [name, dims] = splitAssignment(text, '--shape', 'input=1x3x224x224');
  const parts = /^\d+(x\d+)*$/.test(dims) ? dims.split('x') : dims === '' ? [] : dims.split(',');
  return {
    ...shapes,
    [name]: parts.map((part) => {
      const trimmed = part.trim();
      if (/^\d+$/.test(trimmed)) return size(trimmed, `--shape ${text}`);
      if (/^[A-Za-z_][\w.]*$/.test(trimmed)) return trimmed;
      throw new AuspexError('BAD_SHAPE', `'${part}' in --shape ${text} is neither a size nor a name`, {
        hint: 'write sizes with x between them, as in --shape input=1x3x224x224',
      });
    }),
  };
}

export function parseDimension(text: string, dims: SizeFlags['dim']): Required<SizeFlags>['dim'] {
  const [name, value] = splitAssignment(text, '--dim', 'batch=8');
  if (!/^\d+$/.test(value)) {
    throw new AuspexError('BAD_DIM', `'${value}' in --dim ${text} is not a whole number`, {
      hint: 'write it as in --dim batch=8',
    });
  }
  return { ...dims, [name]: size(value, `--dim ${text}`) };
}

function size(digits: string, where: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new AuspexError('BAD_DIM', `${digits} in ${where} is too large for a size`);
}

/** At the last `=`: names of inputs may contain one. */
function splitAssignment(text: string, flag: string, example: string): [name: string, value: string] {
  const at = text.lastIndexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new AuspexError('BAD_OPTION', `${flag} ${text} has no '='`, {
    hint: `write it as in ${flag} ${example}`,
  });
}

/** A batch, a resolution, a number of workers. */
export function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value >= 1 && value <= 65_536) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 65536.');
}

function factor(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 64) return value;
  throw new InvalidArgumentError('It must be a number above 0, up to 64.');
}
