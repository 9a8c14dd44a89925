// Concrete sizes for those that a network leaves open: what names, places, types and weights say, and the first of them for
// which all shapes can be inferred. Every choice has a reason and a flag that changes it.
import { type Inference, type InferOptions, inferShapes } from '../analysis/infer.js';
import { isKnown, namesIn } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor, type Shape } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import { allow, type Constraint, constraintsOf, mentions, solutions } from './sizes/constraints.js';
import { type OpenSize, openSizesOf, ROLES } from './sizes/roles.js';

/** One size that was chosen. */
interface ChosenSize {
  /** The name of the size: `seq`, or `x[2]` where it has none. */
  readonly name: string;
  readonly size: number;
  /** 'the side of an image'. */
  readonly why: string;
}

export interface ChosenSizes {
  /** Values of all open sizes, by name. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly reasons: readonly ChosenSize[];
  /** The options of a command that set these sizes: `--shape x=1x3x224x224 --dim seq=64`. */
  readonly flags: string;
  /** Whether all shapes can be inferred with them. */
  readonly isChecked: boolean;
}

export type GivenSizes = Pick<InferOptions, 'dims' | 'shapes'>;

/** Sizes that are tried at most. */
const MOST_TRIES = 40;
/** Of a network with more open sizes, no more than the usual ones are tried: no real one has so many. */
const MOST_OPEN = 64;
/** Sizes that weights may ask for. */
const LARGEST = 4096;

/**
 * Sizes for all that a network leaves open; undefined if it leaves none.
 *
 * @param given sizes that are fixed already
 *
 * @example
 * chosenSizes(readModel('yolo.onnx'))?.flags // '--shape images=1x3x640x640'
 */
export function chosenSizes(model: Model, given: GivenSizes = {}): ChosenSizes | undefined {
  return firstThatInfers(inferredOrOpen(model, given), given);
}

/** Shapes with open sizes; of the inputs only where sizes must be known for those of others. */
function inferredOrOpen(model: Model, given: GivenSizes): Inference {
  try {
    return inferShapes(model, given);
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    const inputs = { ...model.graph, nodes: [], outputs: [] };
    return { ...inferShapes({ ...model, graph: inputs }, given), model };
  }
}

/** The same for a network whose shapes were inferred, with whatever sizes were given then. */
export function chosenSizesOf(inference: Inference): ChosenSizes | undefined {
  return firstThatInfers(inference, givenBy(inference));
}

/** Shapes of a network with sizes chosen for all that it leaves open; as they are where none fit. */
export function settledInference(inference: Inference): Inference {
  const chosen = chosenSizesOf(inference);
  if (!chosen?.isChecked) return inference;
  return inferShapes(inference.model, { ...givenBy(inference), dims: chosen.sizes });
}

/** The shapes that inputs were given. */
function givenBy({ graph, model }: Inference): GivenSizes {
  const shapes: Record<string, (number | string)[]> = {};
  for (const name of graph.inputNames) {
    const type = graph.types.get(name);
    if (isTensor(type) && type.shape) shapes[name] = type.shape.map((d) => (isKnown(d) ? d : String(d)));
  }
  return model.graph.inputs.length === 0 ? {} : { shapes };
}

function firstThatInfers(inference: Inference, given: GivenSizes): ChosenSizes | undefined {
  const { model } = inference;
  const tries = sizesToTry(inference);
  if (tries === undefined) return undefined;
  let first: Map<string, number> | undefined;
  for (const dims of tries.list) {
    first ??= dims;
    if (infers(model, given, dims)) return described(tries, dims, true);
  }
  return described(tries, first!, false);
}

/** The same, with sizes for which the network runs, if `runs` finds that it does for some. */
export async function runningSizes(
  model: Model,
  given: GivenSizes,
  runs: (sizes: ChosenSizes) => Promise<boolean>,
): Promise<ChosenSizes | undefined> {
  const tries = sizesToTry(inferredOrOpen(model, given));
  if (tries === undefined) return undefined;
  let first: ChosenSizes | undefined;
  let left = 12;
  for (const dims of tries.list) {
    if (!infers(model, given, dims)) continue;
    const chosen = described(tries, dims, true);
    first ??= chosen;
    if (await runs(chosen)) return chosen;
    if (--left === 0) break;
  }
  return first ?? chosenSizes(model, given);
}

interface Tries {
  readonly inference: Inference;
  readonly open: ReadonlyMap<string, OpenSize>;
  readonly list: readonly Map<string, number>[];
  readonly constraints: readonly Constraint[];
}

function sizesToTry(inference: Inference): Tries | undefined {
  const { inputNames, types } = inference.graph;
  const open = openSizesOf(inputNames, types);
  if (open.size === 0) return undefined;
  if (open.size > MOST_OPEN) {
    const usual = new Map([...open.values()].map(({ name, role }) => [name, ROLES[role].sizes[0]] as const));
    return { inference, open, constraints: [], list: [usual] };
  }
  const constraints = constraintsOf(inference).filter(({ size }) =>
    [...open.keys()].some((name) => mentions(size, name)),
  );
  return { inference, open, constraints, list: assignments(open, constraints) };
}

