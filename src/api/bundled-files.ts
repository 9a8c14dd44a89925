// The predictors of the package in a page: separate files, fetched from where the application puts them.
import { bundledIndex, IndexedPredictors } from '../app/bundled-index.js';
import { familyAmong, knownNetworks } from '../app/known-networks.js';
import { decodePredictor } from '../predictors/load.js';
import { AuspexError } from '../util/errors.js';
import { folderUrl } from '../util/page-url.js';
import { here, useEnvironment } from './environment.js';

/**
 * Makes the bundled predictors available in a page. They are the folder `bundled` of the package, which the application
 * copies beside its other files. Two small indexes are fetched now; each predictor when a network is first met that it may
 * be for.
 *
 * @param folder the URL of the folder, relative to the page
 * @throws AuspexError BUNDLED_UNREADABLE if nothing like it is at that URL
 * @example
 * const problem: AuspexError = await useBundled('http://localhost:1/bundled/').catch((error) => error);
 * problem.code; // 'BUNDLED_UNREADABLE'
 */
export async function useBundled(folder: string | URL): Promise<void> {
  const base = folderUrl(folder);
  const [index, known] = await Promise.all([
    fetched(new URL('index.json', base), async (response) => bundledIndex.parse(await response.json())),
    fetched(new URL('known-networks.json', base), async (response) =>
      knownNetworks.parse(await response.json()),
    ),
  ]);
  useEnvironment({
    ...here(),
    bundled: (options) =>
      new IndexedPredictors(index.predictors, (file) =>
        fetched(new URL(file, base), async (response) =>
          decodePredictor(new Uint8Array(await response.arrayBuffer()), options),
        ),
      ),
    familyOf: (network) => familyAmong(network, known.networks),
  });
}

async function fetched<T>(url: URL, read: (response: Response) => Promise<T>): Promise<T> {
  let cause: unknown;
  try {
    const response = await fetch(url);
    if (response.ok) return await read(response);
    cause = new Error(`status ${response.status}`);
  } catch (error) {
    if (error instanceof AuspexError) throw error;
    cause = error;
  }
  throw new AuspexError('BUNDLED_UNREADABLE', `bundled predictors cannot be read from ${url.href}`, {
    kind: 'failure',
    hint: "copy the folder 'bundled' of the package there, or give the URL where it is",
    cause,
  });
}
