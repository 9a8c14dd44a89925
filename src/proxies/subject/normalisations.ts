// Where a network normalises: operators that do, and what files of older opsets and exporters write in their place.
// Layer normalisation in parts is (x − mean) / √(mean of squares + ε), root mean square normalisation the same without
// the mean taken off, group normalisation an InstanceNormalization between two Reshapes; scale and shift follow.
import { inferShapes } from '../../analysis/infer.js';
import { isDefaultDomain, type Model, type Node } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';
import type { Arithmetic } from '../../ops/traits.js';
import { floatData } from '../../transform/tensor-data.js';
import type { Subject } from './subject.js';
import { type Links, linksOf, valueSizes } from './value-links.js';

interface Normalisation {
  readonly kind: 'batch' | 'other';
  /** What is normalised. */
  readonly input: string;
  /** What comes out, scaled and shifted. */
  readonly output: string;
}

/** Whether a node normalises by statistics of the training data, or of the batch: not by some that were computed before it. */
export function isBatchNormalisation(node: Node, { isFixed }: Links): boolean {
  return traitsOf(node).normalisation === 'batch' && node.inputs.slice(1).every((name) => isFixed(name));
}

/** @param model without functions and control flow, all sizes known. */
export function findNormalisations(model: Model): Normalisation[] {
  return new Finder(model).find();
}

export function normalisationsIn(subject: Subject): readonly Normalisation[] {
  return subject.once('normalisations', () => findNormalisations(subject.model));
}

class Finder {
  readonly #model: Model;
  readonly #links: Links;

  constructor(model: Model) {
    this.#model = model;
    this.#links = linksOf(model);
  }

