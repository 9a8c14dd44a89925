// What ONNX Runtime makes of a model: the oracle of transformations, before and after.
import * as ort from 'onnxruntime-node';
import { type GraphText, graphOf, modelOf } from '../analysis/models.testing.js';
import type { DataType } from '../graph/dtype.js';
import type { Attribute, Model, ValueInfo } from '../graph/graph.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { TensorType } from '../graph/types.js';
import { encodeModel } from '../onnx/write.js';

/** A constant of any type. */
export function of(
  name: string,
  dtype: DataType,
  dims: readonly number[],
  values: ArrayLike<number>,
): Tensor {
  return fromNumbers(name, dtype, dims, values);
}

/** A text model whose inputs have other types than float32. */
export function typedModel(
  text: GraphText,
  types: Readonly<Record<string, DataType>> = {},
  opset = 21,
): Model {
  const model = modelOf(text, opset);
  const inputs = model.graph.inputs.map((input): ValueInfo => {
    const dtype = types[input.name];
    return dtype ? { ...input, type: new TensorType(dtype, (input.type as TensorType).shape) } : input;
  });
  return { ...model, irVersion: 10, graph: { ...model.graph, inputs } };
}

export function graphAttribute(text: GraphText): Attribute {
  return { type: 'graph', value: graphOf(text) };
}

export type Feeds = Readonly<Record<string, ort.Tensor>>;

export function floats(dims: readonly number[], values: ArrayLike<number>): ort.Tensor {
  return new ort.Tensor('float32', Float32Array.from(values), dims);
}

/** The outputs as lists of numbers, by name. */
export async function outputsOf(model: Model, feeds: Feeds): Promise<Record<string, number[]>> {
  const session = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
  });
  try {
    const given = Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]!]));
    const results = await session.run(given);
    return Object.fromEntries(
      Object.entries(results).map(([name, { data }]) => [
        name,
        Array.from(data as ArrayLike<number | bigint>, Number),
      ]),
    );
  } finally {
    await session.release();
  }
}
