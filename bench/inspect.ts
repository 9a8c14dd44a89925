// How fast a model is read, inferred and counted, beside Python's `onnx.load` + `infer_shapes` on the same file, one thread
// each; and the command with its start, beside `python -c` that does the same.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { cost } from '../src/analysis/cost.js';
import { inferShapes } from '../src/analysis/infer.js';
import { readModel } from '../src/onnx/file.js';
import { python } from './answerer.js';
import { type Bench, timed } from './bench.js';

const READ = 'import onnx, onnx.shape_inference';
const PEER = `
import subprocess, sys, time
${READ}
print(onnx.__version__, flush=True)
for line in sys.stdin:
    what, path = line.strip().split(' ', 1)
    start = time.perf_counter()
    if what == 'read':
        onnx.shape_inference.infer_shapes(onnx.load(path))
    else:
        code = '${READ}; onnx.shape_inference.infer_shapes(onnx.load(' + repr(path) + '))'
        subprocess.run([sys.executable, '-c', code], check=True)
    print((time.perf_counter() - start) * 1000, flush=True)
`;

export const bench: Bench = {
  usage: 'inspect model.onnx …',

  async rows({ files }, side) {
    const onnx = python(['-c', PEER], 'onnx');
    return files.flatMap((path) =>
      ['read', 'command'].map((what) => {
        const line = `${what} ${path}`;
        return {
          name: `${basename(path)}, ${what === 'read' ? 'read and counted' : 'whole command'}`,
          ours: { side, line },
          peers: [{ side: onnx, line }] as const,
        };
      }),
    );
  },

  async side() {
    return (line) => {
      const [, what, path] = /^(\w+) (.*)$/.exec(line)!;
      return timed(() => {
        if (what === 'read') return cost(inferShapes(readModel(path!)));
        const { status } = spawnSync(process.execPath, ['dist/cli/main.js', 'inspect', path!], {
          stdio: 'ignore',
        });
        if (status !== 0) throw new Error(`auspex inspect ${path} exited with ${status}`);
      });
    };
  },
};
