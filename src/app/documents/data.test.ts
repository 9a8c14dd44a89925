// docs/json/data.md names every field of every document.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATA_DOCUMENTS } from './data.js';

const text = readFileSync(resolve(import.meta.dirname, '../../../docs/json/data.md'), 'utf8');

describe('docs/json/data.md', () => {
  it.each(Object.entries(DATA_DOCUMENTS))('describes %s', (name, document) => {
    const section = text.split(/^## /m).find((part) => part.startsWith(`\`auspex data ${name} `));
    expect(section).toContain(`auspex.data.${name}/1`);
    for (const field of Object.keys(document.shape)) {
      if (field !== 'schema') expect(section, field).toMatch(new RegExp(`\`${field}(?:\\[\\])?[\`.]`));
    }
  });
});
