// A checkpoint in a file: written beside it, flushed to disk, renamed over it. Whenever the process is killed, the
// file holds a whole checkpoint.
import { readFile } from 'node:fs/promises';
import type { CheckpointStore } from '../nn/checkpoint.js';
import { writeAtomically } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';

/**
 * Keeps the checkpoint of a training at a path.
 *
 * @example
 * await trainer.fit({ epochs: 100, batches, checkpoint: checkpointFile('run.checkpoint.onnx') });
 */
export function checkpointFile(path: string): CheckpointStore {
  return {
    async load() {
      try {
        return new Uint8Array(await readFile(path));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        const why = (cause as Error).message;
        throw new AuspexError('FILE_UNREADABLE', `the checkpoint cannot be read: ${why}`, {
          where: { file: path },
          kind: 'failure',
          cause,
        });
      }
    },
    async save(bytes) {
      writeAtomically(path, (write) => write(bytes));
    },
  };
}
