// The JSON document of `auspex device calibrate`, as docs/json/calibration.md describes it.
import { z } from 'zod';
import { type Device, deviceSchema } from '../../predictors/devices/device.js';
import type { KernelModel } from '../../predictors/devices/kernels/model.js';
import { problem } from '../problem.js';

export const calibrationDocument = z.object({
  schema: z.literal('auspex.calibration/1'),
  file: z.string(),
  /** Without its model. */
  device: deviceSchema.omit({ model: true }),
  /** Of measuring, in all runs. */
  seconds: z.number(),
  /** Networks during whose runs other processes took the processor; their time of the processor is used. */
  busy: z.number(),
  /** Kernels of different sizes that each class was fitted to. */
  classes: z.array(z.object({ class: z.string(), kernels: z.number() })),
  correction: z.object({
    share: z.number(),
    perKernelMs: z.number(),
    perRunMs: z.number(),
    perOutputMegabyteMs: z.number(),
  }),
  failures: z.array(z.object({ network: z.string(), error: problem })),
});
export type CalibrationDocument = z.infer<typeof calibrationDocument>;

export function calibrationDocumentOf(
  file: string,
  { model: _, ...device }: Device,
  { times, correction }: KernelModel,
  rest: Pick<CalibrationDocument, 'seconds' | 'busy' | 'failures'>,
): CalibrationDocument {
  const { share, perKernel, perRun, perOutputMegabyte } = correction;
  return {
    schema: 'auspex.calibration/1',
    file,
    device,
    classes: Object.entries(times.classes)
      .map(([name, { count }]) => ({ class: name, kernels: count }))
      .sort((a, b) => b.kernels - a.kernels),
    correction: {
      share,
      perKernelMs: perKernel,
      perRunMs: perRun,
      perOutputMegabyteMs: perOutputMegabyte,
    },
    ...rest,
  };
}
