// Adds the command line to package.json while a package is packed, and takes it out again afterwards
// (`prepack`, `postpack`). In a checkout the field would make every `npx auspex` install the checkout into
// npx's cache first, which costs more than the inspection itself; there bundle-cli.js does the work.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package.json', import.meta.url);
const { bin: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
const packed = process.argv[2] === 'add' ? { ...manifest, bin: { auspex: 'dist/cli/main.js' } } : manifest;
writeFileSync(path, `${JSON.stringify(packed, null, 2)}\n`);
