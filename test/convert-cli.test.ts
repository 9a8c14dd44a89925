// `auspex convert` as a user runs it: another opset, weights beside the model, and nothing written that differs.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../src/analysis/models.testing.js';
import { convertDocument } from '../src/app/documents/convert.js';
import { readModel, writeModel } from '../src/onnx/file.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const NET = join(ROOT, 'examples/resnet8.onnx');
const folder = mkdtempSync(join(tmpdir(), 'auspex-convert-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]) {
  return warmRun(['convert', ...args], { cwd: folder });
}

const OLD = at('old.onnx');
writeModel(
  modelOf(
    {
      inputs: ['x: batch,3,4'],
      nodes: [
        'a = Softmax(x) axis=1',
        'b = Unsqueeze(a) axes=0',
        'c = MatMul(b, w)',
        'y = Softmax(c) axis=1',
      ],
      outputs: ['y'],
      initializers: [tensor('w', [4, 300])],
    },
    9,
  ),
  OLD,
);

describe('another opset', () => {
  it('is written, and computes the same', () => {
    const { status, stdout, stderr } = run(OLD, '-o', 'new.onnx', '--opset', '21');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('Softmax ×2: all dimensions from its axis on are taken as one');
    expect(stdout).toContain('Unsqueeze: axes is an input');
    expect(stdout).toContain('Verified in ONNX Runtime on x 1x3x4: the outputs are equal.');
    expect(readModel(at('new.onnx')).opsetImports.get('')).toBe(21);
  });

  it('has a document', () => {
    const { stdout } = run(OLD, '-o', 'new.onnx', '--opset', '17', '--json');
    const document = convertDocument.parse(JSON.parse(stdout));
    expect(document.input.opset).toBe(9);
    expect(document.output).toMatchObject({ file: 'new.onnx', opset: 17, irVersion: 10 });
    expect(document.changes).toHaveLength(3);
    expect(document.verification).toMatchObject({ status: 'same', inputs: { x: [1, 3, 4] } });
  });

  it('is only described with --dry-run', () => {
    const { stdout } = run(OLD, '-o', 'never.onnx', '--opset', '17', '--dry-run');
    expect(stdout).toContain('Nothing was written.');
    expect(existsSync(at('never.onnx'))).toBe(false);
  });

  it.each<[string, string[], string, number]>([
    ['there is no file to write to', ['--opset', '17'], 'NO_OUTPUT', 2],
    ['the output is the input', ['-o', OLD, '--opset', '17'], 'OUTPUT_IS_INPUT', 2],
    ['there is no such opset', ['-o', 'never.onnx', '--opset', '99'], 'BAD_OPSET', 2],
    ['it is older than 13', ['-o', 'never.onnx', '--opset', '7'], 'BAD_OPSET', 2],
  ])('is refused where %s', (_, args, code, exit) => {
    const { status, stderr } = run(OLD, ...args);
    expect(stderr).toContain(`${code}: `);
    expect(status).toBe(exit);
    expect(existsSync(at('never.onnx'))).toBe(false);
  });
});

describe('weights beside the model', () => {
  it('are written to a file of their own, and read from there', () => {
    const { status, stderr } = run(NET, '-o', 'split.onnx', '--external-data');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { graph } = readModel(at('split.onnx'));
    const kinds = [...graph.initializers.values()].map(({ data }) => data.kind);
    expect(kinds).toContain('external');
    // And once more, from there and over what is there.
    expect(run('split.onnx', '-o', 'again.onnx', '--external-data', '--opset', '18').status).toBe(0);
    expect(run('split.onnx', '-o', 'again.onnx', '--external-data', '--opset', '19').status).toBe(0);
    expect(run('split.onnx', '-o', 'whole.onnx').status).toBe(0);
    expect(readdirSync(folder)).not.toContain('whole.onnx.data');
  });

  it('replace no file that is not theirs', () => {
    writeFileSync(at('taken.onnx.data'), Uint8Array.of(0, 1, 2, 250));
    const { status, stderr } = run(NET, '-o', 'taken.onnx', '--external-data');
    expect([status, stderr]).toEqual([2, expect.stringContaining('OUTPUT_EXISTS: ')]);
    expect([...readFileSync(at('taken.onnx.data'))]).toEqual([0, 1, 2, 250]);
    expect(existsSync(at('taken.onnx'))).toBe(false);
  });
});

it('leaves nothing behind where the original does not run', () => {
  const model = modelOf({ inputs: ['x: 2'], nodes: ['y = custom.Own(x)'], outputs: ['y'] }, 12);
  writeModel(model, at('custom.onnx'));
  const { status, stdout } = run('custom.onnx', '-o', 'custom-17.onnx', '--opset', '17');
  expect(status).toBe(0);
  expect(stdout).toContain('Not verified: ');
  expect(readdirSync(folder).filter((name) => name.startsWith('.auspex-convert'))).toEqual([]);
});

describe('other transformations', () => {
  it('are verified together', () => {
    const { status, stdout, stderr } = run(
      OLD,
      '-o',
      'batch.onnx',
      '--opset',
      '17',
      '--dim',
      'batch=1',
      '--simplify',
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain("input 'x' is float32[1,3,4]");
    expect(stdout).toMatch(/Verified in ONNX Runtime on x 1x3x4/);
  });

  it('take batches apart, and compare sample by sample', () => {
    for (const batch of ['4', 'dynamic']) {
      const { status, stdout, stderr } = run(NET, '-o', 'batch.onnx', '--batch', batch, '--json', '--force');
      expect([status, stderr]).toEqual([0, '']);
      const { verification } = convertDocument.parse(JSON.parse(stdout));
      expect(verification).toMatchObject({
        status: 'same',
        inputs: { image: [batch === '4' ? 4 : 2, 3, 32, 32] },
      });
    }
  });
});
