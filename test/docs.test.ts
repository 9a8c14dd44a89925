// Documentation that is made from the code, or that promises something of it, must agree with it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operatorDocs } from '../src/ops/docs.js';
import { proxyDocs } from '../src/proxies/docs.js';

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, '..', path), 'utf8');

describe('documentation', () => {
  it('docs/reference/operators.md is what `npm run docs` makes', () => {
    expect(read('docs/reference/operators.md')).toBe(operatorDocs());
  });

  it('docs/reference/proxies.md is what `npm run docs` makes', () => {
    expect(read('docs/reference/proxies.md')).toBe(proxyDocs());
  });

  it('the README shows the commands that CI runs', () => {
    const readme = read('README.md');
    expect(readme).toContain('npm ci && npm test');
    expect(readme).toContain('npx auspex inspect examples/resnet8.onnx');
  });
});
