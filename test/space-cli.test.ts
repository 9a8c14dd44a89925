// `auspex space`, built and run as a user would.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, describe, expect, it } from 'vitest';
import { SPACES } from '../src/spaces/index.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'auspex-space-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], input?: string) {
  if (input === undefined) return warmRun(['space', ...args], { cwd: ROOT });
  const options = { cwd: ROOT, encoding: 'utf8' as const, input };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'dist/cli/main.js'), 'space', ...args],
    options,
  );
  return { status, stdout, stderr };
}

describe('auspex space', () => {
  it('lists every space', () => {
    const { status, stdout } = run(['list']);
    expect(status).toBe(0);
    for (const { name } of SPACES) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    const json = JSON.parse(run(['list', '--json']).stdout);
    expect(json.schema).toBe('auspex.space.list/1');
    expect(json.spaces.map((s: { name: string }) => s.name)).toEqual(SPACES.map((s) => s.name));
  });

  it('tells how architectures of a space are written', () => {
    const { stdout } = run(['list', 'nasbench201']);
    expect(stdout).toContain('15,625');
    expect(stdout).toContain('|nor_conv_3x3~0|');
  });

  it('samples what it describes', () => {
    const sampled = run(['sample', 'nasbench201', '-n', '4', '--seed', '1']);
    expect(sampled.stdout).toBe(run(['sample', 'nasbench201', '-n', '4', '--seed', '1']).stdout);
    const lines = sampled.stdout.trimEnd().split('\n');
    expect(lines.length).toBe(4);
    const described = run(['describe', 'nasbench201', '--input', '-', '--json'], sampled.stdout);
    expect(described.status).toBe(0);
    const rows = described.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => row.arch)).toEqual(lines);
    for (const row of rows) expect(row.flops).toBeGreaterThan(2 * row.macs);
    const text = run(['describe', 'nasbench201', lines[0]!]);
    expect(text.stdout).toContain(rows[0].hash);
  });

  it('reports a line that is wrong and describes the others', () => {
    const good = SPACES.find((s) => s.name === 'nasbench201')!.example;
    const path = join(folder, 'archs.txt');
    writeFileSync(path, `${good}\n\nnonsense\n${good}\n`);
    const { status, stdout, stderr } = run(['describe', 'nasbench201', '--input', path, '--json']);
    expect(status).toBe(2);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => row.error?.code)).toEqual([undefined, 'ARCH_TEXT', undefined]);
    expect(rows[1].error.line).toBe(3);
    expect(stderr).toContain('line 3');
  });

  it('exports a network that ONNX Runtime runs', async () => {
    const path = join(folder, 'net.onnx');
    const arch = SPACES.find((s) => s.name === 'nasbench201')!.example;
    const sizes = ['--resolution', '16', '--classes', '5', '--batch', '2'];
    const { status, stdout } = run(['export', 'nasbench201', arch, '-o', path, '--json', ...sizes]);
    expect(status).toBe(0);
    const session = await InferenceSession.create(path);
    const x = new Tensor('float32', new Float32Array(2 * 3 * 16 * 16), [2, 3, 16, 16]);
    const results = await session.run({ input: x });
    expect(results.output!.dims).toEqual([2, 5]);
    await session.release();
    const inspected = warmRun(['inspect', path, '--json']);
    expect(JSON.parse(inspected.stdout).totals.parameters).toBe(JSON.parse(stdout).parameters);
    const again = join(folder, 'again.onnx');
    run(['export', 'nasbench201', arch, '-o', again, ...sizes]);
    expect(readFileSync(again).equals(readFileSync(path))).toBe(true);
  });

  it.each<[string, string[], string]>([
    ['an unknown space', ['sample', 'nasbench202'], 'SPACE_UNKNOWN'],
    ['a wrong architecture', ['export', 'nasbench201', 'x', '-o', '/tmp/never.onnx'], 'ARCH_TEXT'],
    ['no architecture', ['describe', 'nasbench201'], 'BAD_OPTION'],
    ['a missing file', ['describe', 'nasbench201', '--input', '/no/such/file'], 'FILE_UNREADABLE'],
    ['a wrong number', ['sample', 'nasbench201', '-n', 'many'], 'whole number'],
    ['no command', [], 'Usage'],
  ])('refuses %s with exit code 2', (_, args, message) => {
    const { status, stderr } = run(args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/at .*\.js:\d/);
    expect(existsSync('/tmp/never.onnx')).toBe(false);
  });

  it.each(['list', 'sample', 'describe', 'export'])('has help with an example for %s', (command) => {
    const { status, stdout } = run([command, '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}auspex space /);
  });
});
