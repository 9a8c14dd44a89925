// What `auspex decode` does: from latents to networks. Networks near one, between two, drawn at random, or of a file of
// latents; and how well all this is decoded.
import { readNpy } from '../../inputs/npy.js';
import type { Network } from '../../networks/network.js';
import { CellAutoencoder, type Decoding } from '../../predictors/cell-autoencoder.js';
import { decodingQuality, reconstructionQuality } from '../../predictors/decoding-quality.js';
import { networksBetween, networksDrawn, networksNear } from '../../predictors/latent-space.js';
import type { Predictor } from '../../predictors/predictor.js';
import type { Cell } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { bundledEmbedding, openPredictor } from '../bundled.js';
import type { DecodeDocument } from '../documents/decode.js';
import { problemOf } from '../problem.js';
import { type OpenedReferences, openReferences, type ReferenceOptions } from '../resolve.js';

export interface DecodeRequest extends ReferenceOptions {
  readonly refs: readonly string[];
  /** A file, or `bundled:NAME`; by default a bundled one of the networks' space. */
  readonly predictor?: string | undefined;
  /** Networks near each. */
  readonly near?: number | undefined;
  /** Networks between two. */
  readonly between?: number | undefined;
  /** Networks of random latents. */
  readonly sample?: number | undefined;
  /** A .npy file, (rows, nodes · latent). */
  readonly latents?: string | undefined;
  readonly quality?: boolean | undefined;
  /** Greatest step of `near`, in deviations of known latents. */
  readonly radius?: number | undefined;
  readonly decoding?: Decoding | undefined;
  /** Random latents that the quality is judged by. */
  readonly draws?: number | undefined;
  readonly seed?: number | undefined;
  readonly threads?: number | undefined;
}

type Decoded = DecodeDocument['decoded'][number];

/** Random latents of papers. */
const DRAWS = 10_000;
const WAYS = ['near', 'between', 'sample', 'latents', 'quality'] as const;

/** Codes: those of references and predictors; CANNOT_DECODE, LATENTS_SHAPE, BAD_OPTION. */
export async function decodeNetworks(request: DecodeRequest, signal?: AbortSignal): Promise<DecodeDocument> {
  const { refs, input, table, decoding = 'valid' } = request;
  const way = wayOf(request);
  const isNamed = refs.length > 0 || input !== undefined || table !== undefined;
  const networks = isNamed ? await openReferences(refs, request) : undefined;
  expectNetworks(way, networks);
  const { name, kind, autoencoder } = await autoencoderFor(request, networks);
  try {
    const decoded = way === 'quality' ? [] : await decodedBy(way, request, autoencoder, networks, signal);
    return {
      schema: 'auspex.decode/1',
      predictor: name,
      kind,
      space: autoencoder.space.name,
      decoding,
      decoded,
      ...(way === 'quality' ? { quality: await qualityOf(request, autoencoder, networks, signal) } : {}),
    };
  } finally {
    await autoencoder.dispose();
  }
}

function wayOf(request: DecodeRequest): (typeof WAYS)[number] {
  const given = WAYS.filter((way) => request[way] !== undefined && request[way] !== false);
  if (given.length === 1) return given[0]!;
  throw new AuspexError(
    'BAD_OPTION',
    given.length === 0 ? 'nothing to decode' : `--${given[0]} and --${given[1]} exclude each other`,
    { hint: `give one of ${WAYS.map((way) => `--${way}`).join(', ')}` },
  );
}

function expectNetworks(way: (typeof WAYS)[number], networks: OpenedReferences | undefined): void {
  const count = networks?.count ?? 0;
  const wrong = (message: string, hint: string): AuspexError =>
    new AuspexError('BAD_OPTION', message, { hint });
  if (way === 'near' && count === 0) throw wrong('--near needs a network', 'give an architecture');
  if (way === 'between' && count !== 2) {
    throw wrong(`--between needs two networks, not ${count}`, 'give two architectures');
  }
  if ((way === 'sample' || way === 'latents') && count > 0) {
    throw wrong(`--${way} takes no networks`, 'leave them out; --space NAME or --predictor FILE is enough');
  }
}

