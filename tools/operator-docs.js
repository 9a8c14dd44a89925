// Writes docs/reference/operators.md (every operator auspex knows, how it is counted and what its inputs are) and docs/reference/proxies.md.
// Run by `npm run docs`; a test checks that both are up to date.
import { writeFileSync } from 'node:fs';
import { operatorDocs } from '../dist/ops/docs.js';
import { proxyDocs } from '../dist/proxies/docs.js';

writeFileSync(new URL('../docs/reference/operators.md', import.meta.url), operatorDocs());
writeFileSync(new URL('../docs/reference/proxies.md', import.meta.url), proxyDocs());
