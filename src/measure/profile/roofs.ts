// What the machine can do at most, measured with the runtime itself at the same settings: products of large matrices for
// arithmetic, the largest of many numbers for memory. A kernel cannot be faster than its FLOPs and its bytes allow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeGraph, makeModel, makeNode, type Node } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { writeModel } from '../../onnx/file.js';
import { measureInProcess, type ProcessLimits } from '../process.js';
import type { RunSettings } from '../protocol.js';
import { summarise } from '../statistics.js';
import { STOPPING } from '../stopping.js';

export interface Roofs {
  /** FLOPs per second of float32. */
  readonly flops: number;
  /** Bytes per second that are read from memory. */
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
/** 64 MB: larger than caches. */
const LENGTH = 1 << 24;

/** The fastest of a few runs of each. Takes about a second. */
export async function measureRoofs(settings: RunSettings, limits: ProcessLimits): Promise<Roofs> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-roofs-'));
  const fastest = async (node: Node, dims: readonly number[], result: readonly number[]): Promise<number> => {
    const file = join(folder, `${node.name}.onnx`);
    const graph = makeGraph({
      nodes: [node],
      inputs: node.inputs.map((name) => ({ name, type: new TensorType('float32', dims) })),
      outputs: [{ name: 'y', type: new TensorType('float32', result) }],
    });
    writeModel(makeModel(graph), file);
    const data = new Float32Array(dims.reduce((n, d) => n * d, 1)).fill(1);
    const inputs = Object.fromEntries(
      node.inputs.map((name) => [name, { type: 'float32' as const, dims, data }]),
    );
    const rule = { ...STOPPING, leastRuns: 10, mostRuns: 20, seconds: 1, warmupSeconds: 0.1 };
    const { wallMs, cpuMs } = await measureInProcess({ file, inputs, settings, rule }, limits);
    const fastestRun = summarise(wallMs).min;
    // On a busy machine no run may have been left alone.
    return (settings.threads === 1 ? Math.min(fastestRun, summarise(cpuMs).min) : fastestRun) / 1000;
  };
  const product = makeNode('MatMul', ['a', 'b'], ['y'], {}, { name: 'product' });
  const largest = makeNode('ReduceMax', ['a'], ['y'], {}, { name: 'largest' });
  try {
    return {
      flops: (2 * SIDE ** 3) / (await fastest(product, [SIDE, SIDE], [SIDE, SIDE])),
      bytes: (4 * LENGTH) / (await fastest(largest, [LENGTH], [1])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