/** Sizes that are chosen together: the sides of images are equal. */
interface Group {
  readonly names: readonly string[];
  readonly sizes: readonly number[];
}

function groupsOf(open: ReadonlyMap<string, OpenSize>, constraints: readonly Constraint[]): Group[] {
  const byKey = new Map<string, OpenSize[]>();
  for (const size of open.values()) {
    const key = size.role === 'side' || size.role === 'batch' ? size.role : `${size.role} ${size.name}`;
    byKey.set(key, [...(byKey.get(key) ?? []), size]);
  }
  const first = new Map([...open.values()].map(({ name, role }) => [name, ROLES[role].sizes[0]] as const));
  return [...byKey.values()].map((sizes) => {
    const names = sizes.map(({ name }) => name);
    const usual: readonly number[] = ROLES[sizes[0]!.role].sizes;
    const others = new Map([...first].filter(([name]) => !names.includes(name)));
    const fitting = solutions(constraints, names, others, [
      ...usual,
      ...Array.from({ length: LARGEST }, (_, i) => i + 1),
    ]);
    return { names, sizes: [...new Set([...fitting, ...usual])] };
  });
}

/** All groups at their first size, then one after the other at others; the number is limited. */
function assignments(
  open: ReadonlyMap<string, OpenSize>,
  constraints: readonly Constraint[],
): Map<string, number>[] {
  const groups = groupsOf(open, constraints);
  const made: Map<string, number>[] = [];
  const add = (indices: readonly number[]): void => {
    const dims = new Map(
      groups.flatMap(({ names, sizes }, g) => names.map((name) => [name, sizes[indices[g]!]!] as const)),
    );
    if (allow(constraints, dims)) made.push(dims);
  };
  const zero = groups.map(() => 0);
  add(zero);
  groups.forEach(({ sizes }, g) => {
    for (let i = 1; i < sizes.length; i++) add(zero.with(g, i));
  });
  groups.forEach(({ sizes }, g) => {
    groups.forEach((other, h) => {
      if (h <= g) return;
      for (let i = 1; i < Math.min(4, sizes.length); i++) {
        for (let j = 1; j < Math.min(4, other.sizes.length); j++) add(zero.with(g, i).with(h, j));
      }
    });
  });
  if (made.length === 0)
    made.push(new Map(groups.flatMap(({ names, sizes }) => names.map((name) => [name, sizes[0]!] as const))));
  return made.slice(0, MOST_TRIES);
}

/** Whether all shapes can be told, and no output is empty. */
function infers(model: Model, given: GivenSizes, dims: ReadonlyMap<string, number>): boolean {
  try {
    const { outputTypes } = inferShapes(model, {
      ...given,
      dims: { ...given.dims, ...Object.fromEntries(dims) },
    }).graph;
    return outputTypes.every((type) => !isTensor(type) || !type.shape?.some((d) => d === 0));
  } catch (error) {
    if (error instanceof AuspexError) return false;
    throw error;
  }
}

function described(tries: Tries, dims: ReadonlyMap<string, number>, isChecked: boolean): ChosenSizes {
  const { open, constraints } = tries;
  const reasons = [...dims].map(([name, size]): ChosenSize => {
    const role = open.get(name)!.role;
    const isTold = constraints.some((c) => mentions(c.size, name));
    return {
      name,
      size,
      why: isTold ? `${ROLES[role].what}, as weights behind it ask for` : ROLES[role].what,
    };
  });
  return { sizes: Object.fromEntries(dims), reasons, flags: flagsFor(tries, dims), isChecked };
}

/** The shape of every input whose open sizes no other input has; else the sizes by name. */
function flagsFor({ inference, open }: Tries, dims: ReadonlyMap<string, number>): string {
  const { inputNames, types } = inference.graph;
  const shapeOf = (input: string): Shape => {
    const type = types.get(input);
    return (isTensor(type) && type.shape) || [];
  };
  const users = new Map<string, number>();
  for (const input of inputNames) {
    for (const name of new Set(shapeOf(input).flatMap(namesIn))) users.set(name, (users.get(name) ?? 0) + 1);
  }
  const shared = new Set([...open.keys()].filter((name) => (users.get(name) ?? 0) > 1));
  const flags: string[] = [...shared].map((name) => `--dim ${quoted(`${name}=${dims.get(name)}`)}`);
  for (const input of inputNames) {
    const shape = shapeOf(input);
    const names = shape.flatMap(namesIn);
    if (names.length === 0) continue;
    const isOwn = shape.every((d) => isKnown(d) || (dims.has(String(d)) && !shared.has(String(d))));
    const sizes = shape.map((d) => dims.get(String(d)) ?? d);
    if (isOwn) flags.push(`--shape ${quoted(`${input}=${sizes.join('x')}`)}`);
    else {
      for (const name of names) {
        if (dims.has(name) && !shared.has(name)) flags.push(`--dim ${quoted(`${name}=${dims.get(name)}`)}`);
      }
    }
  }
  return flags.join(' ');
}

function quoted(assignment: string): string {
  return /^[\w.:=]+$/.test(assignment) ? assignment : `'${assignment}'`;
}
