// One file through control flow, floats and cutting, in a process of its own: what each changed, and how near the outputs
// are to those before it. Prints a line of JSON.
import type { Tensor } from 'onnxruntime-node';
import { inferShapes } from '../../src/analysis/infer.js';
import { hasSubgraphs, type Model } from '../../src/graph/graph.js';
import { readModel } from '../../src/onnx/file.js';
import { isQuantised } from '../../src/ops/float.js';
import { operatorFor } from '../../src/ops/index.js';
import { withoutControlFlow } from '../../src/transform/control-flow.js';
import { differentiablePart } from '../../src/transform/cut.js';
import { inFloat } from '../../src/transform/dequantise.js';
import { withFixedInputs } from '../../src/transform/fixed-inputs.js';
import { withOpset } from '../../src/transform/opset.js';
import type { Transformed } from '../../src/transform/transform.js';
import { cosine, type Numbers, outputsOf } from './closeness.js';
import { drawnFeeds, feedsOf, sizesOf } from './drawn-feeds.js';
import type { FileResult, StepResult } from './transform-results.js';

const [path = ''] = process.argv.slice(2);

/** Older networks are converted first. */
const OPSET = 17;

/** A sampling rate, which voice detectors branch by. */
const VALUES: Readonly<Record<string, number>> = { sr: 16_000 };

async function check(): Promise<FileResult> {
  const read = readModel(path);
  const fixed = Object.fromEntries(
    read.graph.inputs.flatMap(({ name }) => (name in VALUES ? [[name, VALUES[name]!]] : [])),
  );
  let { model } = withFixedInputs(
    (read.opsetImports.get('') ?? 1) < OPSET ? withOpset(read, OPSET).model : read,
    fixed,
  );
  const steps: Record<string, StepResult> = {};
  const sizes = { shapes: sizesOf(model) };
  const feeds = drawnFeeds(model, 1);
  const apply = async (name: string, step: (model: Model) => Transformed): Promise<void> => {
    try {
      const after = step(model);
      if (after.changes.length === 0) return;
      steps[name] = {
        changes: after.changes.length,
        ...(await compared(model, after.model, feeds, name === 'cut')),
      };
      model = after.model;
    } catch (error) {
      steps[name] = { error: told(error) };
    }
  };
  await apply('control flow', (m) => withoutControlFlow(m, { sizes }));
  await apply('float', (m) => inFloat(m));
  await apply('cut', (m) => differentiablePart(m, { sizes }));
  const left = model.graph.nodes.filter((node) => hasSubgraphs(node)).map((node) => node.opType);
  const quantised = model.graph.nodes.filter((node) => isQuantised(operatorFor(node)));
  return { path, steps, left: [...new Set([...left, ...quantised.map((node) => node.opType)])] };
}

function told(error: unknown): string {
  const { code = '', message, where } = error as { code?: string; message: string; where?: object };
  return `${code} ${message} ${where ? JSON.stringify(where) : ''}`.trim().slice(0, 300);
}

/** Cosines of all outputs of the second model; what the first does not give, it is made to. */
async function compared(
  before: Model,
  after: Model,
  feeds: Record<string, Tensor>,
  isCut: boolean,
): Promise<Pick<StepResult, 'cosines' | 'outputs' | 'error'>> {
  const outputs = after.graph.outputs.map(({ name, type }) => `${name}: ${type}`);
  try {
    // Types are inferred anew: those that were noted are checked so.
    const { types } = inferShapes({ ...after }).graph;
    const names = new Set(after.graph.outputs.map(({ name }) => name));
    const added = after.graph.inputs.filter(({ name }) => !before.graph.inputs.some((i) => i.name === name));
    const known = inferShapes(before).graph.types;
    const wanted = isCut
      ? [...names, ...added.map(({ name }) => name)].map((name) => ({
          name,
          type: known.get(name) ?? types.get(name)!,
        }))
      : before.graph.outputs;
    const first = await outputsOf({ ...before, graph: { ...before.graph, outputs: wanted } }, feeds);
    const second = await outputsOf(after, { ...feeds, ...feedsOf(first, added) });
    return { outputs, cosines: cosines(first, second, names) };
  } catch (error) {
    return { outputs, error: told(error) };
  }
}

function cosines(first: Numbers, second: Numbers, names: ReadonlySet<string>): Record<string, number> {
  return Object.fromEntries(
    [...names]
      .filter((name) => first[name] && second[name])
      .map((name) => [name, Number(cosine(first[name]!.data, second[name]!.data).toFixed(6))]),
  );
}

process.stdout.write(
  `${JSON.stringify(await check().catch((error): FileResult => ({ path, steps: {}, left: [], error: told(error) })))}\n`,
);
