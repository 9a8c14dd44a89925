// Rows of equal architectures where there are files: those are equal if their contents are.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import type { Groups } from '../datasets/splits/group-splits.js';
import type { Table } from '../datasets/table.js';
import { type Equality, equalRowsBy } from './arch-keys.js';
import type { Work } from './work.js';

export function equalRows(table: Table, equality: Equality, work: Work = {}): Promise<Groups> {
  return equalRowsBy(table, equality, contentKey, work);
}

/** A digest of what a file holds; of one that cannot be read, its path. */
async function contentKey(path: string): Promise<string> {
  try {
    if (!statSync(path).isFile()) return path;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
    return hash.digest('base64');
  } catch {
    return path;
  }
}
