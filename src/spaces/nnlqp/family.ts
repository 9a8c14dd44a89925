// Families of networks as NNLQP has them (Liu et al., ICPP 2022): a known network whose layers get other widths and
// kernels. A family is a table of genes and a function that writes the network; all else is here.
//
// What is known. NNLQP's ten families of 2,000 networks have the types alexnet, efficientb0, googlenet, mnasnet,
// mobilenetv2, mobilenetv3, nasbench201, resnet18, squeezenet and vgg16, in files nnmeter_<type>_transform_<n>.onnx,
// with images of 224² (nasbench201: 32²). How they were made is not published, but the names point to nn-Meter
// (Zhang et al., MobiSys 2021), whose repository has the generator of its own data set: every layer of a known network
// draws a width factor, mostly from 0.2, 0.3 … 1.8, and a kernel; inverted residuals also draw an expansion. Depth
// and resolution are not drawn: there are ResNets of 18, 34 and 50 layers, VGGs of 11 to 19, MobileNetV3 large and
// small, all for 224². NNLQP's 20,000 graphs have only 19 different numbers of nodes, which agrees.
//
// What is our choice. Genes, options and what stays fixed are nn-Meter's, and so is ⌊width·factor⌋, with the factors
// as written (its sums of 0.1 end at 1.7 and make 63 of 64·1); genes that change nothing in its networks (widths
// inside a residual stage) are left out. The networks themselves are torchvision's, from which nn-Meter's differ in
// details (biases, padding, heads), so that with the genes of the base every count is known. Batch normalisation stays
// a node. NNLQP's files have it folded into convolutions: none has more than 245 nodes, EfficientNet-B0 alone would
// have 289.
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';

/** What a gene sets: `w` is a factor of a width, `k` a kernel, `e` an expansion. */
type GeneKind = 'w' | 'k' | 'e';

/** One number that differs from variant to variant. */
export interface Gene {
  readonly kind: GeneKind;
  /** The layer or block, by a name that no other gene of this kind has. */
  readonly at: string;
  /** What it is in the base network; always one of the options. */
  readonly base: number;
  readonly options: readonly number[];
}

export function gene(kind: GeneKind, at: string, base: number, options: readonly number[]): Gene {
  return { kind, at, base, options: options.includes(base) ? options : [...options, base] };
}

/** From `low` to `high` in steps of a tenth, such as 0.2, 0.3 … 1.8. */
export function tenths(low: number, high: number): readonly number[] {
  const first = Math.round(low * 10);
  return Array.from({ length: Math.round(high * 10) - first + 1 }, (_, i) => (first + i) / 10);
}

/** The factors of widths that most families have. */
export const WIDTHS = tenths(0.2, 1.8);

/** The numbers a network is written with. */
export interface Layers {
  /** The value of a gene. */
  of(kind: GeneKind, at: string): number;
  /** A width: the base network's, times the factor at `at` if that is given, cut to a whole number of at least 1. */
  channels(base: number, at?: string): number;
  /** The same with a factor of the caller's. */
  times(base: number, factor: number): number;
  readonly classes: number;
}

/** A network that variants start from. */
export interface Base {
  /** As torchvision calls it. */
  readonly name: string;
  /** The text has those of one kind in this order. */
  readonly genes: readonly Gene[];
  /** (B, 3, H, W) → (B, classes) */
  write(s: Scope, x: Value, layers: Layers): Value;
}

/** A network of a family. */
export interface Variant {
  readonly base: string;
  /** The values of the base's genes, in their order. */
  readonly values: readonly number[];
}

interface Family {
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  readonly bases: readonly Base[];
}

/**
 * The space of a family: every base with every choice of its genes.
 *
 * A text is the name of the base, then for each kind of gene a colon, its letter and its values:
 * `alexnet:w1,1,1,1,1,1,1:k11,5,3,3,3`. Kinds that a text leaves out are as in the base, so that `alexnet` is AlexNet.
 */
