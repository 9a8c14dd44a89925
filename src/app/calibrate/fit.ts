// From the networks of a calibration to a device: models of kernels, the correction of whole networks, and the errors that are
// found when families are left out.

import { quantileOf } from '../../measure/statistics.js';
import type { DeviceError } from '../../predictors/devices/device.js';
import { KERNELS, type KernelModel } from '../../predictors/devices/kernels/model.js';
import {
  corrected,
  fitCorrection,
  type SumOfKernels,
  sumOfKernels,
} from '../../predictors/devices/kernels/network-time.js';
import { fittingTimes, type KernelTimes } from '../../predictors/devices/kernels/times.js';
import { paced } from '../../util/pauses.js';
import type { Work } from '../work.js';
import { OPERATORS } from './candidates.js';
import { type MeasuredNetwork, timedKernels } from './measured-network.js';

const FOLDS = 5;
/** A machine is busy if the clock runs so much longer than the processor works, at one thread. */
const BUSY = 1.1;
/** Of a model that is thrown away again. */
const FEWER_TREES = 60;

export interface FittedKernels {
  readonly model: KernelModel;
  readonly error: DeviceError | null;
}

/** What a network takes: time of the processor where others disturbed it. */
export function latencyMs({ wallMs, cpuMs }: MeasuredNetwork, threads: number): number {
  return threads === 1 && cpuMs > 0 && wallMs > BUSY * cpuMs ? cpuMs : wallMs;
}

export async function fitKernels(
  networks: readonly MeasuredNetwork[],
  { blockChannels, threads }: { readonly blockChannels: number; readonly threads: number },
  work: Work = {},
): Promise<FittedKernels> {
  const all = FOLDS + 3;
  const report = (done: number): void => work.progress?.(done, all);
  const truthOf = (network: MeasuredNetwork): number => latencyMs(network, threads);
  const whole = networks.filter(isWhole);
  const families = [...new Set(whole.map(({ family }) => family))];
  const foldOf = ({ family }: MeasuredNetwork): number => families.indexOf(family) % FOLDS;
  const errors: number[] = [];
  for (let fold = 0; fold < FOLDS && families.length >= FOLDS; fold++) {
    const known = networks.filter((network) => !isWhole(network) || foldOf(network) !== fold);
    const { times, correction } = await fitted(known, truthOf, work, FEWER_TREES);
    for (const network of whole) {
      if (foldOf(network) !== fold) continue;
      errors.push(Math.log(corrected(sumOf(times, network), correction) / truthOf(network)));
    }
    report(fold + 1);
  }
  const { times, correction } = await fitted(networks, truthOf, work);
  report(all);
  const sizes = errors.map(Math.abs);
  const error90 = sizes.length === 0 ? 0.3 : quantileOf(Float64Array.from(sizes).sort(), 0.9);
  const relative = errors.map((error) => Math.abs(Math.exp(error) - 1));
  const mean = relative.reduce((sum, error) => sum + error, 0) / Math.max(1, relative.length);
  const share = (isIn: (error: number) => boolean): number => relative.filter(isIn).length / relative.length;
  return {
    model: { kind: KERNELS, blockChannels, times, correction, error90 },
    error:
      relative.length === 0
        ? null
        : {
            leftOut: 'families',
            networks: relative.length,
            mape: 100 * mean,
            medianError: 100 * quantileOf(Float64Array.from(relative).sort(), 0.5),
            within10: share((error) => error <= 0.1),
            coverage: null,
          },
  };
}

function isWhole({ family }: MeasuredNetwork): boolean {
  return family !== OPERATORS;
}

function sumOf(times: KernelTimes, network: MeasuredNetwork): SumOfKernels {
  const kernels = timedKernels(network).map(({ kernel }) => kernel);
  return sumOfKernels(times, kernels, network.outputBytes);
}

async function fitted(
  networks: readonly MeasuredNetwork[],
  truthOf: (network: MeasuredNetwork) => number,
  { signal }: Work,
  mostTrees?: number,
): Promise<{ times: KernelTimes; correction: KernelModel['correction'] }> {
  const timed = networks.flatMap(timedKernels);
  const times = await paced(fittingTimes(timed, mostTrees), () => signal?.throwIfAborted());
  const whole = networks.filter(isWhole);
  const sums = whole.map((network) => sumOf(times, network));
  return { times, correction: fitCorrection(sums, whole.map(truthOf)) };
}
