// How many channels a block of the runtime's images has: the width of the processor's registers. A small convolution of 20
// channels tells, as they are rounded up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeGraph, makeModel, makeNode } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { withCheapWeights } from '../../measure/calibration/cheap-weights.js';
import { measureInProcess, type ProcessLimits } from '../../measure/process.js';
import { readProfile } from '../../measure/profile/events.js';
import type { RunSettings } from '../../measure/protocol.js';
import { STOPPING } from '../../measure/stopping.js';
import { writeModel } from '../../onnx/file.js';
import { ByteRange } from '../../util/bytes.js';

const CHANNELS = 20;
const SIDE = 8;

/** 0 if the runtime uses no blocks. */
export async function findBlockChannels(settings: RunSettings, limits: ProcessLimits): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-blocks-'));
  try {
    const file = join(folder, 'network.onnx');
    writeModel(withCheapWeights(oneConvolution()), file);
    const x = {
      type: 'float32',
      dims: [1, CHANNELS, SIDE, SIDE],
      data: new Float32Array(CHANNELS * SIDE ** 2),
    } as const;
    const rule = { ...STOPPING, leastRuns: 6, mostRuns: 6, seconds: 0.05, warmupSeconds: 0.01 };
    await measureInProcess({ file, inputs: { x }, settings, rule, profileFolder: folder }, limits);
    const channels = readProfile(folder).kernels.map(({ outputs }) => outputs[0]?.[1] ?? 0);
    const most = Math.max(...channels);
    // 32 are two blocks of 16 or four of 8; but of 8, 24 are enough.
    return most <= CHANNELS ? 0 : most === 24 ? 8 : most / 2;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function oneConvolution() {
  const dims = [CHANNELS, CHANNELS, 3, 3];
  const bytes = ByteRange.of(new Uint8Array(4 * dims.reduce((a, b) => a * b)));
  const image = new TensorType('float32', [1, CHANNELS, SIDE, SIDE]);
  return makeModel(
    makeGraph({
      nodes: [makeNode('Conv', ['x', 'w'], ['y'], { pads: { type: 'ints', value: [1, 1, 1, 1] } })],
      inputs: [{ name: 'x', type: image }],
      outputs: [{ name: 'y', type: image }],
      initializers: new Map([['w', { name: 'w', dtype: 'float32', dims, data: { kind: 'raw', bytes } }]]),
    }),
    { opsetImports: new Map([['', 17]]), irVersion: 8 },
  );
}
