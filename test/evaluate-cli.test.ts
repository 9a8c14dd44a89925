// `auspex evaluate` as built, run as a user would: what it says of mistakes. What it computes is tested beside the
// command, with a predictor that needs no training.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const MODEL = join(ROOT, 'examples/resnet8.onnx');

const folder = mkdtempSync(join(tmpdir(), 'auspex-evaluate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = {
  table: 1,
  space: 'nats-size',
  labels: { a: { unit: '%', higherIsBetter: true, provenance: '' } },
};
writeFileSync(
  join(folder, 'table.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,a\n8:8:8:8:8,1\n16:8:8:8:8,2\n`,
);
writeFileSync(join(folder, 'text.onnx'), 'no model at all');

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, 'evaluate', ...args], { cwd: folder, encoding: 'utf8' });
}

describe('auspex evaluate', () => {
  it.each([
    ['a missing predictor', 'FILE_UNREADABLE', ['nowhere.onnx', '--data', 'table.csv']],
    ['a missing table', 'FILE_UNREADABLE', [MODEL, '--data', 'nowhere.csv']],
    ['a missing split', 'FILE_UNREADABLE', [MODEL, '--data', 'table.csv', '--split', 'nowhere.json']],
    ['a network that is no predictor', 'NOT_A_PREDICTOR', [MODEL, '--data', 'table.csv']],
    ['a part without a split', 'BAD_OPTION', [MODEL, '--data', 'table.csv', '--part', 'test']],
  ])('%s: %s, exit code 2, no stack trace', (_, code, args) => {
    const { status, stderr, stdout } = run(...args);
    expect(stderr).toContain(`${code}: `);
    expect(stderr).not.toMatch(/\n\s+at .*\.js/);
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expect(JSON.parse(run(...args, '--json').stdout).error.code).toBe(code);
  });

  it('a file that is no model: a code and exit code 2', () => {
    const { status, stderr } = run('text.onnx', '--data', 'table.csv');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^[A-Z_]+: /);
    expect(stderr).toContain('text.onnx');
  });

  it.each([[[]], [[MODEL]], [[MODEL, '--data', 'table.csv', '--part', 'all']]])(
    'wrong usage %j exits with 2 and points to --help',
    (args) => {
      const { status, stderr } = run(...args);
      expect(status).toBe(2);
      expect(stderr).toContain('--help');
    },
  );

  it('helps with examples, within 80 columns', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}auspex evaluate /);
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  });
});
