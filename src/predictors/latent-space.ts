// Moving in the latent space of cells: cells near a cell, cells between two, cells drawn as known ones are spread.
import type { Network } from '../networks/network.js';
import { listOf } from '../networks/networks.js';
import type { Random } from '../util/random.js';
import type { CellAutoencoder, DecodedNetwork, Decoding } from './cell-autoencoder.js';
import { drawnLatents } from './cell-decoder.js';

export interface NearOptions {
  /** How many networks are wanted; fewer are found where the neighbourhood has no more. */
  readonly count: number;
  readonly random: Random;
  /** Greatest step, in deviations of the latents of known cells. Default 1. */
  readonly radius?: number;
  readonly decoding?: Decoding;
}

export interface NearNetwork extends DecodedNetwork {
  /** Between embeddings, the means of nodes' latents. */
  readonly distance: number;
}

/** Latents that are decoded for each network that is wanted, at most. */
const DRAWS = 50;
/** Networks that are found for each one wanted, of which the nearest are taken. */
const CHOICE = 3;

/**
 * Different networks near one, the nearest first, never itself: decoded from its latents with noise, little at first and more
 * later.
 */
export async function networksNear(
  autoencoder: CellAutoencoder,
  network: Network,
  { count, random, radius = 1, decoding = 'valid' }: NearOptions,
): Promise<NearNetwork[]> {
  const { decoder } = autoencoder;
  const centre = await autoencoder.latentsOf(network);
  const own = network.key();
  const found = new Map<string, DecodedNetwork>();
  const draws = DRAWS * count;
  for (let draw = 1; draw <= draws && found.size < CHOICE * count; draw++) {
    const step = (radius * draw) / draws;
    const z = centre.map((x, i) => x + step * decoder.deviation[i]! * random.normal());
    const near = autoencoder.decode(z, decoding);
    if (near !== undefined && near.key !== own && !found.has(near.key)) found.set(near.key, near);
  }
  if (found.size === 0) return [];
  const all = [...found.values()];
  const { data, width } = await autoencoder.latents(listOf(all.map((each) => each.network)));
  const embedding = (z: Float64Array): Float64Array => meanOfNodes(z, decoder.latent);
  const start = embedding(centre);
  return all
    .map((each, i) => ({
      ...each,
      distance: euclidean(start, embedding(data.subarray(i * width, (i + 1) * width))),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count);
}

export interface BetweenNetwork {
  /** Of the way from the first to the second. */
  readonly part: number;
  /** Undefined where the latents are of no architecture. */
  readonly decoded: DecodedNetwork | undefined;
}

/** What is decoded at equal steps on the line between the latents of two networks, both ends included. */
export async function networksBetween(
  autoencoder: CellAutoencoder,
  [first, second]: readonly [Network, Network],
  { count, decoding = 'valid' }: { readonly count: number; readonly decoding?: Decoding },
): Promise<BetweenNetwork[]> {
  const { data, width } = await autoencoder.latents(listOf([first, second]));
  return Array.from({ length: count + 2 }, (_, i) => {
    const part = i / (count + 1);
    const z = data.subarray(0, width).map((x, k) => x + part * (data[width + k]! - x));
    return { part, decoded: autoencoder.decode(z, decoding) };
  });
}

/** Networks of random latents, which are spread as those of known cells; undefined where latents are of no architecture. */
export function networksDrawn(
  autoencoder: CellAutoencoder,
  {
    count,
    random,
    decoding = 'valid',
  }: { readonly count: number; readonly random: Random; readonly decoding?: Decoding },
): (DecodedNetwork | undefined)[] {
  return Array.from({ length: count }, () =>
    autoencoder.decode(drawnLatents(autoencoder.decoder, random), decoding),
  );
}

/** (nodes, latent) → (latent). */
function meanOfNodes(z: Float64Array, latent: number): Float64Array {
  const mean = new Float64Array(latent);
  z.forEach((x, i) => {
    mean[i % latent]! += (x * latent) / z.length;
  });
  return mean;
}

function euclidean(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0));
}
