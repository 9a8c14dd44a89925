// The JSON documents of `auspex predict`, as docs/json/predict.md describes them: one for every network.
import { z } from 'zod';
import { deviceSchema } from '../../predictors/devices/device.js';
import { type BundledEntry, bundledName } from '../bundled-index.js';
import type { DeviceAnswer } from '../device/answers.js';
import type { FoundMeasurement } from '../device/measured.js';
import type { PredictedNetwork } from '../predict.js';
import type { Rank } from '../predict-ranks.js';
import { problem, problemOf } from '../problem.js';
import { count, countOf } from './count.js';

const schema = z.literal('auspex.predict/1');

const deviceAnswer = z.object({
  name: z.string(),
  quantity: z.enum(['latency', 'energy']),
  isMeasured: z.boolean(),
  /** How the measurements were made that the device is known by. */
  on: deviceSchema.shape.measured,
  /** Of predictions on networks or families left out. */
  error: deviceSchema.shape.error,
  /** Of a network that was measured itself; `wasBusy` if other work slowed it down. */
  measurement: z
    .object({
      device: z.string(),
      date: z.string(),
      runtime: z.string().nullable(),
      threads: z.number(),
      runs: z.number(),
      wasBusy: z.boolean(),
    })
    .optional(),
  /** Operators or kernels of the network that were never measured on the device. */
  unknown: z.array(z.string()),
  rests: z.array(z.string()),
});

const answered = z.object({
  schema,
  /** What was given. */
  ref: z.string(),
  /** `onnx` for a file of which no architecture is known. */
  space: z.string(),
  /** The architecture's text, or the path. */
  arch: z.string(),
  file: z.string().optional(),
  /** The network it is known as, and how that is known. */
  family: z.object({ name: z.string(), by: z.enum(['space', 'structure']) }).optional(),
  predictions: z.array(
    z.object({
      label: z.string(),
      unit: z.string(),
      better: z.enum(['higher', 'lower']),
      value: z.number(),
      low: z.number().optional(),
      high: z.number().optional(),
      coverage: z.number().optional(),
      predictor: z.string(),
      /** From the networks of the predictor's training: up to 1 within them. */
      distance: z.number().optional(),
      /** Of an ensemble: what each member says, and how much it weighs in the order of networks. */
      members: z.array(z.object({ name: z.string(), weight: z.number(), value: z.number() })).optional(),
      /** How the network is assumed to be trained. */
      recipe: z.object({ name: z.string(), about: z.string() }).optional(),
      /** What else was assumed of it, in sentences. */
      assumed: z.array(z.string()).optional(),
      /** Networks of the training that are nearest, nearest first. */
      neighbours: z
        .array(z.object({ name: z.string(), distance: z.number(), published: z.number().optional() }))
        .optional(),
      /** Of networks of families left out, as far from known ones: the mean error, and what `coverage` of them are below. */
      errors: z.object({ mean: z.number(), most: z.number(), coverage: z.number() }).optional(),
      /** Of what a device needs: the device, whether this was measured, and what a prediction rests on. */
      device: deviceAnswer.optional(),
    }),
  ),
  /** Its place among the networks of the command, by a label: 1 is the best. */
  rank: z.object({ place: z.number(), of: z.number(), label: z.string() }).optional(),
  cost: z.object({ parameters: z.number(), macs: count, flops: count }).optional(),
  /** Sizes that the file leaves open and that were chosen: values by name, reasons, and the flags that change them. */
  chosenSizes: z
    .object({
      sizes: z.record(z.string(), z.number()),
      reasons: z.array(z.object({ name: z.string(), size: z.number(), why: z.string() })),
      flags: z.string(),
    })
    .optional(),
  /** Predictors that do not cover the network, and why. */
  refused: z.array(problem.extend({ predictor: z.string() })).optional(),
  /** What would be needed, where no predictor covers the network. */
  needed: z.string().optional(),
});

const failed = z.object({
  schema,
  ref: z.string(),
  line: z.number().optional(),
  error: problem,
});

export const predictDocument = z.union([answered, failed]);
export type PredictDocument = z.infer<typeof predictDocument>;

export const predictListDocument = z.object({
  schema: z.literal('auspex.predict.list/1'),
  predictors: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      spaces: z.array(z.string()),
      about: z.string(),
      labels: z.array(
        z.object({
          name: z.string(),
          unit: z.string(),
          better: z.enum(['higher', 'lower']),
          recipe: z.object({ name: z.string(), about: z.string() }).optional(),
        }),
      ),
    }),
  ),
});

export function predictDocumentOf(found: PredictedNetwork, rank?: Rank): PredictDocument {
  const { network, ref } = found;
  if (network === undefined) {
    const line = found.line === undefined ? {} : { line: found.line };
    return { schema: 'auspex.predict/1', ref, ...line, error: problemOf(found.error) };
  }
  const { answers, cost, family, refused, needed } = found;
  const chosen = cost === undefined ? undefined : network.chosenSizes();
  return {
    schema: 'auspex.predict/1',
    ref,
    space: network.arch?.space.name ?? 'onnx',
    arch: network.arch?.text ?? network.ref,
    ...(network.file === undefined ? {} : { file: network.file }),
    ...(family === undefined ? {} : { family }),
    predictions: answers.map(
      ({ label, prediction, predictor, distance, members, rests, assumed, device }) => ({
        label: label.name,
        unit: label.unit,
        better: label.better,
        ...prediction,
        ...(label.interval ? { coverage: label.interval.coverage } : {}),
        predictor,
        ...(distance === undefined ? {} : { distance }),
        ...(members === undefined ? {} : { members: [...members] }),
        ...(label.recipe ? { recipe: label.recipe } : {}),
        ...(assumed.length > 0 ? { assumed: [...assumed] } : {}),
        ...(rests ? { neighbours: [...rests.neighbours] } : {}),
        ...(rests?.errors ? { errors: rests.errors } : {}),
        ...(device ? { device: deviceDocumentOf(device) } : {}),
      }),
    ),
    ...(rank === undefined ? {} : { rank }),
    ...(cost === undefined
      ? {}
      : { cost: { parameters: cost.parameters, macs: countOf(cost.macs), flops: countOf(cost.flops) } }),
    ...(chosen?.isChecked
      ? { chosenSizes: { sizes: chosen.sizes, reasons: [...chosen.reasons], flags: chosen.flags } }
      : {}),
    ...(refused.length === 0
      ? {}
      : { refused: refused.map(({ predictor, error }) => ({ predictor, ...problemOf(error) })) }),
    ...(needed === undefined ? {} : { needed }),
  };
}

function deviceDocumentOf({ device, measured, unknown, rests }: DeviceAnswer): z.infer<typeof deviceAnswer> {
  const { name, quantity, measured: on, error } = device;
  const { medianMs: _, interval: __, ...measurement } = measured ?? {};
  return {
    ...{ name, quantity, isMeasured: measured !== undefined, on, error },
    ...(measured === undefined ? {} : { measurement: measurement as Omit<FoundMeasurement, 'medianMs'> }),
    unknown: [...unknown],
    rests: [...rests],
  };
}

export function predictListOf(entries: readonly BundledEntry[]): z.infer<typeof predictListDocument> {
  return {
    schema: 'auspex.predict.list/1',
    predictors: entries.map(({ file, kind, spaces, about, labels }) => ({
      name: bundledName(file),
      kind,
      spaces,
      about,
      labels,
    })),
  };
}
