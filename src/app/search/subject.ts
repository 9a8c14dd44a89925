// The space that is searched, and the networks of its texts: a space by name, or the neighbourhood of a file.
import { ArchNetwork, type Network, ONNX, type Resolver, type Sizes } from '../../networks/index.js';
import type { MakeNetwork } from '../../search/subjects.js';
import type { AnySpace } from '../../spaces/space.js';
import { diskResolver } from '../resolve.js';

export interface SearchSubject {
  readonly space: AnySpace;
  readonly network: MakeNetwork;
  /** The file whose neighbourhood the space is. */
  readonly file: string | undefined;
  readonly resolver: Resolver;
  /** Held, or the file could be opened again. */
  readonly base: Network | undefined;
}

/** @param name `nasbench201`, or `onnx:net.onnx` */
export function openSubject(name: string, sizes: Sizes): SearchSubject {
  const resolver = diskResolver({ isKeptOpen: true });
  const file = name.startsWith(`${ONNX}:`) ? name.slice(ONNX.length + 1) : undefined;
  const base = file === undefined ? undefined : resolver.network(name);
  const space = resolver.space(name);
  const network: MakeNetwork = (text) => new ArchNetwork(space, space.parse(text), sizes, file);
  return { space, network, file, resolver, base };
}
