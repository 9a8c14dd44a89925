// Proxies and combinations of them as columns of numbers, one number a network.
import { COMBINATIONS, combinationNamed, PROXIES, requestNamed } from '../../proxies/index.js';

/** A proxy or a combination, as a column of numbers. */
export interface ProxyColumn {
  readonly name: string;
  readonly title: string;
  readonly better: 'higher' | 'lower';
  /** The scores it is made of, by the names of plans. */
  readonly members: readonly string[];
  /** Of a combination: from one list of scores a member. */
  readonly combine?: (scores: readonly (readonly (number | undefined)[])[]) => (number | undefined)[];
}

/**
 * What names stand for; `all` for all proxies and named combinations.
 *
 * @throws AuspexError PROXY_UNKNOWN, PROXY_VARIANT
 */
export function columnsNamed(texts: readonly string[]): ProxyColumn[] {
  const all = [...PROXIES.map((proxy) => proxy.name), ...Object.keys(COMBINATIONS)];
  const wanted = texts.flatMap((text) => (text === 'all' ? all : [text]));
  return [...new Set(wanted)].map(columnNamed);
}

function columnNamed(name: string): ProxyColumn {
  if (!name.includes('+') && !Object.hasOwn(COMBINATIONS, name)) {
    const { title, better } = requestNamed(name).proxy;
    return { name, title, better, members: [name] };
  }
  const { members, combine } = combinationNamed(name);
  return {
    name,
    title: name.includes('+') ? 'mean rank' : name.toUpperCase(),
    better: 'higher',
    members: members.map(({ proxy, variant }) => (variant ? `${proxy.name}:${variant}` : proxy.name)),
    combine,
  };
}

/** The scores that columns are made of, each once. */
export function partsOf(columns: readonly ProxyColumn[]): string[] {
  return [...new Set(columns.flatMap(({ members }) => members))];
}

/** One number a network for every column. */
export function columnValues(
  columns: readonly ProxyColumn[],
  records: readonly { readonly scores: Readonly<Record<string, number>> }[],
): (number | undefined)[][] {
  return columns.map(({ members, combine }) => {
    const lists = members.map((member) => records.map(({ scores }) => scores[member]));
    return combine ? combine(lists) : lists[0]!;
  });
}
