// Against Gaussian processes of scikit-learn; the fixture is written by verify/golden/gennape_process.py.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import '../../ops/index.js';
import { symbol } from '../../graph/dim.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { entriesModel } from '../entries.js';
import { fewLabelProcess, processValue } from './few-label-process.js';

const golden = JSON.parse(
  readFileSync(new URL('./fixtures/process.json', import.meta.url), 'utf8'),
) as Record<'x' | 'labels' | 'others' | 'predictions', number[]> & {
  width: number;
  length: number;
};

it('fits as scikit-learn does, and predicts so in a graph', async () => {
  const { width, others } = golden;
  const process = fewLabelProcess(Float64Array.from(golden.x), golden.labels);
  expect(process.length).toBe(golden.length);
  const model = entriesModel(
    [
      {
        gives: 'score',
        inputs: { x: { type: 'float32', dims: [symbol('batch'), width] } },
        write: (s, { x }) => processValue(s, x!, process),
      },
    ],
    new Map(),
  );
  const session = await Session.create(model, { threads: 1 });
  const x = await hostTensor('float32', Float32Array.from(others), [others.length / width, width]);
  const { score } = await session.run({ x });
  await session.dispose();
  const found = score!.data as Float32Array;
  found.forEach((value, row) => void expect(value).toBeCloseTo(golden.predictions[row]!, 4));
});
