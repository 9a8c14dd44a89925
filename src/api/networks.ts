// Networks from whatever names them.
import type { NamedNetworks } from '../app/resolve.js';
import { Table } from '../datasets/table.js';
import type { Model } from '../graph/graph.js';
import { lazily, type Network, type Networks, type Sizes } from '../networks/index.js';
import { decodeModel, type ReadOptions } from '../onnx/read.js';
import { tableNetworks } from '../predictors/labelled-rows.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { checkedOptions, isObject, SIZES } from './options.js';

/** A network, or what names one: an architecture's text, a path, `onnx:FILE#edit`, the bytes of a file, a model. */
export type NetworkLike = string | Uint8Array | Model | Network;

/** Networks, or what names them. Of texts, folders and patterns such as `nets/*.onnx` stand for the files in them. */
export type NetworksLike = NetworkLike | Networks | Table | Iterable<NetworkLike>;

/**
 * Makes a network from a reference: an architecture of a search space, the path of an ONNX file, bytes or a model. Its
 * parts (model, shapes, cost, cell, hash) are computed when they are asked for, once.
 *
 * @param sizes that the reference leaves open, such as the batch; by default those of the space or the file
 * @throws AuspexError BAD_NETWORK, ARCH_TEXT, ARCH_AMBIGUOUS, SPACE_UNKNOWN; what is wrong with a file, its parts throw
 * @example
 * const cell = network('nasbench201:|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|skip_connect~2|');
 * cell.counts().parameters; // 559386
 * const file = network('resnet8.onnx');
 * file.cost().totals.macs; // 12501632
 */
export function network(ref: NetworkLike, sizes?: Sizes): Network {
  const at = checkedOptions<Sizes>('network', SIZES, sizes);
  expectReference(ref);
  if (isNetwork(ref)) return sizes === undefined ? ref : ref.at(at);
  return here().resolver().network(ref, { sizes: at });
}

/**
 * Makes a collection of networks, whose members are made when they are asked for. Folders and patterns are replaced by the
 * ONNX files in them; a table gives the networks of its rows.
 *
 * @throws AuspexError BAD_NETWORK, NETWORKS_NONE for a folder or a pattern without files
 * @example
 * const two = networks(['resnet8.onnx', 'nats-size:8:8:8:8:8'], { batch: 1 });
 * two.count; // 2
 * two.at(1).arch?.space.name; // 'nats-size'
 */
export function networks(refs: NetworksLike, sizes?: Sizes): Networks {
  return namedNetworks(refs, sizes);
}

/** Networks with what they were called. */
export function namedNetworks(refs: NetworksLike, sizes?: Sizes): NamedNetworks {
  const at = checkedOptions<Sizes>('networks', SIZES, sizes);
  const isSized = sizes !== undefined;
  if (refs instanceof Table) return ofTable(refs, at);
  if (isNetworks(refs)) {
    const list = isSized ? lazily(refs.count, (row) => refs.at(row).at(at)) : refs;
    return { ...list, name: isNamed(refs) ? (row) => refs.name(row) : (row) => list.at(row).ref };
  }
  const isOne = typeof refs === 'string' || refs instanceof Uint8Array || !isIterable(refs);
  const listed: readonly NetworkLike[] = (
    isOne ? [refs as NetworkLike] : [...(refs as Iterable<NetworkLike>)]
  ).flatMap((ref): readonly NetworkLike[] => (typeof ref === 'string' ? here().listed(ref) : [ref]));
  listed.forEach(expectReference);
  const resolver = here().resolver();
  const kept = new Map<number, Network>();
  const make = (row: number): Network => {
    const known = kept.get(row);
    if (known !== undefined) return known;
    const ref = listed[row]!;
    const made = typeof ref === 'string' ? resolver.network(ref, { sizes: at }) : network(ref, sizes);
    if (listed.length <= MOST_KEPT) kept.set(row, made);
    return made;
  };
  const name = (row: number): string => {
    const ref = listed[row];
    return typeof ref === 'string' ? ref : make(row).ref;
  };
  return { ...lazily(listed.length, make), name };
}

/** Longer lists make a network again each time: files take memory. */
const MOST_KEPT = 16;

/**
 * Reads an ONNX model. Weights are not read: a file of any size opens in milliseconds.
 *
 * @param source a path or, in pages too, bytes
 * @throws AuspexError FILE_UNREADABLE, ONNX_…
 * @example
 * const model = readModel('resnet8.onnx');
 * model.graph.nodes.length; // 28
 */
export function readModel(source: string | Uint8Array, options?: ReadOptions): Model {
  return typeof source === 'string' ? here().readModel(source, options) : decodeModel(source, options);
}

function ofTable(table: Table, sizes: Sizes): NamedNetworks {
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
  const all = tableNetworks(table, rows, here().resolver());
  const list = Object.keys(sizes).length === 0 ? all : lazily(all.count, (row) => all.at(row).at(sizes));
  return { ...list, name: (row) => table.arch(row) };
}

/** @throws AuspexError BAD_NETWORK */
function expectReference(ref: unknown): asserts ref is NetworkLike {
  if (typeof ref === 'string' || ref instanceof Uint8Array || isModel(ref) || isNetwork(ref)) return;
  throw new AuspexError('BAD_NETWORK', `${describe(ref)} is not a network`, {
    hint: 'give the text of an architecture, a path, the bytes of an ONNX file, or a model',
  });
}

function isNetwork(value: unknown): value is Network {
  return isObject(value) && typeof value.inference === 'function' && typeof value.settled === 'function';
}

function isModel(value: unknown): value is Model {
  return isObject(value) && isObject(value.graph) && value.opsetImports instanceof Map;
}

function isNetworks(value: unknown): value is Networks {
  return isObject(value) && typeof value.chunks === 'function' && typeof value.count === 'number';
}

function isNamed(value: Networks): value is NamedNetworks {
  return 'name' in value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? 'this object' : String(value).slice(0, 60);
}
