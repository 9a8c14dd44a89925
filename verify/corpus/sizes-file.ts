// What becomes of one ONNX file: sizes chosen for those it leaves open, inputs drawn, a run, and the same network for
// another batch, compared row by row with single runs. Prints one line of JSON. Run by sizes.ts in a process of its own.
import { inferShapes } from '../../src/analysis/infer.js';
import type { Model, ValueInfo } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';
import { drawInputs, givenInputs, type InputBatch } from '../../src/inputs/drawn.js';
import { feedsOf } from '../../src/inputs/trial.js';
import { readModel } from '../../src/onnx/file.js';
import { Session } from '../../src/runtime/session.js';
import { batchDifference } from '../../src/transform/batch/proof.js';
import { withBatch } from '../../src/transform/batch.js';
import { inFloat } from '../../src/transform/dequantise.js';
import { withOpset } from '../../src/transform/opset.js';
import { type ChosenSizes, chosenSizes, runningSizes } from '../../src/transform/sizes.js';
import { AuspexError } from '../../src/util/errors.js';
import type { FileResult, Step } from './sizes-result.js';

/** Samples of the batch that is tried. */
const SAMPLES = 3;

async function step(work: () => Promise<string>): Promise<Step> {
  try {
    return { isDone: true, what: await work() };
  } catch (error) {
    if (!(error instanceof AuspexError))
      return { isDone: false, what: `DEFECT ${(error as Error).stack?.slice(0, 400)}` };
    const { node, operator } = error.where;
    const where = node === undefined ? '' : ` at ${node} (${operator})`;
    return { isDone: false, code: error.code, what: `${error.message.slice(0, 160)}${where}` };
  }
}

const file = process.argv[2]!;
const model = readModel(file);
const inputs = givenInputs(model);
const isFixed = inputs.every(
  ({ type }) =>
    !isTensor(type) ||
    type.shape === undefined ||
    type.shape.length === 0 ||
    typeof type.shape[0] === 'number',
);
const result: FileResult = { file, isFixed };
let sized = model;
/** The same with the batch left open, where it is. */
let unbatched = model;

/** The network with its inputs at sizes. */
function at(dims: ChosenSizes['sizes']): Model {
  const inferred = inferShapes(model, { dims }).graph.types;
  const typed = (info: ValueInfo): ValueInfo => ({ ...info, type: inferred.get(info.name) ?? info.type });
  const { graph } = model;
  return {
    ...model,
    graph: { ...graph, inputs: graph.inputs.map((i) => (graph.initializers.has(i.name) ? i : typed(i))) },
  };
}

/** Runs the file as it is on inputs of a network's sizes. */
async function run(network: Model): Promise<string> {
  const session = await Session.create(model, { threads: 2 });
  const drawn = drawInputs(network, { seed: 1 });
  const outputs = await session.run(await feedsOf(drawn));
  await session.dispose();
  return Object.values(outputs)
    .map((t) => `[${t.dims}]`)
    .join(' ');
}

result.sizes = await step(async () => {
  let tried = 0;
  const plain = chosenSizes(model);
  const chosen = await runningSizes(model, {}, async (sizes) => {
    tried++;
    return (await step(() => run(at(sizes.sizes)))).isDone;
  });
  if (chosen === undefined) return 'all fixed';
  sized = at(chosen.sizes);
  const others = chosen.reasons.filter(({ why }) => why !== 'one sample');
  unbatched = at(Object.fromEntries(others.map(({ name, size }) => [name, size])));
  if (!chosen.isChecked) throw new AuspexError('SIZES_UNCHECKED', `no sizes infer: ${chosen.flags}`);
  return `${chosen.flags} after ${tried}${chosen.flags === plain?.flags ? '' : `, without running ${plain?.flags}`}`;
});
result.runs = await step(() => run(sized));

/** The network for another batch, compared with single runs of the one before. */
async function proven(network: Model, before: Model, batch: number | 'dynamic'): Promise<string> {
  const rebatched = withBatch(network, batch);
  const draw = (index: number): InputBatch => drawInputs(sized, { seed: 1, index });
  const first = draw(0);
  const single = Array.from({ length: SAMPLES }, (_, i) =>
    // What is the same for all samples is drawn once.
    Object.fromEntries(
      Object.entries(draw(i)).map(([name, t]) => [name, rebatched.axes.has(name) ? t : first[name]!]),
    ),
  );
  const whole = rebatched.was === 1 || batch === 'dynamic' ? single : single.slice(0, 1);
  const { relative, outputs, output } = await batchDifference(before, rebatched, whole);
  const text = `${outputs} outputs, ${rebatched.changes.length} changes, difference ${relative.toExponential(1)}`;
  if (relative > 1e-3) throw new AuspexError('BATCH_DIFFERS', `${text} in '${output}'`);
  return text;
}

for (const [key, batch] of [
  ['batch', SAMPLES],
  ['open', 'dynamic'],
] as const) {
  // ONNX Runtime refuses some networks once sizes are fixed that choose a branch.
  const open = isFixed ? undefined : await step(() => proven(model, model, batch));
  result[key] = open?.isDone ? open : await step(() => proven(unbatched, model, batch));
}
// Networks of old opsets and quantised ones are mostly converted first.
if (isFixed) {
  result.converted = await step(async () => {
    const before = inFloat(withOpset(unbatched, Math.max(17, model.opsetImports.get('') ?? 1)).model).model;
    return proven(before, before, SAMPLES);
  });
}
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
