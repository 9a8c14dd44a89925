// The built command line, run as a user would.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inspectDocument } from '../src/app/documents/inspect.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const EXAMPLE = 'examples/resnet8.onnx';

const folder = mkdtempSync(join(tmpdir(), 'auspex-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, ...args], { cwd: ROOT, encoding: 'utf8' });
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('auspex inspect', () => {
  it('prints a summary that fits 80 columns', () => {
    const { status, stdout, stderr } = run('inspect', EXAMPLE);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatchSnapshot();
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    // The README shows real output.
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(stdout.trimEnd());
  });

  it.each([['--nodes'], ['--tree'], ['--nodes', '--sort', 'memory'], ['--tree', '--sort', 'parameters']])(
    'prints %s %s %s whole, as nothing is cut in a pipe',
    (...flags) => {
      const { status, stdout } = run('inspect', EXAMPLE, ...flags);
      expect(status).toBe(0);
      expect(stdout).toMatchSnapshot();
      expect(stdout).not.toContain('…');
    },
  );

  it('prints JSON whose parts add up', () => {
    const { stdout } = run('inspect', EXAMPLE, '--json', '--tree');
    const json = JSON.parse(stdout);
    expect(json.schema).toBe('auspex.inspect/1');
    // PyTorch's count of the network in examples/resnet8.py.
    expect(json.totals.parameters).toBe(77_946);
    for (const key of ['parameters', 'macs', 'flops', 'memoryAccessBytes']) {
      const sum = (items: Record<string, number>[]): number => items.reduce((n, item) => n + item[key]!, 0);
      expect(sum(json.nodes)).toBe(json.totals[key]);
      expect(sum(Object.values(json.operators))).toBe(json.totals[key]);
      expect(json.tree[key]).toBe(json.totals[key]);
    }
    expect(json.coverage.unknownOperators).toEqual([]);
    expect(json.hash).toMatch(/^[0-9a-f]{32}$/);
  });

  it('fixes shapes, and says what it cannot', () => {
    const json = (...flags: string[]) => JSON.parse(run('inspect', EXAMPLE, '--json', ...flags).stdout);
    const one = json().totals;
    expect(json('--shape', 'image=4x3x32x32').totals.macs).toBe(4 * one.macs);
    const symbolic = json('--shape', 'image=batch,3,32,32');
    expect(symbolic.totals.macs).toBe(`${one.macs}*batch`);
    expect(symbolic.coverage.symbols).toEqual([{ symbol: 'batch', inputs: ['image'] }]);
  });

  it('compares several networks side by side, and goes on after a bad one', () => {
    const bad = file('several-bad.onnx', 'no network');
    const { status, stdout, stderr } = run('inspect', EXAMPLE, bad, EXAMPLE);
    expect(status).toBe(2);
    expect(stderr).toContain('several-bad.onnx');
    expect(stdout.split('\n').filter((line) => line.includes('resnet8.onnx'))).toHaveLength(2);
    const lines = run('inspect', EXAMPLE, bad, '--json').stdout.trim().split('\n');
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(inspectDocument.parse(first).totals.parameters).toBe(77946);
    expect(second.error.code).toMatch(/^ONNX_/);
  });

  it('predicts a network with open sizes in a few lines', () => {
    const { status, stdout } = run('predict', EXAMPLE, '--shape', 'image=batch,3,height,width');
    expect(status).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'sizes chosen, as the file leaves them open: --shape image=1x3x224x224',
    );
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it('suggests sizes that make sense', () => {
    const { stdout } = run('inspect', EXAMPLE, '--shape', 'image=batch,3,height,width');
    expect(stdout.replace(/\s+/g, ' ')).toContain('Fix them, for example with --shape image=1x3x224x224');
  });

  it('accepts nothing after a pipe has closed', () => {
    const command = `${process.execPath} ${CLI} inspect ${EXAMPLE} --json | head -c 1`;
    expect(execFileSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' })).toBe('{');
  });
});

describe('mistakes of a user', () => {
  const truncated = readFileSync(join(ROOT, EXAMPLE)).subarray(0, 5000);
  const MISTAKES: readonly [what: string, code: string, args: () => string[]][] = [
    ['a missing file', 'FILE_UNREADABLE', () => ['nowhere.onnx']],
    ['an empty folder', 'NETWORKS_NONE', () => [mkdtempSync(join(folder, 'empty-'))]],
    ['an empty file', 'ONNX_EMPTY', () => [file('empty.onnx', '')]],
    [
      'a Git LFS pointer',
      'ONNX_OTHER_FORMAT',
      () => [file('lfs.onnx', 'version https://git-lfs.github.com/spec/v1\n')],
    ],
    ['a truncated file', 'ONNX_TRUNCATED', () => [file('cut.onnx', truncated)]],
    ['an input that does not exist', 'UNKNOWN_INPUT', () => [EXAMPLE, '--shape', 'x=1x3x32x32']],
    ['a shape that does not fit', 'SHAPE_MISMATCH', () => [EXAMPLE, '--shape', 'image=1x4x32x32']],
    ['a shape that is none', 'BAD_SHAPE', () => [EXAMPLE, '--shape', 'image=1x-3']],
    ['a dimension that does not exist', 'UNKNOWN_DIM', () => [EXAMPLE, '--dim', 'batch=2']],
    ['a dimension that is no number', 'BAD_DIM', () => [EXAMPLE, '--dim', 'batch=two']],
    ['an option without =', 'BAD_OPTION', () => [EXAMPLE, '--dim', 'batch']],
  ];
  it.each(MISTAKES)('%s: %s, exit code 2, no stack trace', (_, code, args) => {
    const { status, stderr, stdout } = run('inspect', ...args());
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`${code}: `);
    expect(stderr).not.toMatch(/\n\s+at .*\.js/);
  });

  it('names the node at fault', () => {
    const { stderr } = run('inspect', EXAMPLE, '--shape', 'image=1x4x32x32');
    expect(stderr).toContain("node '/stem/stem.0/Conv' (Conv)");
  });

  it('reports errors as JSON where JSON was asked for', () => {
    const { status, stdout } = run('inspect', 'nowhere.onnx', '--json');
    expect(status).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('FILE_UNREADABLE');
  });

  it.each([
    [['inspect']],
    [['inspect', EXAMPLE, '--sort', 'beauty']],
    [['inspekt']],
    [['inspect', EXAMPLE, '--what']],
  ])('wrong usage %j exits with 2 and points to --help', (args) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/--help|Did you mean/);
  });

  it('helps', () => {
    expect(run('inspect', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Examples:'),
    });
    expect(run('--help').status).toBe(0);
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('help', () => {
  /** What `auspex … --help` prints, of a command and of those below it. */
  function helpsBelow(...command: string[]): [command: string, help: string][] {
    const { status, stdout } = run(...command, '--help');
    expect(status, command.join(' ')).toBe(0);
    const [, listed = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
    const below = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
    return [
      [command.join(' '), stdout],
      ...below.filter((name) => name !== 'help').flatMap((name) => helpsBelow(...command, name)),
    ];
  }

  it('fits 80 columns and has an example, of every command', () => {
    const helps = helpsBelow();
    expect(helps.length).toBeGreaterThan(15);
    for (const [command, help] of helps) {
      expect(help, command).toMatch(/\nExamples?:\n {2}auspex /);
      const long = help.split('\n').filter((line) => [...line].length > 80);
      expect(long, command).toEqual([]);
    }
  }, 60_000);
});
