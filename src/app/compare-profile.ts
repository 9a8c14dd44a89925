// Two networks measured in turn and profiled: where one is faster or slower than the other.
import { casesOf } from '../measure/grid.js';
import { combined, type Measurement, measureBlock } from '../measure/measure.js';
import { type PreparedNetwork, prepareNetwork } from '../measure/prepare.js';
import type { ProcessRecord } from '../measure/process.js';
import { type Profile, profileNetwork } from '../measure/profile/profile.js';
import { STOPPING } from '../measure/stopping.js';
import type { Network } from '../networks/index.js';

export interface ProfiledSide {
  readonly measurement: Measurement;
  readonly profile: Profile;
}

export interface ComparedProfiles {
  readonly a: ProfiledSide;
  readonly b: ProfiledSide;
}

export interface CompareProfileOptions {
  readonly threads: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** Blocks of each; enough to see a difference, and done in half a minute. */
const BLOCKS = 3;
const SECONDS = 3;
const TIMEOUT_SECONDS = 300;

export async function compareProfiles(
  a: Network,
  b: Network,
  { threads, seed, signal }: CompareProfileOptions,
): Promise<ComparedProfiles> {
  const [{ settings }] = casesOf({ threads: [threads] }) as [ReturnType<typeof casesOf>[number]];
  const limits = { seconds: TIMEOUT_SECONDS, signal };
  const prepared: PreparedNetwork[] = [];
  try {
    for (const network of [a, b]) prepared.push(prepareNetwork(network, { sizes: {}, seed }));
    const blocks: ProcessRecord[][] = [[], []];
    for (let i = 0; i < 2 * BLOCKS; i++) {
      const rule = { ...STOPPING, seconds: SECONDS };
      blocks[i % 2]!.push(await measureBlock({ prepared: prepared[i % 2]!, settings, rule, limits }));
    }
    const side = async (n: 0 | 1): Promise<ProfiledSide> => ({
      measurement: combined(blocks[n]!, threads),
      profile: await profileNetwork(prepared[n]!, settings, limits),
    });
    return { a: await side(0), b: await side(1) };
  } finally {
    for (const one of prepared) one.dispose();
  }
}
