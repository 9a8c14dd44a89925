// One file through the transformations, in a process of its own. Prints a line of JSON.
import { inferShapes } from '../../src/analysis/infer.js';
import { readModel } from '../../src/onnx/file.js';
import { operatorFor } from '../../src/ops/index.js';
import { inFloat } from '../../src/transform/dequantise.js';
import { cosine, outputsOf } from './closeness.js';
import { drawnFeeds } from './drawn-feeds.js';

const [path] = process.argv.slice(2);
const model = readModel(path!);
const result: Record<string, unknown> = { path };
try {
  const float = inFloat(model);
  result.changes = float.changes.length;
  const left = float.model.graph.nodes.filter(
    (node) => operatorFor(node)?.float && /uant|QLin|Integer/.test(node.opType),
  );
  result.left = left.map((n) => n.opType).join();
  inferShapes({ ...float.model });
  const ops: Record<string, number> = {};
  for (const node of float.model.graph.nodes) ops[node.opType] = (ops[node.opType] ?? 0) + 1;
  result.ops = ops;
  const feeds = drawnFeeds(model, 1);
  const before = await outputsOf(path!, feeds);
  const after = await outputsOf(float.model, feeds);
  result.cosines = Object.fromEntries(
    Object.keys(before).map((name) => [name, Number(cosine(before[name]!, after[name]!).toFixed(5))]),
  );
} catch (error) {
  result.error =
    `${(error as { code?: string }).code ?? ''} ${(error as Error).message} ${JSON.stringify((error as { where?: unknown }).where ?? '')}`.slice(
      0,
      300,
    );
}
process.stdout.write(`${JSON.stringify(result)}\n`);
