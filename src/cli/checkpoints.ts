// Checkpoints of a training, beside the file that it writes.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AuspexError } from '../util/errors.js';

const ENDING = '.checkpoint';

/** @param part of the training, such as `member0` */
export function checkpointPath(output: string, part: string): string {
  return `${output}.${part}${ENDING}`;
}

function checkpointsOf(output: string): string[] {
  const folder = dirname(output);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith(`${basename(output)}.`) && name.endsWith(ENDING))
    .map((name) => join(folder, name));
}

/** Throws an AuspexError CHECKPOINT_EXISTS where an earlier training left some. */
export function requireFresh(output: string): void {
  const [earlier] = checkpointsOf(output);
  if (earlier === undefined) return;
  throw new AuspexError('CHECKPOINT_EXISTS', 'an earlier training of this file was stopped', {
    where: { file: earlier },
    hint: 'go on with --resume, or delete its checkpoints to begin anew',
  });
}

export function removeCheckpoints(output: string): void {
  for (const path of checkpointsOf(output)) rmSync(path, { force: true });
}
