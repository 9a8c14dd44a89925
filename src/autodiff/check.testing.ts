// The oracle of gradient rules: central finite differences, computed by ONNX Runtime. A case is one operator
// (or a few nodes) applied to inputs; its outputs are weighted with random numbers and summed, and the gradients
// of that sum are compared with how it really changes along random directions and along single elements.
import * as ort from 'onnxruntime-node';
import { expect } from 'vitest';
import type { DataType } from '../graph/dtype.js';
import { type Attribute, type Model, makeGraph, makeModel, makeNode, type Node } from '../graph/graph.js';
import { parseDim } from '../graph/parse-dim.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { type Shape, TensorType, UNKNOWN } from '../graph/types.js';
import { encodeModel } from '../onnx/write.js';
import { OWN_DOMAIN } from '../ops/operator.js';
import { attributesOf, type ShortAttribute } from '../ops/ort.testing.js';
import { Random } from '../util/random.js';
import { gradients } from './gradients.js';

export interface GradientInput {
  /** Default float64: finite differences need the digits. */
  readonly dtype?: DataType;
  readonly dims: readonly number[];
  /** Default: random, from −1 to 1. */
  readonly values?: readonly number[];
  /** Part of the graph and not differentiated: axes, indices, a shape. */
  readonly constant?: true;
  /** The shape as the model states it, where sizes are symbols there. */
  readonly shape?: readonly string[];
}

export interface GradientCase {
  readonly op: string;
  readonly domain?: string;
  readonly opset?: number;
  readonly inputs: readonly (GradientInput | null)[];
  readonly attributes?: Readonly<Record<string, ShortAttribute>>;
  /** How many outputs the node has; 1 unless told. */
  readonly outputs?: number;
  /** Outputs that are part of the sum; all float ones unless told. */
  readonly weigh?: readonly number[];
  /** Relative error allowed; default 1e-6 in float64, 2e-2 in float32. */
  readonly tolerance?: number;
  /** Also checks the gradient of the gradient. */
  readonly second?: true;
  /** Gradients as they are written to run once. */
  readonly runsOnce?: true;
  readonly seed?: number;
  /** Where ONNX Runtime has no float64 kernel: 'float32'. */
  readonly dtype?: 'float32' | 'float64';
}

/** An input of random numbers. */
export function random(...dims: number[]): GradientInput {
  return { dims };
}

/** Random numbers between two bounds. */
export function between(low: number, high: number, dims: readonly number[], seed = 7): GradientInput {
  const stream = Random.seeded(seed);
  const size = dims.reduce((n, d) => n * d, 1);
  return { dims, values: Array.from({ length: size }, () => low + (high - low) * stream.float()) };
}

/** Integers that are part of the graph. */
export function ints(values: readonly number[], dims: readonly number[] = [values.length]): GradientInput {
  return { dtype: 'int64', dims, values, constant: true };
}

/** Cases with their titles, for `it.each`. */
export function titled(cases: readonly GradientCase[]): [string, GradientCase][] {
  return cases.map((test) => {
    const inputs = test.inputs.map((input) =>
      input?.constant && input.values ? `{${input.values}}` : `[${input?.dims ?? 'none'}]`,
    );
    const attributes = test.attributes ? ` ${JSON.stringify(test.attributes)}` : '';
    const outputs = test.weigh ? ` → ${test.weigh}` : '';
    return [
      `${test.op}${test.opset ? ` ${test.opset}` : ''}(${inputs.join(', ')})${attributes}${outputs}`,
      test,
    ];
  });
}

interface Feed {
  readonly dtype: DataType;
  readonly dims: readonly number[];
  readonly values: Float64Array;
  readonly shape: Shape;
}
type Feeds = Record<string, Feed>;