  find(): Normalisation[] {
    return this.#links.nodes.flatMap((node): Normalisation[] => {
      if (!isDefaultDomain(node.domain) || node.inputs.every(this.#links.isFixed)) return [];
      const { normalisation } = traitsOf(node);
      // Of neighbouring channels it is a step of its own, which nothing takes out.
      const isWhole = normalisation !== undefined && normalisation !== 'local';
      const found =
        normalisation === 'instance'
          ? (this.#groups(node) ?? this.#whole(node))
          : isWhole
            ? this.#whole(node)
            : this.#inParts(node);
      return found ? [found] : [];
    });
  }

  #whole(node: Node): Normalisation {
    const kind = isBatchNormalisation(node, this.#links) ? 'batch' : 'other';
    return { kind, input: node.inputs[0]!, output: node.outputs[0]! };
  }

  #groups(node: Node): Normalisation | undefined {
    const before = this.#producer(node.inputs[0]!);
    const after = this.#onlyReader(node.outputs[0]!);
    if (!isReshaping(before) || !isReshaping(after)) return undefined;
    const { types } = inferShapes(this.#model).graph;
    const [input, output] = [before.inputs[0]!, after.outputs[0]!];
    if (String(valueSizes(types, input)) !== String(valueSizes(types, output))) return undefined;
    return { kind: 'other', input, output: this.#scaled(output) };
  }

  /** @param node the one that takes the root. */
  #inParts(node: Node): Normalisation | undefined {
    const { arithmetic } = traitsOf(node);
    const exponent = arithmetic === 'power' ? this.#number(node.inputs[1]!) : undefined;
    if (arithmetic !== 'root' && exponent !== 0.5 && exponent !== -0.5) return undefined;
    const centred = this.#meanSquareOf(node.inputs[0]!);
    if (centred === undefined || this.#links.isFixed(centred)) return undefined;
    const normalised =
      exponent === -0.5
        ? this.#productWith(node.outputs[0]!, centred)
        : this.#quotientWith(node.outputs[0]!, centred);
    if (normalised === undefined) return undefined;
    return { kind: 'other', input: this.#withMean(centred), output: this.#scaled(normalised) };
  }

  /** x of mean(x²) + ε. */
  #meanSquareOf(name: string): string | undefined {
    const sum = this.#producer(name);
    const mean = isA(sum, 'add') ? sum?.inputs.find((input) => !this.#links.isFixed(input)) : undefined;
    const average = mean === undefined ? undefined : this.#producer(mean);
    if (sum?.inputs.some(this.#links.isFixed) !== true || !takesMean(average)) return undefined;
    const square = this.#producer(average!.inputs[0]!);
    if (square === undefined) return undefined;
    const [first, second] = square.inputs.map((input) => this.#source(input));
    const isSquare = isA(square, 'multiply')
      ? first === second
      : isA(square, 'power') && this.#number(square.inputs[1]!) === 2;
    return isSquare ? first : undefined;
  }

  /** x / root, or x · (1 / root). */
  #quotientWith(root: string, x: string): string | undefined {
    for (const reader of this.#readersOf(root)) {
      const [above, below] = reader.inputs.map((input) => this.#source(input));
      if (isA(reader, 'divide') && below === root && above === x) return reader.outputs[0]!;
      const isInverse =
        isA(reader, 'reciprocal') ||
        (isA(reader, 'divide') && below === root && this.#number(reader.inputs[0]!) === 1);
      const found = isInverse ? this.#productWith(reader.outputs[0]!, x) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #productWith(factor: string, x: string): string | undefined {
    const isProduct = (node: Node): boolean =>
      isA(node, 'multiply') && node.inputs.some((input) => this.#source(input) === x);
    return this.#readersOf(factor).find(isProduct)?.outputs[0];
  }

  /** What a mean was taken off from; itself where none was. */
  #withMean(centred: string): string {
    const difference = this.#producer(centred);
    if (difference === undefined || !isA(difference, 'subtract')) return centred;
    const [x, mean] = difference.inputs.map((input) => this.#source(input)) as [string, string];
    const average = this.#producer(mean);
    return takesMean(average) && this.#source(average!.inputs[0]!) === x ? x : centred;
  }

  /** Behind the scale and the shift, where they follow. */
  #scaled(normalised: string): string {
    let output = normalised;
    for (const arithmetic of ['multiply', 'add'] as const) {
      const next = this.#readersOf(output);
      const isFactor = next.length === 1 && isA(next[0], arithmetic);
      if (isFactor && next[0]!.inputs.some(this.#links.isFixed)) output = next[0]!.outputs[0]!;
    }
    return output;
  }

  /** The value that one is, casts aside. */
  #source(name: string): string {
    for (let value = name; ; ) {
      const at = this.#links.producers.get(value);
      const node = at === undefined ? undefined : this.#links.nodes[at]!;
      if (node === undefined || !isPassed(node)) return value;
      value = node.inputs[0]!;
    }
  }

  #producer(name: string): Node | undefined {
    const at = this.#links.producers.get(this.#source(name));
    return at === undefined ? undefined : this.#links.nodes[at];
  }

  /** Who uses a value, casts aside. */
  #readersOf(name: string): Node[] {
    return this.#links
      .readersOf(name)
      .flatMap((node) => (isPassed(node) ? this.#readersOf(node.outputs[0]!) : [node]));
  }

  #onlyReader(name: string): Node | undefined {
    const readers = this.#readersOf(name);
    return readers.length === 1 ? readers[0] : undefined;
  }

  /** The value of a constant of one number. */
  #number(name: string): number | undefined {
    const tensor = this.#model.graph.initializers.get(this.#source(name));
    if (tensor === undefined || tensor.dims.some((d) => d !== 1)) return undefined;
    return floatData(tensor)[0];
  }
}

function isA(node: Node | undefined, arithmetic: Arithmetic): boolean {
  return node !== undefined && traitsOf(node).arithmetic === arithmetic;
}

function takesMean(node: Node | undefined): boolean {
  return node !== undefined && traitsOf(node).reduction === 'mean';
}

function isReshaping(node: Node | undefined): node is Node {
  return node !== undefined && traitsOf(node).moves === 'shape';
}

function isPassed(node: Node): boolean {
  const { moves } = traitsOf(node);
  return moves === 'same' || moves === 'type';
}
