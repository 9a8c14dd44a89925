// What a test asks of an error.
import { AuspexError } from './errors.js';

/** The code of what is thrown; `no error` if nothing is. Other errors are thrown on. */
export function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return codeIn(error);
  }
  return 'no error';
}

/** The same of work that takes time. */
export async function codeOfAsync(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return codeIn(error);
  }
  return 'no error';
}

function codeIn(error: unknown): string {
  if (error instanceof AuspexError) return error.code;
  throw error;
}