export function familySpace({ name, title, paper, bases }: Family): Space<Variant> {
  const byName = new Map(bases.map((base) => [base.name, base]));
  const baseOf = (variant: Variant): Base => byName.get(variant.base)!;
  const format = (variant: Variant): string => {
    const { genes } = baseOf(variant);
    const parts = kindsOf(genes).map(
      (kind) => kind + variant.values.filter((_, i) => genes[i]!.kind === kind).join(','),
    );
    return [variant.base, ...parts].join(':');
  };
  const first = bases[0]!;
  return {
    name,
    title,
    paper,
    notation: notationOf(bases),
    example: format({ base: first.name, values: first.genes.map((g) => g.base) }),
    size: bases.reduce(
      (sum, { genes }) => sum + genes.reduce((n, g) => n * BigInt(g.options.length), 1n),
      0n,
    ),
    defaults: { resolution: 224, classes: 1000, input: 'image' },
    sample: (random) => {
      const base = random.pick(bases);
      return { base: base.name, values: base.genes.map((g) => random.pick(g.options)) };
    },
    choices: (variant) => {
      const base = baseOf(variant);
      const ofBase = choiceOf('network', [...byName.keys()], variant.base, (other) =>
        withBase(variant, base, byName.get(other)!),
      );
      const ofGenes = base.genes.map((g, i) =>
        choiceOf(`${g.at} ${KIND_SITES[g.kind]}`, g.options, variant.values[i]!, (value) => ({
          base: variant.base,
          values: variant.values.with(i, value),
        })),
      );
      return [...(bases.length > 1 ? [ofBase] : []), ...ofGenes];
    },
    parse: (text) => parse(name, byName, text),
    format,
    network: (variant, options = {}) => {
      const { genes, write } = baseOf(variant);
      const { classes = 1000, seed = 0 } = options;
      const values = new Map(genes.map((g, i) => [`${g.kind}${g.at}`, variant.values[i]!]));
      const of = (kind: GeneKind, at: string): number => values.get(kind + at)!;
      // In whole tenths, as 0.7·90 is less than 63.
      const times = (base: number, factor: number): number =>
        scaledWidth(Math.max(1, Math.floor((base * Math.round(factor * 10)) / 10)), options);
      const channels = (base: number, at?: string): number => times(base, at === undefined ? 1 : of('w', at));
      return writeNetwork(name, images(options, 224), seed, (s, x) =>
        write(s, x, { of, channels, times, classes }),
      );
    },
  };
}

/** A variant of another base: genes keep the values that they can have there, others are as in the base. */
function withBase(variant: Variant, from: Base, to: Base): Variant {
  const values = new Map(from.genes.map((g, i) => [g.kind + g.at, variant.values[i]!]));
  return {
    base: to.name,
    values: to.genes.map((g) => {
      const value = values.get(g.kind + g.at);
      return value !== undefined && g.options.includes(value) ? value : g.base;
    }),
  };
}

function kindsOf(genes: readonly Gene[]): GeneKind[] {
  return [...new Set(genes.map((g) => g.kind))];
}

function parse(space: string, bases: ReadonlyMap<string, Base>, text: string): Variant {
  const [name, ...parts] = text.trim().split(':');
  const base = bases.get(name!);
  if (base === undefined) {
    const names = [...bases.keys()].join(', ');
    throw archError(space, text, `unknown network '${name}'`, `choose from ${names}`);
  }
  const kinds = kindsOf(base.genes);
  const given = new Map<GeneKind, readonly string[]>();
  for (const part of parts) {
    const kind = kinds.find((k) => part.startsWith(k));
    if (kind === undefined || given.has(kind)) {
      const problem = kind === undefined ? `'${part}' does not apply to ${name}` : `'${kind}' is there twice`;
      throw archError(space, text, problem, `write ${[name, ...kinds.map((k) => `${k}…`)].join(':')}`);
    }
    const count = base.genes.filter((g) => g.kind === kind).length;
    const values = part.slice(1).split(',');
    if (values.length !== count) {
      throw archError(space, text, `'${kind}' has ${values.length} values, not ${count}`);
    }
    given.set(kind, values);
  }
  const next = new Map(kinds.map((kind) => [kind, 0]));
  const values = base.genes.map(({ kind, at, base: unchanged, options }) => {
    const index = next.get(kind)!;
    next.set(kind, index + 1);
    const value = given.get(kind)?.[index]?.trim();
    if (value === undefined) return unchanged;
    const found = /^\d+(\.\d+)?$/.test(value) ? options.find((o) => o === Number(value)) : undefined;
    if (found !== undefined) return found;
    throw archError(
      space,
      text,
      `value ${index + 1} of '${kind}', of ${at}, cannot be '${value}'`,
      `choose from ${options.join(', ')}`,
    );
  });
  return { base: base.name, values };
}

const KIND_SITES: Readonly<Record<GeneKind, string>> = { w: 'width', k: 'kernel', e: 'expansion' };

const KIND_WORDS: Readonly<Record<GeneKind, string>> = {
  w: 'factors of widths',
  k: 'kernel sizes',
  e: 'expansions',
};

function notationOf(bases: readonly Base[]): string {
  const kinds = kindsOf(bases.flatMap((base) => base.genes));
  const lists = kinds.map((kind) => `${kind} ${KIND_WORDS[kind]}`).join(', ');
  const names = bases.map((base) => base.name).join(', ');
  return `a network (${names}), then lists after colons: ${lists}. A missing list keeps the values of the network`;
}
