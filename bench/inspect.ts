// How fast a model is read, inferred and counted, beside Python's `onnx.load` + `infer_shapes` on the same
// file: both warm, in turn, in one run; medians and their ratio. Then the wall time of `npx auspex inspect`.
//
//   npm run bench -- inspect resnet50.onnx swin_t.onnx      (PYTHON=path/to/python with onnx installed)
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { cost } from '../src/analysis/cost.js';
import { inferShapes } from '../src/analysis/infer.js';
import { readModel } from '../src/onnx/file.js';
import { inTurn, median, Peer } from './peer.js';

const REPEATS = 21;
/** Runs of each before those that count; the very first of ours is shown as `cold`. */
const WARM_UP = 1;

const PEER = `
import sys, time, onnx, onnx.shape_inference
print(onnx.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    model = onnx.load(line.strip())
    onnx.shape_inference.infer_shapes(model)
    print((time.perf_counter() - start) * 1000, flush=True)
`;

function ours(path: string): number {
  const start = performance.now();
  cost(inferShapes(readModel(path)));
  return performance.now() - start;
}

function wall(path: string): number {
  const start = performance.now();
  const { status } = spawnSync('npx', ['auspex', 'inspect', path], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`auspex inspect ${path} exited with ${status}`);
  return performance.now() - start;
}

const paths = process.argv.slice(3);
if (paths.length === 0) {
  console.error('usage: npm run bench -- inspect model.onnx …');
  process.exit(2);
}
const peer = new Peer(['-c', PEER], 'onnx');
const peerVersion = await peer.line();
console.log(`read + infer + cost against onnx ${peerVersion} load + infer_shapes, one thread each,`);
console.log(`${REPEATS} runs in turn after ${WARM_UP} of each, median ms; cold = first run\n`);
console.log('model                          MB  cold  auspex    onnx  ratio  npx wall');
for (const path of paths) {
  const cold = ours(path);
  const counts = { repeats: REPEATS, warmUp: WARM_UP };
  const { ours: mine, theirs } = await inTurn(
    async () => ours(path),
    () => peer.measure(path),
    counts,
  );
  const walls = median(Array.from({ length: 5 }, () => wall(path)));
  const name = path.split('/').at(-1)!.slice(0, 28);
  const cells = [
    (statSync(path).size / 1e6).toFixed(0).padStart(5),
    cold.toFixed(0).padStart(5),
    mine.toFixed(1).padStart(7),
    theirs.toFixed(0).padStart(7),
    `${(theirs / mine).toFixed(1)}x`.padStart(6),
    `${walls.toFixed(0)} ms`.padStart(9),
  ];
  console.log(`${name.padEnd(28)}${cells.join(' ')}`);
}
peer.close();
