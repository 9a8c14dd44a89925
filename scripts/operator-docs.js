// Writes docs/operators.md (every operator auspex knows, how it is counted and what its inputs are) and docs/proxies.md.
// Run by `npm run docs`; a test checks that both are up to date.
import { writeFileSync } from 'node:fs';
import { operatorDocs } from '../dist/ops/docs.js';
import { proxyDocs } from '../dist/proxies/docs.js';

writeFileSync(new URL('../docs/operators.md', import.meta.url), operatorDocs());
writeFileSync(new URL('../docs/proxies.md', import.meta.url), proxyDocs());
