// Writes docs/operators.md: every operator auspex knows, how it is counted and what its inputs are.
// Run by `npm run docs`; a test checks that the file is up to date.
import { writeFileSync } from 'node:fs';
import { operatorDocs } from '../dist/ops/docs.js';

writeFileSync(new URL('../docs/operators.md', import.meta.url), operatorDocs());
