// Files that the first version wrote (fixtures/old, never written anew) load. A later version that cannot go on with one
// refuses it with one clear sentence; the case then names the code of that refusal.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentsOf, FIXTURES, output, run, scratch } from './harness.js';

const { folder, remove } = scratch('old');
beforeAll(() => cpSync(join(FIXTURES, 'old'), folder, { recursive: true }));
afterAll(remove);

const json = async (...args: string[]) =>
  documentsOf(await output(folder, [...args, '--json']))[0] as Record<string, unknown>;
const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

it.each(['table.csv', 'table.csv.gz', 'table.jsonl'])('a table: %s', async (name) => {
  expect(await json('data', 'show', name)).toMatchObject({
    space: 'nasbench201',
    rows: 20,
    labels: [
      { name: 'acc', unit: '%', higherIsBetter: true, count: 20 },
      { name: 'ms', unit: 'ms', higherIsBetter: false, count: 20 },
    ],
  });
});

it('a split, of a table and for a predictor', async () => {
  const args = ['evaluate', 'linear.onnx', '--data', 'table.csv', '--resamples', '40'];
  const found = await json(...args, '--split', 'run.split.json', '--part', 'test');
  expect(JSON.stringify(found)).toContain('"rows":10');
});

it.each([
  ['linear.onnx', 'ms'],
  ['forest.onnx', 'acc'],
  ['gcn.onnx', 'acc,ms'],
])('a predictor: %s', async (name, labels) => {
  const [, first] = linesOf('plain.csv');
  const found = await json('predict', name, first!.split(',')[0]!);
  const predictions = found.predictions as { label: string; value: number; low: number; high: number }[];
  expect(predictions.map(({ label }) => label).join(',')).toBe(labels);
  for (const { low, value, high } of predictions) expect(low < value && value < high).toBe(true);
});

// The use of random numbers has changed, so that such a search would not lead to the same trials.
it('the log of a search is refused, and left as it is', async () => {
  const before = readFileSync(join(folder, 'search/trials.jsonl'), 'utf8');
  const args =
    'search nasbench201 --evaluator table:table.csv --label acc --option population=4 --option tournament=2 --seed 4';
  const { status, stderr } = await run(folder, [
    ...args.split(' '),
    ...['--budget', '12', '-o', 'search', '--resume'],
  ]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('SEARCH_LOG_VERSION')]);
  expect(readFileSync(join(folder, 'search/trials.jsonl'), 'utf8')).toBe(before);
});

it('the log of scores', async () => {
  const before = linesOf('scores.jsonl');
  const args =
    'proxy --space nasbench201 --input archs.txt --proxies params,l2_norm --resolution 8 --width 0.25 --batch 2 --threads 1';
  const found = await json(...args.split(' '), '-o', 'scores.jsonl', '--resume');
  expect(found).toMatchObject({ given: 2, scored: 2, failed: 0 });
  expect(linesOf('scores.jsonl')).toEqual(before);
});

it('the checkpoint of a training', async () => {
  const args =
    'train nn-former --data table.csv --label ms --validation 10 --scratch --steps 200 --members 1 --batch 8 --threads 1';
  const model = ['--model', '{"width":8,"layers":1}', '-o', 'former.onnx', '--resume'];
  // What was trained is not written down in it, so that nobody can tell whether this is the same: it is refused and kept.
  const { status, stderr } = await run(folder, [...args.split(' '), ...model]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('CHECKPOINT_MISMATCH')]);
  expect(existsSync(join(folder, 'former.onnx.member0.checkpoint'))).toBe(true);
});
