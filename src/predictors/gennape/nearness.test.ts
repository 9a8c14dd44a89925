import { expect, it } from 'vitest';
import '../../ops/index.js';
import { symbol } from '../../graph/dim.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { Random } from '../../util/random.js';
import { entriesModel } from '../entries.js';
import { nearnessOf, nearValue } from './nearness.js';
import { principalComponents } from './pca.js';

const WIDTH = 5;

/** Rows of independent columns that deviate by 1, 2, 3, 4 and 5, so that distances can be told without components. */
function rowsOf(count: number): Float64Array {
  const random = Random.seeded(4);
  return Float64Array.from({ length: count * WIDTH }, (_, i) => ((i % WIDTH) + 1) * random.normal());
}

it('is 1 for nearly all rows of the training, and falls with the logarithm of the distance', async () => {
  const rows = rowsOf(4000);
  const nearness = nearnessOf(rows, principalComponents(rows, WIDTH, WIDTH));
  // Mean squares of five standard normal numbers: χ²(5)/5, whose 99% quantile is 15.086/5.
  expect(nearness.limits[0]).toBeCloseTo(15.086 / 5, 0);
  const model = entriesModel(
    [
      {
        gives: 'score',
        inputs: { x: { type: 'float32', dims: [symbol('batch'), WIDTH] } },
        write: (s, { x }) => nearValue(s, x!, nearness),
      },
    ],
    new Map(),
  );
  const session = await Session.create(model, { threads: 1 });
  const near = async (x: Float64Array): Promise<Float32Array> => {
    const { score } = await session.run({
      x: await hostTensor('float32', Float32Array.from(x), [x.length / WIDTH, WIDTH]),
    });
    return score!.data as Float32Array;
  };
  const own = await near(rows);
  // 99% of 4,000; in single precision, the row at the limit may be on either side.
  expect(own.filter((value) => value > 0.999).length).toBe(3960);
  // All columns at d deviations: a distance of d².
  const at = (distance: number): number[] =>
    Array.from({ length: WIDTH }, (_, i) => (i + 1) * Math.sqrt(distance));
  const [limit, far] = nearness.limits;
  const found = await near(Float64Array.from([limit / 2, 2 * limit, far * 2].flatMap(at)));
  await session.dispose();
  expect(found[0]).toBe(1);
  expect(found[1]).toBeCloseTo(0.5, 1);
  expect(found[2]).toBe(0);
});
