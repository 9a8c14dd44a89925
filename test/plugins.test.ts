// What the package can be extended with, each from one file outside of it, used through the built command.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeGraph, makeModel, makeNode } from '../src/graph/graph.js';
import { TensorType } from '../src/graph/types.js';
import { encodeModel } from '../src/onnx/write.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const EXAMPLE = 'examples/resnet8.onnx';
const folder = mkdtempSync(join(tmpdir(), 'auspex-plugins-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(plugin: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const all = [CLI, ...args, '--plugin', join('test/plugins', plugin)];
  return spawnSync(process.execPath, all, { cwd: ROOT, encoding: 'utf8' });
}

describe('from outside the package', () => {
  it('a proxy', () => {
    const args = ['proxy', EXAMPLE, 'src/proxies/fixtures/cnn.onnx', '--proxies', 'nodes', '--json'];
    for (const workers of ['1', '2']) {
      const { status, stdout, stderr } = run('proxy.js', ...args, '--workers', workers);
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
      expect(stdout).toContain('"nodes": 2');
    }
  });

  it('a proxy whose process is killed: all other scores are there', () => {
    const args = ['proxy', EXAMPLE, '--proxies', 'params,killed,synflow', '--json'];
    const { status, stdout } = run('killed-proxy.js', ...args);
    const [network] = JSON.parse(stdout).networks;
    const { killed, ...scores } = network.scores;
    expect([status, killed, network.errors]).toEqual([
      0,
      null,
      {
        killed: expect.objectContaining({ code: 'WORKER_ENDED', message: expect.stringMatching('SIGKILL') }),
      },
    ]);
    expect(scores).toEqual({ params: 77_946, synflow: expect.any(Number) });
  });

  it('a space', () => {
    const { status, stdout } = run('space.js', 'space', 'sample', 'one-width', '-n', '3');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^(w\d+\n){3}$/)]);
    const search = ['search', 'one-width', '--strategy', 'local', '--evaluator', 'proxy:params'];
    const found = run('space.js', ...search, '--budget', '4', '--json');
    expect(found.status).toBe(0);
    expect(JSON.parse(found.stdout).best.arch).toBe('w32');
  });

  it('a strategy', () => {
    const search = ['search', 'nats-size', '--strategy', 'plain-draws', '--evaluator', 'proxy:params'];
    const { status, stdout } = run('strategy.js', ...search, '--budget', '5', '--json');
    expect([status, JSON.parse(stdout).evaluations]).toEqual([0, 5]);
  });

  it('a kind of predictor', () => {
    const rows = ['8:8:8:8:8,1', '8:16:24:32:40,3', '16:16:16:16:16,5'];
    writeFileSync(join(folder, 'mine.csv'), `arch,acc\n${rows.join('\n')}\n`);
    const data = ['--data', join(folder, 'mine.csv'), '--space', 'nats-size', '--label', 'acc'];
    const p = join(folder, 'mean.onnx');
    const trained = run('kind.js', 'train', 'mean', ...data, '-o', p, '--json');
    expect([trained.status, JSON.parse(trained.stdout).kind]).toEqual([0, 'mean']);
    const { stdout } = run('kind.js', 'predict', p, 'nats-size:24:24:24:24:24', '--json');
    expect(JSON.parse(stdout).predictions[0].value).toBeCloseTo(3, 5);
  });

  it('a view, with a kind that uses it', () => {
    const widths = [8, 16, 24, 32, 40, 48, 56, 64];
    const rows = widths.map((w) => `${Array(5).fill(w).join(':')},${w}`);
    writeFileSync(join(folder, 'lines.csv'), `arch,watts\n${rows.join('\n')}\n`);
    const data = ['--data', join(folder, 'lines.csv'), '--space', 'nats-size', '--label', 'watts:lower:log'];
    const p = join(folder, 'line.onnx');
    const trained = run(
      'view.js',
      'train',
      'log-parameters-line',
      ...data,
      '-o',
      p,
      '--json',
      '--threads',
      '1',
    );
    expect([trained.status, JSON.parse(trained.stdout).input]).toEqual([0, 'log-parameters']);
    const { stdout } = run('view.js', 'predict', p, 'nats-size:40:40:40:40:40', '--json');
    expect(JSON.parse(stdout).predictions[0].value).toBeCloseTo(40, -1);
    // Without the plugin the file is refused in words.
    const alone = spawnSync(process.execPath, [CLI, 'predict', p, 'nats-size:8:8:8:8:8'], {
      encoding: 'utf8',
    });
    expect([alone.status, alone.stderr]).toEqual([
      2,
      expect.stringMatching(/^(VIEW_UNKNOWN|NOT_A_PREDICTOR)/),
    ]);
  });

  it('an operator', () => {
    const type = new TensorType('float32', [2, 3]);
    const node = makeNode('Double', ['x'], ['y'], {}, { domain: 'test.plugins' });
    const graph = makeGraph({
      name: 'double',
      nodes: [node],
      inputs: [{ name: 'x', type }],
      outputs: [{ name: 'y', type: new TensorType('float32', undefined) }],
    });
    const opsetImports = new Map([
      ['', 20],
      ['test.plugins', 1],
    ]);
    const path = join(folder, 'double.onnx');
    writeFileSync(path, encodeModel(makeModel(graph, { opsetImports })));
    const { stdout } = run('operator.js', 'inspect', path, '--json');
    const { totals, outputs, coverage } = JSON.parse(stdout);
    expect([totals.flops, outputs[0].shape, coverage.unknownOperators]).toEqual([6, [2, 3], []]);
  });

  it('a command', () => {
    const { status, stdout } = run('command.js', 'greet', 'the', 'reader');
    expect([status, stdout]).toEqual([0, 'hello the reader\n']);
  });

  it('nothing from a file that is no plugin', () => {
    for (const name of ['nowhere.js', '../fixtures/dtypes.json']) {
      const { status, stderr } = run(name, 'inspect', EXAMPLE);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^PLUGIN: /)]);
      expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
    }
  });
});
