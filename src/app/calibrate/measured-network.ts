// One network of a calibration: the times of its kernels, and that of the whole, as one line of a log.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { drawInputs } from '../../inputs/drawn.js';
import { withCheapWeights } from '../../measure/calibration/cheap-weights.js';
import { profiledKernels } from '../../measure/calibration/profiled-kernels.js';
import { prepareNetwork } from '../../measure/prepare.js';
import { measureInProcess, type ProcessLimits } from '../../measure/process.js';
import { readProfile } from '../../measure/profile/events.js';
import type { RunSettings, WorkerRequest } from '../../measure/protocol.js';
import { median } from '../../measure/statistics.js';
import { STOPPING } from '../../measure/stopping.js';
import type { Network } from '../../networks/index.js';
import { writeModel } from '../../onnx/file.js';
import { outputBytes } from '../../predictors/devices/kernels/model.js';
import type { TimedKernel } from '../../predictors/devices/kernels/times.js';
import type { Candidate } from './candidates.js';

const sizes = z.array(z.array(z.number()));

export const measuredSchema = z.object({
  network: z.string(),
  family: z.string(),
  /** Of a run without a profile: by the clock and of the processor. */
  wallMs: z.number().positive(),
  cpuMs: z.number().nonnegative(),
  seconds: z.number(),
  runtime: z.string().nullable(),
  outputBytes: z.number().nonnegative(),
  /** Operator, whether channels are in blocks, sizes of inputs and outputs, microseconds. */
  kernels: z.array(z.tuple([z.string(), z.boolean(), sizes, sizes, z.number()])),
});
export type MeasuredNetwork = z.infer<typeof measuredSchema>;

/** Few runs of many networks teach more than many of few. */
const RULE = { ...STOPPING, precision: 0.02, leastRuns: 8, mostRuns: 40, seconds: 0.25, warmupSeconds: 0.05 };

export interface NetworkSettings {
  readonly settings: RunSettings;
  readonly limits: ProcessLimits;
  readonly blockChannels: number;
}

/** @throws AuspexError what measuring throws */
export async function measureNetwork(
  { network, family }: Candidate,
  { settings, limits, blockChannels }: NetworkSettings,
): Promise<MeasuredNetwork> {
  const begun = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'auspex-calibrate-'));
  const prepared = filed(network, folder);
  try {
    const { file, inputs } = prepared;
    const request: WorkerRequest = { file, inputs, settings, rule: RULE };
    const { wallMs, cpuMs, runtime } = await measureInProcess(request, limits);
    const profiled = { ...request, rule: { ...RULE, mostRuns: 16 }, profileFolder: folder };
    await measureInProcess(profiled, limits);
    return {
      network: network.ref,
      family,
      wallMs: median(wallMs),
      cpuMs: median(cpuMs),
      seconds: (performance.now() - begun) / 1000,
      runtime: runtime ?? null,
      outputBytes: outputBytes(network),
      kernels: profiledKernels(readProfile(folder).kernels, blockChannels).map(({ kernel, us }) => [
        kernel.operator,
        kernel.layout === 'blocked',
        kernel.inputs.map((one) => [...one]),
        kernel.outputs.map((one) => [...one]),
        us,
      ]),
    };
  } finally {
    prepared.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A network of a space gets weights that take no time to draw; a user's file is measured as it is. */
function filed(
  network: Network,
  folder: string,
): Pick<WorkerRequest, 'file' | 'inputs'> & { dispose(): void } {
  if (network.file !== undefined) return prepareNetwork(network, { sizes: {}, seed: 0 });
  const file = join(folder, 'network.onnx');
  writeModel(withCheapWeights(network.model()), file);
  const inputs = drawInputs(network.model(), { seed: 0, types: network.inference().graph.types });
  return { file, inputs, dispose: () => {} };
}

export function timedKernels({ kernels }: MeasuredNetwork): TimedKernel[] {
  return kernels.map(([operator, isBlocked, inputs, outputs, us]) => ({
    kernel: { operator, layout: isBlocked ? 'blocked' : 'plain', inputs, outputs, nodes: [] },
    us,
  }));
}