/** Compares the gradients a model computes with finite differences. */
export async function expectGradient(test: GradientCase): Promise<void> {
  const stream = Random.seeded(test.seed ?? 1);
  const { base, feeds, wanted, outputs } = caseModel(test, stream);
  const model = await withWeightedSum(base, test.weigh?.map((i) => `y${i}`) ?? outputs, feeds, stream);
  await compare(model, 'sum', wanted, feeds, stream, test);
  if (!test.second) return;
  // The gradients themselves, weighted and summed, are one more function to differentiate.
  const how = test.runsOnce ? { runsOnce: true } : {};
  const first = gradients(model, 'sum', wanted, how);
  const squared = await withWeightedSum(first.model, [...first.gradients.values()], feeds, stream, 'sum2');
  await compare(squared, 'sum2', wanted, feeds, stream, test);
  // The same function, written to be differentiated where that makes a difference.
  const { model: again } = gradients(model, 'sum', wanted, { ...how, isDifferentiatedAgain: true });
  if (!again.graph.nodes.some((node) => node.domain === OWN_DOMAIN)) return;
  const nodes = [...again.graph.nodes, ...squared.graph.nodes.slice(first.model.graph.nodes.length)];
  const initializers = new Map([...again.graph.initializers, ...squared.graph.initializers]);
  const written = { ...again, graph: { ...squared.graph, nodes, initializers } };
  await compare(squared, 'sum2', wanted, feeds, stream, test, written);
}

/**
 * The first output, and the gradients by the inputs given that of the output (ones unless told), as they come out:
 * for kinks, where finite differences say nothing, and for what ONNX Runtime only runs taken apart.
 */
export async function gradientsAt(test: GradientCase, dy?: GradientInput): Promise<Record<string, number[]>> {
  const { base, feeds, wanted } = caseModel(test, Random.seeded(test.seed ?? 1));
  const initializers = new Map(base.graph.initializers);
  if (dy) initializers.set('dy', fromNumbers('dy', test.dtype ?? 'float64', dy.dims, dy.values!));
  const graph = { ...base.graph, initializers };
  const found = gradients({ ...base, graph }, 'y0', wanted, dy ? { seed: 'dy' } : {});
  const outputs = [...found.model.graph.outputs, { name: 'y0', type: UNKNOWN }];
  const results = await run({ ...found.model, graph: { ...found.model.graph, outputs } }, feeds);
  const named = [['y0', 'y0'] as const, ...found.gradients];
  return Object.fromEntries(named.map(([name, at]) => [name, Array.from(results[at]!.data, Number)]));
}

/** A model of the case's node alone, what it is fed with and what is differentiated. */
function caseModel(test: GradientCase, stream: Random) {
  const dtype = test.dtype ?? 'float64';
  const feeds: Feeds = {};
  const initializers = new Map<string, Tensor>();
  const names = test.inputs.map((input, i) => {
    if (input === null) return '';
    const name = `x${i}`;
    const size = input.dims.reduce((n, d) => n * d, 1);
    const type = input.dtype ?? dtype;
    const values = Float64Array.from({ length: size }, (_, k) => input.values?.[k] ?? 2 * stream.float() - 1);
    if (input.constant) initializers.set(name, fromNumbers(name, type, input.dims, values));
    else
      feeds[name] = {
        dtype: type,
        dims: input.dims,
        values,
        shape: input.shape?.map((d) => parseDim(d)) ?? input.dims,
      };
    return name;
  });
  const outputs = Array.from({ length: test.outputs ?? 1 }, (_, i) => `y${i}`);
  const attributes: Record<string, Attribute> = attributesOf(test.attributes ?? {});
  const node = makeNode(test.op, names, outputs, attributes, { name: 'node', domain: test.domain ?? '' });
  const wanted = Object.keys(feeds).filter((name) => /float/.test(feeds[name]!.dtype));
  return { base: modelWith([node], feeds, initializers, test.opset ?? 21), feeds, wanted, outputs };
}

function modelWith(
  nodes: readonly Node[],
  feeds: Feeds,
  initializers: ReadonlyMap<string, Tensor>,
  opset: number,
): Model {
  const inputs = Object.entries(feeds).map(([name, { dtype, shape }]) => ({
    name,
    type: new TensorType(dtype, shape),
  }));
  const graph = makeGraph({ nodes, inputs, outputs: [], initializers });
  return makeModel(graph, {
    opsetImports: new Map([
      ['', opset],
      ['com.microsoft', 1],
    ]),
  });
}

