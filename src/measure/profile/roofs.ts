// What the machine can do at most, measured with the runtime itself at the same settings: products of large matrices for
// arithmetic, sums of long vectors for memory. A kernel cannot be faster than its FLOPs and its bytes allow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeGraph, makeModel, makeNode } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { writeModel } from '../../onnx/file.js';
import { measureInProcess, type ProcessLimits } from '../process.js';
import type { RunSettings } from '../protocol.js';
import { summarise } from '../statistics.js';
import { STOPPING } from '../stopping.js';

export interface Roofs {
  /** FLOPs per second of float32. */
  readonly flops: number;
  /** Bytes per second, read and written. */
  readonly bytes: number;
}

/** Which limit holds a kernel: arithmetic, memory, or neither. */
export type Roof = 'compute' | 'memory' | 'overhead';

/** A kernel that reaches less of both roofs than this is held by something else: its own start, or a slow implementation. */
const LEAST_REACHED = 0.1;

/** @param timeMs of a kernel that computes and moves so much */
export function roofOf(
  { flops, bytes, timeMs }: { flops: number; bytes: number; timeMs: number },
  roofs: Roofs,
): { roof: Roof; reached: number } {
  const [compute, memory] = [flops / roofs.flops, bytes / roofs.bytes];
  const reached = Math.max(compute, memory) / (timeMs / 1000);
  if (!(reached >= LEAST_REACHED))
    return { roof: 'overhead', reached: Number.isFinite(reached) ? reached : 0 };
  return { roof: compute >= memory ? 'compute' : 'memory', reached };
}

const SIDE = 1024;
/** 32 MB a vector: larger than caches. */
const LENGTH = 1 << 23;

/** The fastest of a few runs of each. Takes about a second. */
export async function measureRoofs(settings: RunSettings, limits: ProcessLimits): Promise<Roofs> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-roofs-'));
  const fastest = async (operator: string, dims: readonly number[]): Promise<number> => {
    const type = new TensorType('float32', dims);
    const inputs = ['a', 'b'];
    const file = join(folder, `${operator}.onnx`);
    const graph = makeGraph({
      nodes: [makeNode(operator, inputs, ['y'])],
      inputs: inputs.map((name) => ({ name, type })),
      outputs: [{ name: 'y', type }],
    });
    writeModel(makeModel(graph), file);
    const data = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(1);
    const tensor = { type: 'float32' as const, dims, data };
    const rule = { ...STOPPING, leastRuns: 10, mostRuns: 20, seconds: 1, warmupSeconds: 0.1 };
    const { wallMs } = await measureInProcess(
      { file, inputs: { a: tensor, b: tensor }, settings, rule },
      limits,
    );
    return summarise(wallMs).min / 1000;
  };
  try {
    return {
      flops: (2 * SIDE ** 3) / (await fastest('MatMul', [SIDE, SIDE])),
      bytes: (3 * 4 * LENGTH) / (await fastest('Add', [LENGTH])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
