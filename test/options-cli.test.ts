// Options that make no sense, and rows that cannot be used, as a user meets them: one sentence at once, with the range or
// the place. The tables are made up.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import '../src/ops/index.js';
import { modelOf, tensor } from '../src/analysis/models.testing.js';
import { TensorType } from '../src/graph/types.js';
import { writeModel } from '../src/onnx/file.js';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'auspex-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** What a command says on standard error, without its line breaks. */
function run(...args: string[]) {
  const { status, stdout, stderr } = warmRun([...args], { cwd: folder });
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  return { status, stdout, stderr: stderr.replace(/\s+/g, ' ') };
}

const random = Random.seeded(2);
const archs = Array.from({ length: 60 }, () => nasBench201.format(nasBench201.sample(random)));
const csv = (rows: readonly string[], header = 'arch,ms'): string => `${header}\n${rows.join('\n')}\n`;
writeFileSync(at('ms.csv'), csv(archs.map((arch, i) => `${arch},${1 + i / 7}`)));
copyFileSync(join(ROOT, 'examples/resnet8.onnx'), at('net.onnx'));
const TABLE = '--data ms.csv --space nasbench201 --label ms --validation 10 -o never.onnx'.split(' ');
const SEARCH = 'search nasbench201 --evaluator proxy:params --budget 3'.split(' ');

