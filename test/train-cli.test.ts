// `auspex train` and `auspex predict` as built, run as a user would. The tables are made up.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import '../src/ops/index.js';
import { kendallTauB } from '../src/metrics/index.js';
import { writeModel } from '../src/onnx/file.js';
import { KINDS } from '../src/predictors/kinds/index.js';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { describeArchitecture } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const CLI = join(resolve(import.meta.dirname, '..'), 'dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'auspex-train-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function run(...args: string[]) {
  return warmRun([...args], { cwd: folder });
}

function json(...args: string[]) {
  const { status, stdout, stderr } = run(...args, '--json');
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Expects a refusal: exit code 2, a code and a sentence, no stack. */
function refused(code: string | RegExp, ...args: string[]): void {
  const { status, stdout, stderr } = run(...args);
  expect(stderr).toMatch(code);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect([status, stdout]).toEqual([2, '']);
}

// A latency that is nearly a power of the MACs.
const random = Random.seeded(8);
const rows = Array.from({ length: 120 }, () => {
  const arch = nasBench201.sample(random);
  const { macs } = describeArchitecture(nasBench201, arch);
  return { arch: nasBench201.format(arch), ms: (macs / 1e7) ** 0.8 * (1 + 0.02 * random.normal()) };
});
const [known, unseen] = [rows.slice(0, 80), rows.slice(80)];
writeFileSync(at('ms.csv'), `arch,ms\n${known.map(({ arch, ms }) => `${arch},${ms}`).join('\n')}\n`);
const TABLE = ['--data', 'ms.csv', '--space', 'nasbench201', '--label', 'ms', '--validation', '20'];

function tauOf(predictor: string): number {
  writeFileSync(at('unseen.txt'), unseen.map(({ arch }) => `${arch}\n`).join(''));
  const { status, stdout, stderr } = run('predict', predictor, '--input', 'unseen.txt', '--json');
  expect(status, stderr).toBe(0);
  const lines = stdout.trim().split('\n');
  const found = lines.map((line) => JSON.parse(line).predictions[0]);
  for (const { low, value, high } of found) expect(low < value && value < high).toBe(true);
  return kendallTauB(
    found.map(({ value }) => value),
    unseen.map(({ ms }) => ms),
  );
}

it('says so where a kind that compares families is given one', () => {
  const { status, stderr } = run('train', 'family-ranking', ...TABLE, '-o', 'one-family.onnx');
  expect(status, stderr).toBe(0);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('all networks are of one family, nasbench201');
});

describe('auspex train', () => {
  it('lists all predictors within 80 columns', () => {
    const { stdout, status } = run('train', '--help');
    expect(status).toBe(0);
    const lines = stdout.split('\n');
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
    for (const [name, { summary }] of KINDS) {
      expect(lines.some((line) => line.trim() === `${name}${' '.repeat(23 - name.length)}${summary}`)).toBe(
        true,
      );
    }
  });

  it('trains an encoder without labels, on all rows', () => {
    const table = ['--data', 'ms.csv', '--space', 'nasbench201'];
    const small = ['--steps', '2', '--batch', '16', '--model', '{"width":8,"layers":1,"feedForward":8}'];
    const args = ['train', 'contrastive', ...table, ...small];
    const { status, stdout, stderr } = run(...args, '-o', 'encoder.onnx');
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/encoder\.onnx: Contrastive encoder .* for nasbench201\n {2}80 rows/);
    const more = json(...args.slice(0, -2), '--from', 'encoder.onnx', '-o', 'more.onnx');
    expect(more).toMatchObject({ kind: 'contrastive', labels: [], rows: 80, split: { validation: 0 } });
    refused('BAD_OPTION', ...args, '--label', 'ms', '-o', 'never.onnx');
    refused('BAD_OPTION', ...args, '--members', '2', '-o', 'never.onnx');
    refused('BAD_OPTION', 'train', 'forest', ...table, '-o', 'never.onnx');
  });

  it('trains a forest that predicts', () => {
    const trained = json(
      'train',
      'forest',
      ...TABLE,
      '--scale',
      'log',
      '--model',
      '{"trees":30}',
      '-o',
      'forest.onnx',
    );
    expect(trained).toMatchObject({
      schema: 'auspex.train/1',
      kind: 'forest',
      space: 'nasbench201',
      rows: 60,
      best: [],
      split: { train: 60, validation: 20, of: 80, seed: 0 },
      options: { trees: 30 },
      // Four of the 20 are the same network as one that was trained on.
      excluded: 4,
      labels: [{ name: 'ms', scale: 'log', better: 'lower', interval: { rows: 16, coverage: 0.9 } }],
    });
    expect(tauOf('forest.onnx')).toBeGreaterThan(0.8);
    const { stdout } = run('train', 'flops', ...TABLE, '-o', 'flops.onnx');
    expect(stdout).toMatch(/^flops\.onnx: FLOPs alone for nasbench201\n {2}60 rows, seed 0, \d+ s\n/);
  });

  it('goes on where it was killed, to the same bytes', async () => {
    const options = ['--scale', 'log', '--model', '{"width":16,"layers":1,"dropout":0}', '--threads', '1'];
    const more = '--scratch --steps 600 --members 1 --batch 32 --rate 1e-2 --seed 3'.split(' ');
    const args = (output: string) => ['train', 'nn-former', ...TABLE, ...options, ...more, '-o', output];
    const checkpoint = at('killed.onnx.member0.checkpoint');
    const child = spawn(process.execPath, [CLI, ...args('killed.onnx')], { cwd: folder, stdio: 'ignore' });
    const ended = new Promise((done) => void child.on('close', (_, signal) => done(signal)));
    while (!existsSync(checkpoint) && child.exitCode === null) await setTimeout(2);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(existsSync(at('killed.onnx'))).toBe(false);
    refused('CHECKPOINT_EXISTS', ...args('killed.onnx'));
    expect(json(...args('killed.onnx'), '--resume').best[0]).toBeLessThan(0);
    json(...args('whole.onnx'), '--curves', 'curves.json');
    expect(readFileSync(at('killed.onnx')).equals(readFileSync(at('whole.onnx')))).toBe(true);
    expect(JSON.parse(readFileSync(at('curves.json'), 'utf8')).members[0].loss.length).toBe(600);
    expect(readdirSync(folder).filter((name) => /checkpoint|tmp/.test(name))).toEqual([]);
    expect(tauOf('whole.onnx')).toBeGreaterThan(0.5);
  });

  it('learns from ONNX files', () => {
    const files = known.slice(0, 12).map(({ arch, ms }, i) => {
      const network = nasBench201.network(nasBench201.parse(arch), { width: 0.25 });
      writeModel(network, at(`net${i}.onnx`));
      return `net${i}.onnx,${ms}`;
    });
    writeFileSync(at('files.csv'), `arch,ms\n${files.join('\n')}\n`);
    const table = ['--data', 'files.csv', '--space', 'onnx', '--label', 'ms', '--validation', '0'];
    const tiny = ['--steps', '1', '--model', '{"width":8}', '--threads', '1'];
    expect(json('train', 'nnlp-network', ...table, ...tiny, '-o', 'net.onnx')).toMatchObject({
      space: 'onnx',
    });
    json('train', 'linear', ...table, '-o', 'linear.onnx');
    for (const predictor of ['net.onnx', 'linear.onnx']) {
      const { predictions, cost, arch } = json('predict', predictor, 'net3.onnx');
      expect([predictions.length, Number.isFinite(predictions[0].value), arch]).toEqual([
        1,
        true,
        'net3.onnx',
      ]);
      expect(cost.parameters).toBeGreaterThan(1000);
    }
    refused('NETWORK_WITHOUT_SPACE', 'predict', 'forest.onnx', 'net3.onnx');
    refused('FILE_UNREADABLE', 'predict', 'net.onnx', 'nowhere.onnx');
  });

  it.each([
    ['an unknown predictor', /PREDICTOR_UNKNOWN[\s\S]*nn-former, /, 'magic', TABLE],
    [
      'an unknown label',
      'CSV_HEADER',
      'forest',
      ['--data', 'ms.csv', '--space', 'nasbench201', '--label', 'y'],
    ],
    ['a missing file', 'FILE_UNREADABLE', 'forest', ['--data', 'no.csv', '--label', 'ms']],
    [
      'another space',
      'ARCH_TEXT',
      'forest',
      ['--data', 'ms.csv', '--space', 'nasbench101', '--label', 'ms', '--validation', '20'],
    ],
    [
      'a space without cells',
      'SPACE_WITHOUT_CELLS',
      'gcn',
      ['--data', 'ms.csv', '--space', 'hwgpt-s', '--label', 'ms', '--validation', '20'],
    ],
    ['steps of a forest', /BAD_OPTION: --steps/, 'forest', [...TABLE, '--steps', '5']],
    ['resuming a forest', /BAD_OPTION: --resume/, 'forest', [...TABLE, '--resume']],
    ['an option that is none', /MODEL_OPTION[\s\S]*trees/, 'forest', [...TABLE, '--model', '{"width":5}']],
    [
      'an option of another type',
      /MODEL_OPTION[\s\S]*like \d+/,
      'nn-former',
      [...TABLE, '--model', '{"width":"wide"}'],
    ],
    ['no steps', 'BAD_OPTION', 'nn-former', [...TABLE, '--steps', '0']],
    ['more rows than there are', 'SPLIT', 'forest', [...TABLE, '--train', '500']],
    ['another kind to begin with', 'PREDICTOR_KIND', 'gcn', [...TABLE, '--from', 'forest.onnx']],
  ])('refuses %s', (_, code, kind, args) => {
    refused(code, 'train', kind, ...args, '-o', 'never.onnx');
    expect(existsSync(at('never.onnx'))).toBe(false);
  });
});

describe('auspex predict', () => {
  it('refuses architectures of another space', () => {
    refused('OTHER_SPACE', 'predict', 'forest.onnx', '3:111:maxpool3x3');
    refused('OTHER_SPACE', 'predict', 'forest.onnx', '3:111:maxpool3x3', '--space', 'nasbench101');
    refused('LABEL_UNKNOWN', 'predict', 'forest.onnx', known[0]!.arch, '--label', 'watts');
  });
});

describe('the rows of a training', () => {
  const csv = (list: readonly { arch: string; ms: number }[], header = 'arch,ms'): string =>
    `${header}\n${list.map(({ arch, ms }) => `${arch},${ms}`).join('\n')}\n`;
  const plain = (file: string): string[] => ['--data', file, '--space', 'nasbench201', '--label', 'ms'];

  it('may be 12 networks that somebody measured; what was decided is said', () => {
    writeFileSync(at('few.csv'), csv(known.slice(0, 12)));
    const { status, stdout, stderr } = run(
      'train',
      'forest',
      ...plain('few.csv'),
      '-o',
      'few.onnx',
      '--json',
    );
    expect(status, stderr).toBe(0);
    const { rows: count, labels } = JSON.parse(stdout);
    expect(count).toBe(12);
    expect(labels[0]).toMatchObject({ unit: 'ms', better: 'lower', scale: 'log' });
    expect(labels[0].interval).toBeUndefined();
    expect(stderr.replace(/\s+/g, ' ')).toContain('12 rows are too few to hold any out');
    expect(stderr.replace(/\s+/g, ' ')).toContain('ms: ms, lower is better, logarithmic');
    const { predictions } = json('predict', 'few.onnx', known[20]!.arch);
    expect(predictions[0].value).toBeGreaterThan(0);
  });

  it('keep equal architectures together, and say how many there are', () => {
    writeFileSync(at('twice.csv'), csv([...known, ...known]));
    const args = [
      ...plain('twice.csv'),
      '--train',
      '100',
      '--validation',
      '40',
      '-o',
      'twice.onnx',
      '--json',
    ];
    const { stderr, stdout } = run('train', 'params', ...args);
    expect(stderr.replace(/\s+/g, ' ')).toContain('80 of 160 rows repeat an architecture');
    expect(JSON.parse(stdout).labels[0].interval.rows).toBeGreaterThan(20);
  });

  it('are equal by text, or by function if asked', () => {
    // Two cells that compute the same, and others, of which some may.
    const twins = [
      '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|',
      '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|',
    ];
    const rest = known.slice(0, 40);
    writeFileSync(at('twins.csv'), csv([...twins.map((arch, i) => ({ arch, ms: 1 + i })), ...rest]));
    const args = [...plain('twins.csv'), '--validation', '10', '-o', 'twins.onnx', '--force'];
    const said = (...more: string[]): string =>
      run('train', 'params', ...args, ...more).stderr.replace(/\s+/g, ' ');
    expect(said()).not.toContain('repeat');
    expect(said('--equal', 'text')).not.toContain('repeat');
    const [, repeats] = /(\d+) of 42 rows repeat the function of another/.exec(said('--equal', 'function'))!;
    const functionOf = (arch: string): string => nasBench201.hash!(nasBench201.parse(arch));
    const functions = new Set([...twins, ...rest.map(({ arch }) => arch)].map(functionOf));
    expect(Number(repeats)).toBe(42 - functions.size);
    refused('BAD_OPTION', 'train', 'params', ...args, '--equal', 'function', '--split', 'run.split.json');
    refused(/Allowed choices are text, function/, 'train', 'params', ...args, '--equal', 'hash');
  });

  it('of one value of a column stay together', () => {
    // Ten boards of eight rows; the label is the board, so that those held out are not near those learned from.
    const boards = known.map(({ arch }, i) => `${arch},${1 + (i % 10)},board${i % 10}`);
    writeFileSync(at('boards.csv'), `arch,ms,board\n${boards.join('\n')}\n`);
    const args = [...plain('boards.csv'), '--validation', '20', '-o', 'boards.onnx', '--force'];
    const found = json('train', 'params', ...args, '--group', 'board');
    // Whole boards: 16 of the 20 rows, and 56 of the 60.
    expect(found.rows % 8).toBe(0);
    expect(found.labels[0].interval.rows + found.excluded).toBe(16);
    expect(json('train', 'params', ...args).rows).toBe(60);
    refused(/CSV_HEADER[\s\S]*there is no column 'colour'/, 'train', 'params', ...args, '--group', 'colour');
    json('data', 'import', 'boards.csv', '--space', 'nasbench201', '--label', 'ms', '-o', 'no-board.csv');
    const without = ['--data', 'no-board.csv', '--label', 'ms', '--group', 'board', '-o', 'boards.onnx'];
    refused(/there is no column 'board'/, 'train', 'params', ...without, '--force');
  });

  it('are those of a split, and are known again whatever their order', () => {
    json('data', 'import', 'ms.csv', '--space', 'nasbench201', '--label', 'ms', '-o', 'table.csv');
    json('data', 'split', 'table.csv', '--train', '40', '--validation', '20', '-o', 'run');
    const of = ['--data', 'table.csv', '--label', 'ms', '--split', 'run.split.json', '-o', 'split.onnx'];
    expect(json('train', 'params', ...of)).toMatchObject({ rows: 40 });
    refused('BAD_OPTION', 'train', 'params', ...of, '--train', '10', '--force');
    writeFileSync(at('shuffled.csv'), csv([...known].reverse()));
    const shuffled = ['--data', 'shuffled.csv', '--space', 'nasbench201', '--unseen'];
    expect(json('evaluate', 'split.onnx', ...shuffled).data).toMatchObject({ chosen: 20, rows: 80 });
    json('train', 'params', ...plain('ms.csv'), '--validation', '20', '-o', 'all.onnx');
    refused('UNSEEN_NONE', 'evaluate', 'all.onnx', '--data', 'ms.csv', '--space', 'nasbench201', '--unseen');
  });

  it('that cannot be used are named, or left out and listed', () => {
    writeFileSync(at('bad.csv'), csv([...known.slice(0, 20), { arch: 'nowhere.onnx', ms: 1 }]));
    const bad = ['--data', 'bad.csv', '--space', 'nasbench201', '--label', 'ms', '-o', 'bad.onnx'];
    const { status, stderr } = run('train', 'params', ...bad);
    expect([status, stderr]).toEqual([2, expect.stringContaining('nowhere.onnx')]);
    const found = json('train', 'params', ...bad, '--skip-bad');
    expect(found).toMatchObject({ rows: 20, skipped: [{ network: 'nowhere.onnx' }] });
  });
});
