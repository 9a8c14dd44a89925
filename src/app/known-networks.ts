// Published networks by their structure hash, and what a network is known as.
import { z } from 'zod';
import type { Network } from '../networks/index.js';

export const knownNetworks = z.object({
  schema: z.literal('auspex.known-networks/1'),
  /** Names by structure hash. */
  networks: z.record(z.string(), z.string()),
});

export interface Family {
  readonly name: string;
  /** How it is known: the space is stated, or the structure hash is that of a published network. */
  readonly by: 'space' | 'structure';
}

export function familyAmong(network: Network, names: Readonly<Record<string, string>>): Family | undefined {
  if (network.arch !== undefined) return { name: network.arch.space.title, by: 'space' };
  const name = names[network.settled().hash()];
  return name === undefined ? undefined : { name, by: 'structure' };
}