describe('an option that makes no sense is refused at once, with its range', () => {
  it.each([
    ['layers', { layers: 100_000 }, 'cannot be 100000: it must be a whole number from 1 to 64'],
    ['a negative width', { width: -3 }, 'cannot be -3: it must be a whole number from 4 to 2048'],
    ['a width that heads do not divide', { width: 65 }, 'cannot be 65: there is one attention head for each'],
    ['a width that is not whole', { width: 2.5 }, 'cannot be 2.5: it must be a whole number from 4 to 2048'],
    ['dropout', { dropout: 5 }, 'cannot be 5: it must be a number from 0 to 0.9'],
    ['a variant', { maskVariant: 'foo' }, 'cannot be "foo": it must be meant or released'],
    ['a name', { what: 1 }, "nn-former has no option 'what'"],
  ])('--model: %s', (_, model, message) => {
    const { status, stderr } = run('train', 'nn-former', ...TABLE, '--model', JSON.stringify(model));
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^MODEL_OPTION: .* try: it has width: a whole number from 4 to 2048, like \d+; /);
    expect(stderr).not.toMatch(/expected|received|Invalid|Too /);
    expect(status).toBe(2);
  });

  it.each([
    ['--model', ['train', 'nn-former', ...TABLE, '--model', '65'], 'It must be a JSON object'],
    ['--model', ['train', 'nn-former', ...TABLE, '--model', '2.5'], 'It must be a JSON object'],
    ['--members', ['train', 'gcn', ...TABLE, '--members', '100000000'], 'a whole number from 1 to 1000'],
    ['--steps', ['train', 'gcn', ...TABLE, '--steps', '4000000000'], 'a whole number from 1 to 10000000'],
    ['--batch', ['train', 'gcn', ...TABLE, '--batch', '4000000000'], 'a whole number from 1 to 65536'],
    ['--option', [...SEARCH, '--option', 'population=1e12'], 'a whole number from 1 to 100,000'],
    ['--parallel', [...SEARCH, '--parallel', '9999'], 'a whole number from 1 to 1,024'],
    ['--threads of train', ['train', 'gcn', ...TABLE, '--threads', '9999'], 'from 1 to 256'],
    ['--threads of pretrain', 'pretrain gcn --space darts -o p.onnx --threads 9999'.split(' '), '1 to 256'],
    ['--threads of predict', ['predict', archs[0]!, '--threads', '9999'], 'from 1 to 256'],
    ['--threads of proxy', ['proxy', 'net.onnx', '--threads', '9999'], 'from 1 to 256'],
    ['--workers of proxy', ['proxy', 'net.onnx', '--workers', '9999'], 'from 1 to 256'],
    ['--threads of reproduce', ['reproduce', 'nb201-accuracy', '--threads', '9999'], 'from 1 to 256'],
  ])('%s: %j', (_, args, message) => {
    const { status, stderr } = run(...args);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  it('a rate that is too high is named as the cause, and leaves nothing behind', () => {
    const args = ['train', 'gcn', ...TABLE, '--scratch', '--members', '1', '--model', '{"width":8}'];
    const { status, stderr } = run(...args, '--rate', '1e30', '--steps', '30');
    expect(stderr).toMatch(/TRAINING_DIVERGED: .* try: lower the learning rate, as in --rate 1e-4/);
    expect(status).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([]);
    expect(run(...args, '--steps', '2').status).toBe(0);
    rmSync(at('never.onnx'));
  });
});

describe('a row that cannot be used', () => {
  it('is named with its row of the table, and left out if asked', () => {
    // An input of which not even the rank is known: no sizes can be chosen.
    const { graph, ...model } = modelOf({
      inputs: ['x: 1,3,height,width'],
      nodes: ['y = Conv(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [4, 3, 3, 3])],
    });
    const inputs = [{ name: 'x', type: new TensorType('float32', undefined) }];
    writeModel({ ...model, graph: { ...graph, inputs } }, at('open.onnx'));
    const rows = ['net.onnx,1', 'net.onnx,2', 'open.onnx,3', 'net.onnx,4', 'nowhere.onnx,5'];
    writeFileSync(at('files.csv'), csv(rows, 'path,ms'));
    writeFileSync(at('there.csv'), csv(rows.slice(0, -1), 'path,ms'));
    const table = '--data files.csv --space onnx --arch path --label ms --validation 0 --seed 1'.split(' ');
    for (const [kind, code] of [
      ['linear', 'FEATURES_NOT_FINITE'],
      ['nnlp-network', 'NETWORK_SIZES'],
    ] as const) {
      const args = ['train', kind, ...table, '-o', `${kind}.onnx`];
      const { status, stderr } = run(...args, '--data', 'there.csv');
      expect(stderr).toMatch(new RegExp(`${code}: .*at: open\\.onnx, row 3 of the table try: .*--skip-bad`));
      expect([status, existsSync(at(`${kind}.onnx`))]).toEqual([2, false]);
      const steps = kind === 'linear' ? [] : ['--steps', '1', '--model', '{"width":8}', '--members', '1'];
      const skipped = run(...args, '--skip-bad', ...steps);
      expect(skipped.stderr).toContain('2 rows were skipped:');
      for (const name of ['open.onnx: ', 'nowhere.onnx: FILE_UNREADABLE']) {
        expect(skipped.stderr).toContain(name);
      }
      expect(skipped.status).toBe(0);
    }
  });

  it('is named with its file and line by whatever reads lists: predict, inspect, proxy', () => {
    writeFileSync(at('list.txt'), `${archs[0]}\n\n|nope|\n${archs[1]}\n`);
    const predicted = run('predict', '--input', 'list.txt', '--label', 'cifar10_test');
    expect(predicted.stderr).toContain("ARCH_TEXT: '|nope|' is neither a file nor an architecture");
    expect(predicted.stderr).toContain('at: list.txt, line 3');
    expect([predicted.status, predicted.stdout.trim().split('\n').length]).toEqual([2, 3]);
    const [header, first] = predicted.stdout.split('\n');
    expect(header!.split('\t')).toEqual(['network', 'cifar10_test', 'cifar10_test.low', 'cifar10_test.high']);
    expect(first!.split('\t')[0]).toBe(archs[0]);
    const documents = run('predict', '--input', 'list.txt', '--label', 'cifar10_test', '--json').stdout;
    expect(JSON.parse(documents.split('\n')[1]!)).toMatchObject({ line: 3, error: { code: 'ARCH_TEXT' } });
    expect(run('inspect', '--input', 'list.txt').stderr).toContain('at: list.txt, line 3');
    const scored = run('proxy', '--input', 'list.txt', '--proxies', 'params', '--json');
    expect(JSON.parse(scored.stdout).networks[1].error.where).toEqual({ file: 'list.txt', path: 'line 3' });
  });
});

describe('--model', () => {
  it('keeps the bundled start where it changes no sizes, and says where it does', () => {
    writeFileSync(
      at('acc.csv'),
      csv(
        archs.map((arch, i) => `${arch},${50 + i / 3}`),
        'arch,accuracy',
      ),
    );
    const args = 'train nn-former --data acc.csv --space nasbench201 --label accuracy --validation 10'.split(
      ' ',
    );
    const few = ['--steps', '2', '--members', '1', '--threads', '1'];
    expect(run(...args, ...few, '-o', 'plain.onnx').status).toBe(0);
    const { status, stderr } = run(...args, ...few, '--model', '{}', '-o', 'empty.onnx');
    expect(status, stderr).toBe(0);
    expect(readFileSync(at('empty.onnx')).equals(readFileSync(at('plain.onnx')))).toBe(true);
    const other = run(...args, ...few, '--model', '{"width":8,"layers":1}', '--scratch', '-o', 'other.onnx');
    expect(other.stderr).not.toContain('pretraining is done first');
    expect(other.status).toBe(0);
  });

  it('of another table than cells is refused in words', () => {
    writeFileSync(at('paths.csv'), csv(['net.onnx,1'], 'path,ms'));
    const args = 'train nn-former --data paths.csv --space onnx --arch path --label ms -o n.onnx'.split(' ');
    const { status, stderr } = run(...args);
    expect(stderr).toMatch(/SPACE_WITHOUT_CELLS: .* the table lists ONNX files try: .*nn-former-network/);
    expect(status).toBe(2);
  });
});

describe('what a command does not need does not stop it', () => {
  it('parameters and FLOPs need no batch, shapes or outputs; open sizes are chosen', () => {
    const { stdout } = run('proxy', 'net.onnx', '--proxies', 'params,flops', '--batch', '7');
    expect(stdout).toMatch(/params +77,946/);
    const open = ['proxy', 'net.onnx', '--proxies', 'params,flops', '--shape', 'image=batch,3,height,width'];
    const found = run(...open).stdout.replace(/\s+/g, ' ');
    expect(found).toContain('params 77,946');
    expect(found).toMatch(/flops [\d,]{9,}/);
    const { networks } = JSON.parse(
      run(...open, '--dim', 'batch=2', '--dim', 'height=32', '--dim', 'width=32', '--json').stdout,
    );
    const { totals } = JSON.parse(run('inspect', 'net.onnx', '--json').stdout);
    // One meaning of FLOPs.
    expect(networks[0].scores).toEqual({ params: totals.parameters, flops: totals.flops });
  });
});

describe('what is there can be listed', () => {
  it('bundled predictors with labels and spaces', () => {
    const { status, stdout } = run('predict', '--list');
    expect(status).toBe(0);
    for (const text of ['nasbench201-latency', 'architectures of nasbench201', 'pixel2 (ms)']) {
      expect(stdout).toContain(text);
    }
    const { predictors } = JSON.parse(run('predict', '--list', '--json').stdout);
    const latency = predictors.find(({ name }: { name: string }) => name === 'nasbench201-latency');
    expect(latency.spaces).toEqual(['nasbench201']);
    expect(latency.labels).toContainEqual({ name: 'pixel2', unit: 'ms', better: 'lower' });
  });
});
