// Accuracies of ONNX files on the built command line: classifiers with all that an answer rests on, and everything else
// with its cost and the reason.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type GraphText, modelOf, tensor } from '../src/analysis/models.testing.js';
import { predictDocument } from '../src/app/documents/predict.js';
import { encodeModel } from '../src/onnx/write.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'auspex-accuracy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const example = (name: string): string => join(ROOT, 'examples', name);
const run = (...args: string[]) => warmRun(['predict', ...args], { cwd: folder });
const documents = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => predictDocument.parse(JSON.parse(line)));

function network(name: string, text: GraphText): string {
  const path = join(folder, name);
  writeFileSync(path, encodeModel(modelOf(text)));
  return path;
}

/** Unlike anything that classifies images: one layer of 61 × 61, all its MACs at full resolution. */
const strange = network('strange.onnx', {
  inputs: ['x: 1,3,640,640'],
  nodes: ['a = Conv(x, stem) pads=30,30,30,30', 's = Sigmoid(a)', 'p = GlobalMaxPool(s)', 'y = Flatten(p)'],
  outputs: ['y'],
  initializers: [tensor('stem', [1000, 3, 61, 61])],
});
const unconnected = network('unconnected.onnx', {
  inputs: ['x: 1,3,64,64'],
  nodes: ['y = Relu(c)'],
  outputs: ['y'],
  initializers: [tensor('c', [1, 1000])],
});
const integers = network('integers.onnx', {
  inputs: ['x: 1,3,64,64'],
  nodes: ['y = Shape(x)'],
  outputs: ['y'],
});

describe('the accuracy of an image classifier', () => {
  it('comes with an interval, its recipe, neighbours and their errors', () => {
    const { status, stdout, stderr } = run(example('resnet18.onnx'));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/imagenet_top1 +7\d\.\d+ +% +[67]\d\.\d+ to 7\d\.\d+/);
    expect(stdout).toContain('trained on ImageNet-1k from scratch');
    expect(stdout).toMatch(/nearest known networks +distance\n +resnet/);
    expect(stdout).toMatch(/predictions for families left out were wrong by \d\.\d points/);
  });

  it('is a document that has all of it', () => {
    const { stdout } = run(example('resnet18.onnx'), '--json');
    const found = predictDocument.parse(JSON.parse(stdout));
    if (!('predictions' in found)) throw new Error('there is no prediction');
    const [answer, ...more] = found.predictions;
    // Latency on a few devices follows.
    expect(more.map(({ device }) => device?.name)).toEqual(['i7-12700h', 'rtx4090', 'galaxy-s25']);
    expect(answer).toMatchObject({ label: 'imagenet_top1', coverage: 0.9, recipe: { name: 'in1k' } });
    expect(answer!.neighbours!.map(({ name }) => name)).toContain('resnet18 224');
    // Published between 69.8 (plain) and 73.2 (best); the interval is the error at this distance.
    expect(Math.abs(answer!.value - 72)).toBeLessThan(2);
    expect(answer!.high! - answer!.value).toBeCloseTo(answer!.errors!.most, 4);
    expect(answer!.errors!.mean).toBeLessThan(answer!.errors!.most);
  });

  it('depends on the recipe', () => {
    const all = documents(
      run(example('resnet18.onnx'), example('resnet34.onnx'), '--recipe', 'all', '--json').stdout,
    );
    const [first] = all;
    if (first === undefined || !('predictions' in first)) throw new Error('there is no prediction');
    const of = (name: string) => first.predictions.find(({ recipe }) => recipe?.name === name)!.value;
    expect(of('in22k')).toBeGreaterThan(of('in1k'));
    expect(of('in1k')).toBeGreaterThan(of('tv'));
    const { stdout } = run(example('resnet18.onnx'), '--recipe', 'distilled');
    expect(stdout).toContain('imagenet_top1_distilled');
    expect(stdout).not.toMatch(/imagenet_top1 /);
    const wrong = run(example('resnet18.onnx'), '--recipe', 'magic');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toMatch(/RECIPE_UNKNOWN[\s\S]*in1k, distilled/);
  });

  it('shows published accuracies of neighbours that a table has', () => {
    writeFileSync(join(folder, 'known.csv'), 'architecture,img_size,top1\nresnet18,224,12.25\n');
    expect(run(example('resnet18.onnx'), '--known', 'known.csv').stdout).toMatch(
      /resnet18 224 +0\.00 +12\.25 %/,
    );
    const { status, stderr } = run(example('resnet18.onnx'), '--known', 'none.csv');
    expect([status, stderr.includes('FILE_UNREADABLE')]).toEqual([2, true]);
  });
});

describe('several networks', () => {
  it('are ranked, best first; those without a prediction follow', () => {
    const files = [example('resnet8.onnx'), example('resnet18.onnx'), example('resnet34.onnx')];
    const { status, stdout, stderr } = run(...files);
    expect([status, stderr]).toEqual([0, '']);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t').slice(0, 2));
    expect(rows).toEqual([
      ['rank', 'network'],
      ['1', files[2]],
      ['2', files[1]],
      ['', files[0]],
    ]);
    const found = documents(run(...files, '--json').stdout);
    expect(found.map((one) => ('rank' in one ? one.rank?.place : undefined))).toEqual([undefined, 2, 1]);
  });
});

describe('networks that are no image classifiers', () => {
  it.each([
    ['nothing like it known', strange, 'no idea of'],
    ['no path from the input', unconnected, 'no path from its input'],
    ['no floats', integers, 'not one number for each class'],
  ])('have no number, the reason, and other ways: %s', (_, file, why) => {
    const { status, stdout, stderr } = run(file);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(why);
    expect(stdout).toContain('parameters');
    expect(stdout).toContain('Its accuracy is not predicted.');
    expect(stdout).toContain('auspex proxy');
    expect(stdout).not.toContain('imagenet_top1');
    // Reasons do not repeat the path.
    expect(stdout.split(file)).toHaveLength(2);
  });
});
