// Trying something that may fail for a reason users know, such as a missing weight file.
import { AuspexError } from './errors.js';

/** What `work` gives, or undefined if it ends in an `AuspexError`. Defects still come through. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof AuspexError) return undefined;
    throw error;
  }
}
