// What a network is known as: the space it is of, or a published network with the same structure.
import { readFileSync } from 'node:fs';
import type { Network } from '../networks/index.js';
import { type Family, familyAmong, knownNetworks } from './known-networks.js';

const KNOWN = new URL('../../bundled/known-networks.json', import.meta.url);

let names: Readonly<Record<string, string>> | undefined;

export function familyOf(network: Network): Family | undefined {
  if (network.arch === undefined)
    names ??= knownNetworks.parse(JSON.parse(readFileSync(KNOWN, 'utf8'))).networks;
  return familyAmong(network, names ?? {});
}
