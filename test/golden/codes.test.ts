// Codes of errors are a contract: programs test for them. Codes may be added to the list, none may go from it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isUpdate, ROOT, readFixture, writeFixture } from './harness.js';

const FIXTURE = 'codes.json';
/** Texts that look like a code: names of other programs' values. */
const OTHERS = new Set([
  'SAME_UPPER',
  'SAME_LOWER',
  'TO_FLOAT',
  'BRANCH_LEQ',
  'AUSPEX_ONNX',
  'ERR_BUFFER_TOO_LARGE',
]);
/** Where codes are thrown: the class, and functions that take a code first. */
const THROWN = /(?:AuspexError|\b(?:error|fail|failure|refuse))\(\s*'([A-Z][A-Z0-9_]{2,})'/g;
const WRITTEN = /'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g;

const texts = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.(test|testing|generated)\.ts$/.test(path))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
const matching = (pattern: RegExp): string[] =>
  texts
    .flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => code!))
    .filter((code) => !OTHERS.has(code));
const thrown = new Set(matching(THROWN));
const written = new Set([...thrown, ...matching(WRITTEN)]);

it('has every code that it had, and lists new ones', () => {
  // When written anew, codes that went stay in the list: taking one out is a decision of its own.
  const known = readFixture<string[]>(FIXTURE);
  if (isUpdate) writeFixture(FIXTURE, [...new Set([...known, ...written])].sort());
  expect(
    known.filter((code) => !written.has(code)),
    'codes that are gone from src/',
  ).toEqual([]);
  expect(
    isUpdate ? [] : [...thrown].filter((code) => !known.includes(code)).sort(),
    'new codes: list them with `node tools/golden-update.js codes`',
  ).toEqual([]);
});