/** The model with one output `name`: the sum of values, each times fixed random numbers, in float64. */
async function withWeightedSum(
  model: Model,
  values: readonly string[],
  feeds: Feeds,
  stream: Random,
  name = 'sum',
): Promise<Model> {
  const probe: Model = {
    ...model,
    graph: { ...model.graph, outputs: values.map((v) => ({ name: v, type: UNKNOWN })) },
  };
  const results = await run(probe, feeds);
  const initializers = new Map(model.graph.initializers);
  const nodes = [...model.graph.nodes];
  const parts: string[] = [];
  for (const value of values) {
    const { dims, type, data } = results[value]!;
    if (!type.startsWith('float')) continue;
    const weights = Float64Array.from({ length: data.length }, () => 0.5 + stream.float());
    const [w, double, product, part] = ['weights', 'double', 'product', 'part'].map(
      (s) => `${name}.${value}.${s}`,
    );
    initializers.set(w!, fromNumbers(w!, 'float64', dims, weights));
    nodes.push(makeNode('Cast', [value], [double!], { to: { type: 'int', value: 11 } }));
    nodes.push(makeNode('Mul', [double!, w!], [product!]));
    nodes.push(makeNode('ReduceSum', [product!], [part!], { keepdims: { type: 'int', value: 0 } }));
    parts.push(part!);
  }
  nodes.push(makeNode('Sum', parts, [name]));
  return {
    ...model,
    graph: { ...model.graph, nodes, initializers, outputs: [{ name, type: UNKNOWN }] },
  };
}

/** @param written the model in another form, which is differentiated in its place. */
async function compare(
  model: Model,
  of: string,
  wanted: readonly string[],
  feeds: Feeds,
  stream: Random,
  test: GradientCase,
  written = model,
): Promise<void> {
  const how = test.runsOnce ? { runsOnce: true } : {};
  const { model: differentiated, gradients: found } = gradients(written, of, wanted, how);
  const results = await run(differentiated, feeds);
  const value = await session(model);
  const f = async (changed: Feeds): Promise<number> => Number((await value(changed))[of]!.data[0]);
  const isDouble = wanted.every((name) => feeds[name]!.dtype === 'float64');
  const step = isDouble ? 1e-5 : 1e-2;
  const tolerance = test.tolerance ?? (isDouble ? 1e-6 : 2e-2);
  for (const name of wanted) {
    const gradient = results[found.get(name)!]!;
    const input = feeds[name]!;
    expect(gradient.dims, `shape of the gradient of ${name}`).toEqual([...input.dims]);
    const size = input.values.length;
    // All elements of small inputs, some of larger ones, and three directions through all of them.
    const elements =
      size <= 24 ? [...Array(size).keys()] : Array.from({ length: 8 }, () => stream.below(size));
    const directions = [
      ...elements.map((i) => Float64Array.from({ length: size }, (_, k) => Number(k === i))),
      ...Array.from({ length: 3 }, () => Float64Array.from({ length: size }, () => 2 * stream.float() - 1)),
    ];
    for (const direction of directions) {
      const moved = (sign: number): Feeds => ({
        ...feeds,
        [name]: { ...input, values: input.values.map((x, k) => x + sign * step * direction[k]!) },
      });
      const expected = ((await f(moved(1))) - (await f(moved(-1)))) / (2 * step);
      let actual = 0;
      for (let k = 0; k < size; k++) actual += Number(gradient.data[k]) * direction[k]!;
      const error = Math.abs(actual - expected) / (1 + Math.abs(expected));
      expect(
        error,
        `${test.op}: gradient of ${name}: ${actual}, finite differences: ${expected}`,
      ).toBeLessThan(tolerance);
    }
  }
}

type Result = { dims: readonly number[]; type: string; data: ArrayLike<number | bigint> };

async function session(model: Model): Promise<(feeds: Feeds) => Promise<Record<string, Result>>> {
  const created = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return async (feeds) => {
    const tensors = Object.entries(feeds).map(([name, { dtype, dims, values }]) => [
      name,
      new ort.Tensor(dtype as 'float64', typed(dtype, values) as Float64Array, dims),
    ]);
    return (await created.run(Object.fromEntries(tensors))) as unknown as Record<string, Result>;
  };
}

async function run(model: Model, feeds: Feeds): Promise<Record<string, Result>> {
  return (await session(model))(feeds);
}

function typed(dtype: DataType, values: Float64Array): unknown {
  switch (dtype) {
    case 'float64':
      return values;
    case 'float32':
      return Float32Array.from(values);
    case 'int64':
      return BigInt64Array.from(values, (x) => BigInt(x));
    case 'int32':
      return Int32Array.from(values);
    case 'bool':
      return Uint8Array.from(values);
    default:
      throw new Error(`no test input of ${dtype}`);
  }
}
