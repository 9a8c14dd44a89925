// The networks of IO data: rows of a table or lines of a list, drawn with a seed, each network once. Every so many is one to
// validate with, so that a run that is not finished has some of both parts.
import { readFileSync } from 'node:fs';
import { streamFor } from '../../../nn/stream.js';
import { unreadable } from '../../../onnx/file.js';
import type { AnySpace } from '../../../spaces/space.js';
import { AuspexError } from '../../../util/errors.js';
import { openTable } from '../open.js';

export interface ListedNetwork {
  readonly text: string;
  readonly part: 'train' | 'validation';
}

interface Wanted {
  readonly networks: string;
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
  readonly seed: number;
}

/** A part of all networks to validate with, unless told. */
const VALIDATION = 0.1;

/** Codes: FILE_UNREADABLE, ARCH_TEXT, NETWORKS_FEW, and those of tables. */
export async function drawNetworks(
  space: AnySpace,
  { networks: file, train, validation, seed }: Wanted,
  signal?: AbortSignal,
): Promise<ListedNetwork[]> {
  const texts = /\.txt$/i.test(file) ? linesOf(file) : await archsOf(space, file, signal);
  const all = texts.length;
  const held = validation ?? (train === undefined ? Math.round(VALIDATION * all) : 0);
  const count = (train ?? all - held) + held;
  const found: string[] = [];
  const hashes = new Set<string>();
  for (const row of streamFor(seed, 'networks', 0).sample(all, all)) {
    if (found.length === count) break;
    const arch = parsed(space, texts[row]!, file);
    const hash = space.hash?.(arch) ?? space.format(arch);
    if (hashes.has(hash)) continue;
    hashes.add(hash);
    found.push(space.format(arch));
  }
  if (found.length < count && train !== undefined) {
    throw new AuspexError(
      'NETWORKS_FEW',
      `the file has ${found.length} different networks; ${count} are needed`,
      {
        where: { file },
        hint: 'lower --train or --validation',
      },
    );
  }
  const share = held / Math.max(1, count);
  return found.map((text, i) => ({
    text,
    part: Math.floor((i + 1) * share + 1e-9) > Math.floor(i * share + 1e-9) ? 'validation' : 'train',
  }));
}

async function archsOf(space: AnySpace, file: string, signal: AbortSignal | undefined): Promise<string[]> {
  const { table } = await openTable(file, {}, { signal });
  if (table.space !== space.name) {
    throw new AuspexError('SPACE_OTHER', `the table has networks of '${table.space}', not '${space.name}'`, {
      where: { file },
      hint: `give --space ${table.space}`,
    });
  }
  return Array.from({ length: table.rows }, (_, row) => table.arch(row));
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parsed(space: AnySpace, text: string, file: string): unknown {
  try {
    return space.parse(text);
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
}
