// `auspex measure` on the built command line. Times are not looked at: machines are busy.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseDocument } from '../src/app/documents/database.js';
import { type MeasureDocument, measureDocument } from '../src/app/documents/measure.js';

const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/main.js');
const NET = join(ROOT, 'examples/resnet8.onnx');
const QUICK = ['--runs', '6'];
const folder = mkdtempSync(join(tmpdir(), 'auspex-measure-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
// Nothing is stored where users keep theirs.
const env = { ...process.env, AUSPEX_DB: at('measurements.db') };

function auspex(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, 'measure', ...args], { encoding: 'utf8', env });
}

function measured(...args: string[]): MeasureDocument {
  const text = execFileSync(process.execPath, [CLI, 'measure', ...args, '--json'], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return measureDocument.parse(JSON.parse(text));
}

/** A document of the baseline whose times are others. */
function baseline(name: string, document: MeasureDocument, factor: number): string {
  const rows = document.rows.map((row) => ({
    ...row,
    blocks: row.blocks.map((block) => ({ ...block, wallMs: block.wallMs * factor })),
  }));
  writeFileSync(at(name), JSON.stringify({ ...document, rows }));
  return at(name);
}

describe('auspex measure', () => {
  it('measures a grid, in the documented form', () => {
    const { rows, errors, machine, isComplete } = measured(
      NET,
      '--batch',
      '1,2',
      '--threads',
      '1,2',
      ...QUICK,
    );
    expect(errors).toEqual([]);
    expect(isComplete).toBe(true);
    expect(machine.cores).toBeGreaterThan(0);
    expect(rows.map(({ label }) => label)).toEqual([
      'batch 1, 1 thread',
      'batch 1, 2 threads',
      'batch 2, 1 thread',
      'batch 2, 2 threads',
    ]);
    for (const row of rows) {
      expect(row.wallMs.runs).toBe(6);
      expect(row.wallMs.min).toBeGreaterThan(0);
      expect(row.wallMs.interval![0]).toBeLessThanOrEqual(row.wallMs.median);
      expect(row.cpuMs!.median).toBeGreaterThan(0);
      expect(row.first!.wallMs).toBeGreaterThan(0);
      expect(row.memory!.peakBytes).toBeGreaterThan(0);
      expect(row.predictedMemory!.weightBytes / statSync(NET).size).toBeCloseTo(1, 1);
      expect(row.runtime).toMatch(/^onnxruntime-node \d/);
    }
    expect(rows.map(({ inputs }) => inputs[0]!.shape[0])).toEqual([1, 1, 2, 2]);
  });

  it('says how, where and with what it was measured', () => {
    const { stdout, status } = auspex(NET, ...QUICK);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Median +[\d.]+ ms\n +Interval +[\d.]+ ms to [\d.]+ ms, 95%/);
    expect(stdout).toContain('image float32[1x3x32x32] (normal numbers); 1 thread, provider cpu');
    expect(stdout).toMatch(/Measured \d{4}-\d\d-\d\d on .*onnxruntime-node/s);
  });

  it('maps a profile to the nodes of the file', () => {
    const [row] = measured(NET, '--profile', ...QUICK).rows;
    const { nodes, mapped, kernels, kernelMs } = row!.profile!;
    expect(mapped).toBeCloseTo(1, 6);
    expect(nodes.filter(({ operator }) => operator === 'Conv')).toHaveLength(9);
    expect(nodes.reduce((sum, { timeMs }) => sum + timeMs, 0)).toBeCloseTo(kernelMs, 6);
    const fused = kernels.map(({ from }) => from.map(({ operator }) => operator).join('+'));
    expect(fused.some((operators) => /^Conv\+.*Relu$/.test(operators))).toBe(true);
  });

  it('measures architectures of a space, and goes on after what cannot be measured', () => {
    writeFileSync(at('broken.onnx'), 'no model');
    const { stdout, stderr, status } = auspex('nats-size:8:8:8:8:8', at('broken.onnx'), '--json', ...QUICK);
    const { rows, errors } = measureDocument.parse(JSON.parse(stdout));
    expect(rows.map(({ network, isOwnFile }) => [network, isOwnFile])).toEqual([
      ['nats-size:8:8:8:8:8', false],
    ]);
    expect(errors).toMatchObject([{ network: at('broken.onnx') }]);
    expect(stderr).toContain('broken.onnx');
    expect(status).toBe(2);
  });

  it('takes inputs from files', () => {
    const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 32, 32), }".padEnd(117);
    const start = Buffer.from(`\x93NUMPY\x01\x00v\x00${header}\n`, 'latin1');
    writeFileSync(at('x.npy'), Buffer.concat([start, Buffer.alloc(2 * 3 * 32 * 32 * 4)]));
    const [row] = measured(NET, '--feed', `image=${at('x.npy')}`, ...QUICK).rows;
    expect(row!.inputs).toEqual([
      { name: 'image', type: 'float32', shape: [2, 3, 32, 32], meaning: at('x.npy') },
    ]);
    const wrong = auspex(NET, '--feed', `pixels=${at('x.npy')}`);
    expect(wrong.stderr).toMatch(/MEASURE_FEED.*--feed image=file\.npy/s);
  });
});

