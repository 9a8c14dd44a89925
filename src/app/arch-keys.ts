// What equal architectures have in common: their canonical text; the function they compute; of files, what they hold.
// By default only texts count: of NAS-Bench-201's cells, each trained on its own, two thirds compute the function of
// another one, and a training set drawn by functions would hold few different ones.
import type { ArchKey } from '../datasets/splits/digests.js';
import { type Groups, groupsBy } from '../datasets/splits/group-splits.js';
import type { Table } from '../datasets/table.js';
import { ONNX } from '../networks/index.js';
import { SPACES } from '../spaces/index.js';
import { type Work, yielding } from './work.js';

export const EQUALITIES = ['text', 'function'] as const;

/** `text`: the same choices, however they are written. `function`: the same network, by its space's hash. */
export type Equality = (typeof EQUALITIES)[number];

/** Reading a text takes some 50 µs; in larger tables texts are compared as they are. */
const PARSED_ROWS = 50_000;

/** The key of a space's architectures; texts that are none, and spaces that are not known, are compared as they are. */
export function archKeyOf(space: string, equality: Equality = 'text'): ArchKey {
  const found = SPACES.find(({ name }) => name === space);
  if (found === undefined) return (arch) => arch;
  return (arch) => {
    try {
      const parsed = found.parse(arch);
      return (equality === 'function' ? found.hash?.(parsed) : undefined) ?? found.format(parsed);
    } catch {
      return arch;
    }
  };
}

/**
 * Rows of equal architectures.
 *
 * @param contentKey of the file of a path: files are equal if theirs are
 */
export async function equalRowsBy(
  table: Table,
  equality: Equality,
  contentKey: (path: string) => Promise<string>,
  work: Work = {},
): Promise<Groups> {
  const isCompared = equality === 'text' && table.rows > PARSED_ROWS;
  const key = isCompared ? (arch: string) => arch : archKeyOf(table.space, equality);
  const keys: string[] = [];
  const contents = new Map<string, string>();
  for await (const row of yielding(table.rows, work)) {
    const arch = table.arch(row);
    if (table.space !== ONNX) keys.push(key(arch));
    else {
      if (!contents.has(arch)) contents.set(arch, await contentKey(arch));
      keys.push(contents.get(arch)!);
    }
  }
  return groupsBy(keys);
}
