// How wide what commands print is: on a terminal nothing is wider than that, and names that are cut stay different; in
// pipes nothing is cut. The tables are made up.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import '../src/ops/index.js';
import { modelOf, tensor } from '../src/analysis/models.testing.js';
import { writeModel } from '../src/onnx/file.js';
import { nasBench201 } from '../src/spaces/cells/nasbench201.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-width-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** @param columns of the terminal; a pipe without */
function lines(args: readonly string[], columns?: number): string[] {
  const { status, stdout, stderr } = warmRun(args, {
    cwd: folder,
    env: { ...process.env, COLUMNS: columns === undefined ? '70' : String(columns) },
    isTerminal: columns !== undefined,
  });
  expect(status, stderr).toBe(0);
  return stdout.split('\n');
}

const width = (line: string): number => [...line].length;

// Names that are long, and differ in the middle.
const LONG = 'a_rather_long_name_of_a_quantity';
const names = ['first', 'second'].map((which) => `${LONG}_${which}_${LONG}`);
const random = Random.seeded(3);
const archs = Array.from({ length: 40 }, () => nasBench201.format(nasBench201.sample(random)));
const deep = `folder-${'x'.repeat(60)}`;
mkdirSync(at(deep));
const nets = ['one', 'two'].map((name) => join(deep, `${name}-${'y'.repeat(60)}.onnx`));
nets.forEach((path, i) => {
  const model = modelOf({
    inputs: ['x: batch,3,height,width'],
    nodes: [
      `${names[0]} = Conv(x, ${'w'.repeat(50)})`,
      `${names[1]} = Conv(${names[0]}, v)`,
      `y = Relu(${names[1]})`,
    ],
    outputs: ['y'],
    initializers: [tensor('w'.repeat(50), [4 + i, 3, 3, 3]), tensor('v', [2, 4 + i, 1, 1])],
  });
  writeModel(model, at(path));
});
writeFileSync(
  at('plain.csv'),
  `arch,${names.join(',')}\n${archs.map((arch, i) => `${arch},${1 + i / 9},${2 + i / 7}`).join('\n')}\n`,
);
const label = names.flatMap((name) => ['--label', name]);
lines(['data', 'import', 'plain.csv', '--space', 'nasbench201', ...label, '-o', 'table.csv']);
const table = ['--data', 'table.csv', '--label', names.join(',')];
const trained = ['train', 'params', ...table, '--validation', '10', '-o', 'p.onnx'];
lines(trained);

const COMMANDS: readonly [string, string[]][] = [
  ['inspect', ['inspect', nets[0]!]],
  ['inspect --nodes', ['inspect', nets[0]!, '--nodes']],
  ['inspect --tree', ['inspect', nets[0]!, '--tree']],
  ['inspect, several', ['inspect', ...nets]],
  ['predict, one', ['predict', 'p.onnx', archs[0]!]],
  ['predict, a file', ['predict', nets[0]!]],
  ['predict, several', ['predict', 'p.onnx', ...archs.slice(0, 3)]],
  ['predict --list', ['predict', '--list']],
  ['space list', ['space', 'list']],
  ['space list, one', ['space', 'list', 'nasbench201']],
  ['space describe', ['space', 'describe', 'nasbench201', archs[0]!]],
  ['data list', ['data', 'list', '.']],
  ['data show', ['data', 'show', 'table.csv']],
  ['train', trained],
  ['evaluate', ['evaluate', 'p.onnx', '--data', 'table.csv', '--resamples', '50']],
  [
    'proxy',
    ['proxy', nets[0]!, '--proxies', 'params,flops', '--explain', '--dim', 'height=8', '--dim', 'width=8'],
  ],
  ['proxy, several', ['proxy', ...nets, '--proxies', 'params', '--dim', 'height=8', '--dim', 'width=8']],
  [
    'proxy correlate',
    ['proxy', 'correlate', ...table.slice(0, 2), '--label', names[0]!, '--proxies', 'params'],
  ],
  ['search', 'search nasbench201 --evaluator predictor:p.onnx --budget 9 --strategy nsga2'.split(' ')],
  ['reproduce', ['reproduce']],
  ['reproduce, a table', ['reproduce', 'nb201-accuracy']],
];

describe('what is printed', () => {
  it.each(COMMANDS)('is as wide as the terminal at most: %s', (_, args) => {
    for (const line of lines(args, 60)) expect(width(line), line).toBeLessThanOrEqual(60);
  });

  it.each(COMMANDS)('is whole in a pipe: %s', (_, args) => {
    for (const line of lines(args)) expect(line).not.toMatch(/\S…|…\S/);
  });
});

describe('names', () => {
  it('that are cut stay different, and are whole where there is room', () => {
    const labelsIn = (columns?: number): string[] =>
      lines(['data', 'show', 'table.csv'], columns)
        .filter((line) => line.includes('lower') || line.includes('higher'))
        .map((line) => line.trim().split(/\s+/)[0]!);
    expect(new Set(labelsIn(60)).size).toBe(2);
    for (const name of labelsIn(60)) expect(name).toContain('…');
    expect(labelsIn(200)).toEqual(names);
    expect(labelsIn()).toEqual(names);
    const nodes = lines(['inspect', nets[0]!, '--nodes'], 60).filter((line) => line.includes('Conv'));
    expect(new Set(nodes.map((line) => line.trim().split(/\s+/)[0])).size).toBe(nodes.length);
    const networks = lines(['inspect', ...nets], 60).filter((line) => line.includes('…'));
    expect(new Set(networks.map((line) => line.split(/\s+/)[0])).size).toBe(2);
  });

  it('are whole in JSON', () => {
    const [document] = lines(['inspect', ...nets, '--json'], 60);
    expect(JSON.parse(document!).file).toBe(nets[0]);
  });
});