describe('a baseline', () => {
  const before = measured(NET, '--processes', '2', ...QUICK);

  it('fails what is slower for certain, and nothing else', () => {
    const compare = (factor: number) =>
      auspex(
        NET,
        '--processes',
        '2',
        ...QUICK,
        '--fail-if-slower',
        '5%',
        '--baseline',
        baseline(`${factor}.json`, before, factor),
      );
    const slower = compare(1e-3);
    expect(slower.status).toBe(1);
    expect(slower.stdout).toMatch(/slower by more\s+than 5\.0%/);
    const faster = compare(1e3);
    expect(faster.status).toBe(0);
    expect(faster.stdout).toMatch(/not slower/);
  });

  it('is measured in turn if it is a network', () => {
    const [row] = measured(NET, '--baseline', NET, '--processes', '2', ...QUICK).rows;
    expect(row!.regression).toMatchObject({ clock: 'wall', blocks: [2, 2], limit: 0 });
  });

  it('must have been measured here, with the same options', () => {
    const elsewhere = { ...before, machine: { ...before.machine, processor: 'another' } };
    writeFileSync(at('elsewhere.json'), JSON.stringify(elsewhere));
    expect(auspex(NET, '--baseline', at('elsewhere.json')).stderr).toContain('BASELINE_MACHINE');
    const other = auspex(NET, '--batch', '3', '--baseline', baseline('b.json', before, 1), ...QUICK);
    expect(other.stderr).toContain('BASELINE_NONE');
  });
});

describe('a runner', () => {
  const run = (command: string, ...more: string[]) => auspex(NET, '--runner', command, ...more);

  it('prints milliseconds line by line', () => {
    const command = `test -f {onnx} && i=0; while [ $i -lt {runs} ]; do i=$((i+1)); echo $i; done; echo "# runtime: test 1"`;
    const [row] = measured(NET, '--runner', command, '--runs', '9').rows;
    expect(row).toMatchObject({ runtime: 'test 1', wallMs: { runs: 9, median: 5 }, cpuMs: null });
  });

  it('is stopped, or told what is wrong', () => {
    expect(run('sleep 60', '--timeout', '0.3')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('COMMAND_TIMEOUT'),
    });
    expect(run('echo fast')).toMatchObject({ status: 2, stderr: expect.stringContaining('RUNNER_OUTPUT') });
    expect(run('echo no phone >&2; exit 1').stderr).toContain('no phone');
  });
});

describe('limits', () => {
  it('stop a network that takes too much memory or time', () => {
    const memory = auspex(NET, '--memory', '20MB');
    expect(memory).toMatchObject({ status: 1, stderr: expect.stringContaining('MEASURE_MEMORY') });
    const time = auspex(NET, '--timeout', '0.05');
    expect(time).toMatchObject({ status: 1, stderr: expect.stringContaining('MEASURE_TIMEOUT') });
  });

  it('name the providers there are', () => {
    expect(auspex(NET, '--provider', 'abacus')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/MEASURE_PROVIDER.*--provider cpu/s),
    });
  });

  it('keep what was measured on Ctrl-C', async () => {
    const child = spawn(process.execPath, [
      CLI,
      'measure',
      NET,
      '--batch',
      '1,1024',
      '--json',
      '--runs',
      '500',
    ]);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    // The first case is done.
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('50%')) child.kill('SIGINT');
    });
    const code = await new Promise((done) => child.once('close', done));
    expect(code).toBe(130);
    const { rows, isComplete } = measureDocument.parse(JSON.parse(stdout));
    expect(isComplete).toBe(false);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ label: 'batch 1', wallMs: { runs: 500 }, stopped: null });
  });
});

describe('auspex db', () => {
  const db = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, 'db', ...args], { encoding: 'utf8', env });

  it('keeps complete measurements, and merges those of others', () => {
    const own = at('own.db');
    measured(NET, '--batch', '1,2', '--db', own, ...QUICK);
    const { counts } = databaseDocument.parse(JSON.parse(db('stats', '--json', '--db', own).stdout));
    expect(counts).toEqual({ networks: 1, devices: 1, measurements: 2, predictions: 0 });
    writeFileSync(at('own.jsonl'), db('export', '--db', own).stdout);
    expect(db('import', at('own.jsonl'), '--db', at('other.db')).stdout).toBe(
      '2 measurements read, 2 of them new\n',
    );
    expect(db('import', at('own.jsonl'), '--db', at('other.db')).stdout).toBe(
      '2 measurements read, 0 of them new\n',
    );
    expect(db('import', NET)).toMatchObject({ status: 2, stderr: expect.stringContaining('DB_IMPORT') });
    expect(auspex(NET, '--db', NET)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('DB_CORRUPT'),
    });
  });
});
