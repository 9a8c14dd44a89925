// A network with an image of 1024 × 1024, scored by the built command line in an address space of 8 GB. All samples at once
// would take more.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { modelOf, tensor } from '../src/analysis/models.testing.js';
import { encodeModel } from '../src/onnx/write.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

const waves = (name: string, dims: readonly number[]) =>
  tensor(
    name,
    dims,
    Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, i) => Math.sin(i * 1.7) / 4),
  );

it.runIf(process.platform === 'linux')(
  'scores images of 1024 × 1024 in 8 GB',
  () => {
    const gates = [1, 2, 3, 4].flatMap((i) => [`s${i} = Sigmoid(g${i})`, `g${i + 1} = Mul(g${i}, s${i})`]);
    const model = modelOf({
      inputs: ['x: batch,3,1024,1024'],
      nodes: [
        'g1 = Conv(x, w)',
        ...gates,
        'b = Conv(g5, v) strides=4,4',
        'c = Relu(b)',
        'p = GlobalAveragePool(c)',
        'f = Flatten(p)',
        'y = MatMul(f, u)',
      ],
      outputs: ['y'],
      initializers: [waves('w', [16, 3, 1, 1]), waves('v', [8, 16, 4, 4]), waves('u', [8, 10])],
    });
    const file = join(folder, 'large.onnx');
    writeFileSync(file, encodeModel(model));
    const command = `ulimit -v 8000000; exec "$0" "$1" proxy "$2" --proxies params,snip,jacov --batch 4 --json`;
    const text = execFileSync('bash', ['-c', command, process.execPath, CLI, file], { encoding: 'utf8' });
    const [network] = (JSON.parse(text) as { networks: { scores: object }[] }).networks;
    expect(network!.scores).toEqual({
      params: 48 + 2048 + 80,
      snip: expect.any(Number),
      jacov: expect.any(Number),
    });
  },
  60_000,
);
