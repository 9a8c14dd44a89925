// `auspex evaluate` as built, run as a user would, with a predictor that was trained for a moment. What it computes is
// tested beside the command, with a predictor whose answers are known.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const MODEL = join(ROOT, 'examples/resnet8.onnx');

const folder = mkdtempSync(join(tmpdir(), 'auspex-evaluate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = {
  table: 1,
  space: 'nats-size',
  labels: { a: { unit: '%', better: 'higher', provenance: '' } },
};
writeFileSync(
  join(folder, 'table.csv'),
  `# auspex ${JSON.stringify(HEAD)}\narch,a\n8:8:8:8:8,1\n16:8:8:8:8,2\n`,
);
writeFileSync(join(folder, 'text.onnx'), 'no model at all');

function auspex(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return warmRun([...args], { cwd: folder });
}

const run = (...args: string[]): ReturnType<typeof auspex> => auspex('evaluate', ...args);

describe('a trained predictor', () => {
  it('may be one of the package', () => {
    const head = { ...HEAD, labels: { cifar10_accuracy: HEAD.labels.a } };
    const rows = ['8:8:8:8:8,60', '64:64:64:64:64,93', '16:16:16:16:16,80', '32:32:32:32:32,88'];
    writeFileSync(
      join(folder, 'sizes.csv'),
      `# auspex ${JSON.stringify(head)}\narch,cifar10_accuracy\n${rows.join('\n')}\n`,
    );
    const asked = ['--data', 'sizes.csv', '--json', '--resamples', '100'];
    const { status, stdout, stderr } = run('bundled:cifar-ranking', ...asked);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    // Wider networks are better, and are predicted so.
    const [label] = JSON.parse(stdout).labels;
    expect(label.metrics.find(({ name }: { name: string }) => name === 'spearman').value).toBe(1);
    expect(run('bundled:none', '--data', 'sizes.csv')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('BUNDLED_UNKNOWN'),
    });
  });

  it('is evaluated on the rows of a split, with a report', () => {
    const cells = auspex('space', 'sample', 'nasbench201', '-n', '150', '--seed', '1')
      .stdout.trim()
      .split('\n');
    const label = { unit: '%', better: 'higher', provenance: 'made up' };
    const head = { table: 1, space: 'nasbench201', labels: { valid: label, test: label } };
    const rows = cells.map((cell, i) => {
      const convolutions = cell.split('conv').length - 1;
      return `${cell},${50 + 5 * convolutions + (i % 7)},${i % 50 === 0 ? '' : 50 + 5 * convolutions + (i % 5)}`;
    });
    writeFileSync(
      join(folder, 'cells.csv'),
      `# auspex ${JSON.stringify(head)}\narch,valid,test\n${rows.join('\n')}\n`,
    );
    auspex('data', 'split', 'cells.csv', '--train', '80', '--seed', '0', '-o', 'run');
    const small = ['--scratch', '--model', '{"width":16,"layers":1}', '--steps', '10', '--threads', '1'];
    const part = ['--label', 'valid', '--validation', '20', ...small, '-o', 'p.onnx'];
    const trained = auspex('train', 'nn-former', '--data', 'run.train.csv.gz', ...part);
    expect(trained.stderr).not.toContain(': ');
    expect(trained.status).toBe(0);
    const args = ['p.onnx', '--data', 'cells.csv', '--label', 'test', '--split', 'run.split.json'];
    const { status, stdout, stderr } = run(...args, '--report', 'p.html', '--json', '--resamples', '100');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({
      schema: 'auspex.evaluate/1',
      predictor: { space: 'nasbench201', labels: ['valid'] },
      data: { rows: 150, part: 'test', chosen: 70 },
      labels: [{ label: 'test', trainedOn: 'valid', intervals: { promised: 0.9 } }],
      report: 'p.html',
    });
    expect(found.labels[0].rows + found.labels[0].withoutTruth).toBe(70);
    for (const { value, low, high } of found.labels[0].metrics) {
      expect(low).toBeLessThanOrEqual(high);
      expect(Number.isFinite(value)).toBe(true);
    }
    const html = readFileSync(join(folder, 'p.html'), 'utf8');
    expect(html.match(/<svg /g)?.length).toBe(3);
    expect(html).toContain('70 test rows of run.split.json');
  });
});

describe('mistakes', () => {
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
