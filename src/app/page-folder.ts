// Where the package has its page and its predictors.
import { fileURLToPath } from 'node:url';

/** The built page: dist/page. */
export const PAGE_FOLDER = fileURLToPath(new URL('../page/', import.meta.url));
export const BUNDLED_FOLDER = fileURLToPath(new URL('../../bundled/', import.meta.url));
