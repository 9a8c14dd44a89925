// What a scoring is asked for: which proxies, how networks are built and what they are scored on. A plan is plain data:
// it goes to workers and into logs.
import * as z from 'zod';
import type { Sizes } from '../../networks/index.js';
import { LOSS_KINDS } from '../../proxies/index.js';
import { AuspexError } from '../../util/errors.js';
import { type ProxyColumn, partsOf } from './columns.js';

/** Of ImageNet, in red, green and blue: what networks for photographs are mostly trained with. */
const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;

/** Samples at once of networks that a space builds, as of files that leave it open. */
export const BATCH = 16;

const wholeNumber = z.int().min(0);
const size = z.int().min(1);
const perColour = z.array(z.number()).readonly();

/** A file with values of an input; of the first one where no name is given. */
const givenInput = z.object({ name: z.string().exactOptional(), file: z.string() }).readonly();
export type GivenInput = z.infer<typeof givenInput>;

/** Images to score on, and how their samples of 0..1 are normalised: numbers for all colours, or one each. */
const givenImages = z.object({ folder: z.string(), mean: perColour, std: perColour }).readonly();
export type GivenImages = z.infer<typeof givenImages>;

/** All that scores depend on, beside proxies and networks: `options` of JSON documents. */
export const planOptions = z.strictObject({
  seed: wholeNumber,
  init: z.enum(['file', 'seeded']),
  batch: size.exactOptional(),
  resolution: size.exactOptional(),
  width: z.number().positive().exactOptional(),
  classes: size.exactOptional(),
  dims: z.record(z.string(), wholeNumber).readonly().exactOptional(),
  shapes: z
    .record(z.string(), z.array(z.union([wholeNumber, z.string()])).readonly())
    .readonly()
    .exactOptional(),
  inputs: z.array(givenInput).readonly().exactOptional(),
  targets: z.string().exactOptional(),
  images: givenImages.exactOptional(),
  weights: z.array(z.string()).readonly().exactOptional(),
  features: z.string().exactOptional(),
  logits: z.string().exactOptional(),
  loss: z.enum(['auto', ...LOSS_KINDS]).exactOptional(),
  vocabulary: size.exactOptional(),
  statistics: z.enum(['batch', 'frozen']).exactOptional(),
});

export const scoringPlan = planOptions.extend({
  /** The space of texts that do not name theirs; null: none was given. */
  space: z.string().nullable(),
  /** As `requestNamed` takes them. */
  proxies: z.array(z.string()).readonly(),
});
export type ScoringPlan = Readonly<z.infer<typeof scoringPlan>>;

/** What a caller may ask for; the rest is chosen. */
export interface ScoringRequest {
  readonly space?: string | undefined;
  readonly seed?: number | undefined;
  readonly init?: ScoringPlan['init'] | undefined;
  readonly sizes?: Sizes | undefined;
  readonly inputs?: readonly GivenInput[] | undefined;
  readonly targets?: string | undefined;
  readonly images?: string | undefined;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
  readonly weights?: readonly string[] | undefined;
  readonly features?: string | undefined;
  readonly logits?: string | undefined;
  readonly loss?: ScoringPlan['loss'] | undefined;
  readonly vocabulary?: number | undefined;
  readonly statistics?: ScoringPlan['statistics'] | undefined;
}

/** The kinds of networks that there are: sizes that none of them has are refused. */
interface NetworkKinds {
  readonly hasFiles: boolean;
  readonly hasArchitectures: boolean;
}

/**
 * The plan of a request.
 *
 * @throws AuspexError BAD_OPTION
 */
export function planOf(
  request: ScoringRequest,
  columns: readonly ProxyColumn[],
  { hasFiles, hasArchitectures }: NetworkKinds = { hasFiles: true, hasArchitectures: true },
): ScoringPlan {
  const { space, seed = 0, init = 'file', sizes = {}, inputs, targets } = request;
  const { weights, features, logits, loss, vocabulary, statistics } = request;
  const { batch, resolution, width, classes, dims, shapes } = sizes;
  if (targets !== undefined && inputs === undefined) {
    throw new AuspexError('BAD_OPTION', '--targets requires --inputs');
  }
  const images = imagesOf(request);
  if (!hasArchitectures) refuse({ width, classes }, 'architectures of a space');
  if (!hasFiles) refuse({ dim: dims, shape: shapes }, 'ONNX files');
  const optional = { batch, resolution, width, classes, dims, shapes, inputs, targets, images };
  const all = { ...optional, weights, features, logits, loss, vocabulary, statistics };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { space: space ?? null, proxies: partsOf(columns), seed, init, ...given };
}

function refuse(options: Readonly<Record<string, unknown>>, what: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) throw new AuspexError('BAD_OPTION', `--${name} applies only to ${what}`);
  }
}

function imagesOf({ images, mean, std, inputs }: ScoringRequest): GivenImages | undefined {
  if (images === undefined) {
    if (mean === undefined && std === undefined) return undefined;
    throw new AuspexError('BAD_OPTION', '--mean and --std require --images');
  }
  if (inputs !== undefined) {
    throw new AuspexError('BAD_OPTION', '--images and --inputs cannot be combined');
  }
  if (std?.some((value) => value <= 0)) throw new AuspexError('BAD_OPTION', '--std must be above 0');
  return { folder: images, mean: mean ?? IMAGENET.mean, std: std ?? IMAGENET.std };
}
