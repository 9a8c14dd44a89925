// Writes bundled/known-networks.json: the structure hashes of the published networks that tests read, so that
// `auspex predict` can name them. Run after `npm run build`; test/known-networks.test.ts compares the file.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Resolver } from '../dist/networks/index.js';

const exports = new URL('../test/fixtures/exports/', import.meta.url);
const { networks } = JSON.parse(readFileSync(new URL('manifest.json', exports), 'utf8'));
const resolver = new Resolver();
const published = networks.filter(({ source }) => /^(torchvision|transformers)\./.test(source));
const found = published.map(({ file, source }) => {
  const network = resolver.network(gunzipSync(readFileSync(new URL(file, exports)))).settled();
  return [network.hash(), source];
});
const sorted = Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
const text = JSON.stringify({ schema: 'auspex.known-networks/1', networks: sorted }, null, 2);
writeFileSync(new URL('../bundled/known-networks.json', import.meta.url), `${text}\n`);
