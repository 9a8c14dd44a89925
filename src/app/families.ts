// What a network is known as: the space it is of, or a published network with the same structure.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Network } from '../networks/index.js';

const KNOWN = new URL('../../bundled/known-networks.json', import.meta.url);

const known = z.object({
  schema: z.literal('auspex.known-networks/1'),
  /** Names by structure hash. */
  networks: z.record(z.string(), z.string()),
});

let names: Readonly<Record<string, string>> | undefined;

export interface Family {
  readonly name: string;
  /** How it is known: the space is stated, or the structure hash is that of a published network. */
  readonly by: 'space' | 'structure';
}

export function familyOf(network: Network): Family | undefined {
  if (network.arch !== undefined) return { name: network.arch.space.title, by: 'space' };
  names ??= known.parse(JSON.parse(readFileSync(KNOWN, 'utf8'))).networks;
  const name = names[network.settled().hash()];
  return name === undefined ? undefined : { name, by: 'structure' };
}