/** The predictor that was asked for, or the bundled one of a space. */
async function autoencoderFor(
  { predictor: given, space, threads }: DecodeRequest,
  networks: OpenedReferences | undefined,
): Promise<{ name: string; kind: string; autoencoder: CellAutoencoder }> {
  const wanted = space ?? spaceOf(networks);
  if (given === undefined && wanted === undefined) {
    throw new AuspexError('BAD_OPTION', 'decode needs to know the space', {
      hint: 'give --space NAME, as in --space nasbench101, or --predictor FILE',
    });
  }
  const name = given ?? bundledEmbedding(wanted!);
  if (name === undefined) {
    throw new AuspexError('CANNOT_DECODE', `no bundled predictor decodes cells of ${wanted}`, {
      hint: 'train one: auspex train arch2vec --data TABLE -o cells.onnx, then --predictor cells.onnx',
    });
  }
  const options = threads === undefined ? {} : { threads };
  const predictor: Predictor = await openPredictor(name, options);
  const { kind } = predictor.info;
  const autoencoder = CellAutoencoder.of(predictor, options);
  await predictor.dispose();
  if (autoencoder) return { name, kind, autoencoder };
  throw new AuspexError('CANNOT_DECODE', `a predictor of the kind ${kind} cannot decode`, {
    where: { file: name },
    hint: 'give one of arch2vec, accuracy-model, io-model; those of earlier versions must be trained again',
  });
}

function spaceOf(networks: OpenedReferences | undefined): string | undefined {
  return networks?.at(0).arch?.space.name;
}

async function decodedBy(
  way: Exclude<(typeof WAYS)[number], 'quality'>,
  request: DecodeRequest,
  autoencoder: CellAutoencoder,
  networks: OpenedReferences | undefined,
  signal: AbortSignal | undefined,
): Promise<Decoded[]> {
  const { decoding = 'valid', seed = 0, radius } = request;
  const random = Random.seeded(seed);
  const refOf = (found: { network: Network } | undefined) => (found ? { ref: found.network.ref } : {});
  if (way === 'sample') {
    const drawn = networksDrawn(autoencoder, { count: request.sample!, random, decoding });
    return [{ of: [], networks: drawn.map(refOf) }];
  }
  if (way === 'latents') {
    const file = request.latents!;
    return [
      { of: [file], networks: rowsOf(file, autoencoder).map((z) => refOf(autoencoder.decode(z, decoding))) },
    ];
  }
  if (way === 'between') {
    const ends = [networks!.at(0), networks!.at(1)] as const;
    const found = await networksBetween(autoencoder, ends, { count: request.between!, decoding });
    const of = [networks!.name(0), networks!.name(1)];
    return [{ of, networks: found.map(({ part, decoded }) => ({ part, ...refOf(decoded) })) }];
  }
  const all: Decoded[] = [];
  for (let row = 0; row < networks!.count; row++) {
    signal?.throwIfAborted();
    const of = [networks!.name(row)];
    try {
      const options = { count: request.near!, random, decoding, ...(radius === undefined ? {} : { radius }) };
      const found = await networksNear(autoencoder, networks!.at(row), options);
      all.push({ of, networks: found.map(({ distance, ...each }) => ({ ...refOf(each), distance })) });
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      all.push({ of, networks: [], error: problemOf(error) });
    }
  }
  return all;
}

/** Rows of a file of latents. */
function rowsOf(file: string, { width, decoder }: CellAutoencoder): Float64Array[] {
  const { dims, data } = readNpy(file);
  const numbers = Float64Array.from(data as ArrayLike<number>, Number);
  const count = numbers.length / width;
  if (dims.at(-1) !== width && !(dims.at(-1) === decoder.latent && dims.at(-2) === decoder.nodes)) {
    throw new AuspexError('LATENTS_SHAPE', `the array has the shape (${dims.join(', ')})`, {
      where: { file },
      hint: `give (rows, ${width}): ${decoder.latent} numbers for each of ${decoder.nodes} nodes, as \`auspex embed --nodes\` writes them`,
    });
  }
  if (!numbers.every(Number.isFinite)) {
    throw new AuspexError('LATENTS_SHAPE', 'some latents are not finite', { where: { file } });
  }
  return Array.from({ length: count }, (_, row) => numbers.subarray(row * width, (row + 1) * width));
}

async function qualityOf(
  { draws = DRAWS, seed = 0 }: DecodeRequest,
  autoencoder: CellAutoencoder,
  networks: OpenedReferences | undefined,
  signal: AbortSignal | undefined,
): Promise<NonNullable<DecodeDocument['quality']>> {
  const { decoder, space } = autoencoder;
  const judged = (isConstrained: boolean) =>
    decodingQuality(decoder, space, { count: draws, random: Random.seeded(seed), isConstrained });
  const drawn = { drawn: draws, ...judged(false), constrained: judged(true) };
  if (networks === undefined) return drawn;
  const { data } = await autoencoder.latents(networks, signal ? { signal } : {});
  const cells = Array.from({ length: networks.count }, (_, row): Cell => networks.at(row).cell('whole')!);
  return {
    ...drawn,
    reconstruction: { networks: cells.length, ...reconstructionQuality(decoder, cells, data) },
  };
}
