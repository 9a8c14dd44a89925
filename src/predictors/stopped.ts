// What a training that is told to stop says.
import { AuspexError } from '../util/errors.js';

/** Throws TRAINING_STOPPED where the signal says so. */
export function expectGoing(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new AuspexError('TRAINING_STOPPED', 'the training was stopped', {
    kind: 'failure',
    hint: 'it can be resumed where there are checkpoints',
  });
}
