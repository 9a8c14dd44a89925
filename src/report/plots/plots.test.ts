import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../util/random.js';
import { barChart } from './bars.js';
import { clipped } from './frame.js';
import { hexagons, RADIUS } from './hexagons.js';
import { binned, histogram } from './histogram.js';
import { linePlot } from './lines.js';
import { expectPlot, pathPoints, textsOf } from './plots.testing.js';
import { type Compared, intervalBand, predictedPlot, rankPlot, residualPlot } from './predicted.js';
import { MOST_CIRCLES, scatterPlot } from './scatter.js';

function compared(rows: number, seed = 1): Compared {
  const random = Random.seeded(seed);
  const truths = Float64Array.from({ length: rows }, () => 90 - 8 * Math.abs(random.normal()));
  const predictions = Array.from(truths, (truth) => {
    const value = truth + random.normal();
    return { value, low: value - 2, high: value + 2 };
  });
  return { label: 'accuracy', unit: '%', better: 'higher', predictions, truths, coverage: 0.9 };
}

const AWKWARD = `</title><script>alert("1")</script> & 'x' \u0000\ud800`;
const AXES = { x: { label: 'x' }, y: { label: 'y' } };

describe('scatter plots', () => {
  it('show every row as a circle where it lies', () => {
    const elements = expectPlot(
      scatterPlot({ title: 't', ...AXES, points: { x: [0, 1, 2], y: [0, 10, 5] } }),
    );
    const circles = elements.filter(({ name, parents }) => name === 'circle' && parents.includes('g'));
    const [a, b, c] = circles.map(
      ({ attributes }) => [Number(attributes.cx), Number(attributes.cy)] as const,
    );
    expect(circles.length).toBe(3);
    // To the right is more, upwards is more; evenly.
    expect(b![0]).toBeCloseTo((a![0] + c![0]) / 2, 0);
    expect(c![1]).toBeCloseTo((a![1] + b![1]) / 2, 0);
    expect(b![1]).toBeLessThan(a![1]);
  });

  it('show many rows as densities in a small file', () => {
    const { predictions, truths } = compared(50_000);
    const y = predictions.map(({ value }) => value);
    const svg = scatterPlot({ title: 't', ...AXES, points: { x: truths, y }, unit: 'rows' });
    expectPlot(svg);
    expect(svg.length).toBeLessThan(300_000);
    expect(textsOf(svg).some((text) => /^1 to [\d,]+ rows$/.test(text))).toBe(true);
    // Uniform noise fills every hexagon there is.
    const random = Random.seeded(2);
    const noise = (): Float64Array => Float64Array.from({ length: 60_000 }, () => random.float());
    const filled = scatterPlot({ title: 't', ...AXES, points: { x: noise(), y: noise() } });
    expectPlot(filled);
    const marks = filled.match(/M[\d. ]+l/g)!.length;
    expect(marks).toBeGreaterThan(1000);
    expect(marks).toBeLessThan(4000);
    expect(filled.length).toBeLessThan(300_000);
  });

  it.each([
    ['nothing', [], []],
    ['one point', [3], [4]],
    ['equal points', Array(10).fill(2), Array(10).fill(2)],
    ['many equal points', Array(MOST_CIRCLES + 1).fill(2), Array(MOST_CIRCLES + 1).fill(2)],
    ['what is not finite', [1, Number.NaN, 3], [1, 2, Number.POSITIVE_INFINITY]],
    ['large and small', [1e-300, 1e300], [-1e-9, 1e-9]],
  ])('draw %s', (_, x, y) => {
    expectPlot(scatterPlot({ title: 't', ...AXES, points: { x, y } }));
    if (x[1] !== 1e300) expectPlot(scatterPlot({ title: 't', ...AXES, points: { x, y }, diagonal: 'equal' }));
  });

  it('hold for any values', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 30 }), fc.boolean(), (pairs, hasDiagonal) => {
        const points = { x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y) };
        expectPlot(scatterPlot({ title: 't', ...AXES, points, ...(hasDiagonal ? { diagonal: 'd' } : {}) }));
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('have logarithmic axes', () => {
    const axes = { x: { label: 'x', kind: 'log' }, y: { label: 'y', kind: 'log' } } as const;
    const svg = scatterPlot({
      title: 't',
      ...axes,
      points: { x: [1, 10, 100], y: [1, 10, 100] },
      diagonal: 'd',
    });
    expectPlot(svg);
    expect(textsOf(svg)).toContain('50');
    const zero = () => scatterPlot({ title: 't', ...axes, points: { x: [0, 1], y: [1, 2] } });
    expect(zero).toThrow(expect.objectContaining({ code: 'PLOT_LOG' }));
  });
});

describe('predicted and true', () => {
  it.each([2, 40, 1000, 5000])('%s rows', (rows) => {
    for (const plot of [predictedPlot, rankPlot, residualPlot]) expectPlot(plot(compared(rows)));
  });

  it('the band is where truths should be, whatever the interval', () => {
    const band = intervalBand(compared(500).predictions);
    for (const { low, high, at } of band) {
      expect(at - low).toBeCloseTo(2, 9);
      expect(high - at).toBeCloseTo(2, 9);
    }
    expect(band.map(({ at }) => at)).toEqual(band.map(({ at }) => at).sort((a, b) => a - b));
    expect(intervalBand([{ value: 1 }, { value: 2 }])).toEqual([]);
    const without = {
      ...compared(50),
      predictions: compared(50).predictions.map(({ value }) => ({ value })),
    };
    expect(predictedPlot(without)).not.toContain('interval of');
    expect(predictedPlot(compared(50))).toContain('interval of 90%');
  });

  it('the best row has rank 1 on both sides', () => {
    const truths = [1, 2, 3, 4];
    const shown = (better: 'higher' | 'lower') =>
      expectPlot(
        rankPlot({
          label: 'l',
          unit: '',
          better,
          predictions: [10, 20, 30, 5].map((value) => ({ value })),
          truths,
        }),
      )
        .filter(({ name, parents }) => name === 'circle' && parents.includes('g'))
        .map(({ attributes }) => [Number(attributes.cx), Number(attributes.cy)]);
    // Row 3 is truly the best if higher is better, and predicted the worst: at the left, at the top.
    const up = shown('higher');
    expect(up[3]![0]).toBe(Math.min(...up.map(([x]) => x!)));
    expect(up[3]![1]).toBe(Math.min(...up.map(([, y]) => y!)));
    const down = shown('lower');
    expect(down[3]![0]).toBe(Math.max(...down.map(([x]) => x!)));
  });
});

describe('histograms', () => {
  it('count every value once', () => {
    const random = Random.seeded(3);
    for (const rows of [1, 2, 10, 1000]) {
      const values = Array.from({ length: rows }, () => random.normal() * 3 + 100);
      const { counts, start, step } = binned(values);
      expect(counts.reduce((a, b) => a + b)).toBe(rows);
      // All but the outermost, which may hold more.
      for (const [i, count] of counts.entries()) {
        if (i === 0 || i === counts.length - 1) continue;
        const [low, high] = [start + i * step, start + (i + 1) * step];
        expect(count).toBe(values.filter((value) => value >= low && value < high).length);
      }
    }
    expect(binned([0, 1, 2, 3]).counts.reduce((a, b) => a + b)).toBe(4);
  });

  it('gather what lies far out, and say so', () => {
    const random = Random.seeded(4);
    const values = [...Array.from({ length: 5000 }, () => random.normal()), 1e4, -2e4, -3e4];
    const { counts, below, above } = binned(values);
    expect(counts.length).toBeLessThanOrEqual(62);
    expect(counts.reduce((a, b) => a + b)).toBe(5003);
    expect(below).toBeGreaterThanOrEqual(2);
    expect(above).toBeGreaterThanOrEqual(1);
    const svg = histogram({ title: 't', label: 'errors', values });
    expectPlot(svg);
    expect(textsOf(svg)).toContain(
      `the outer bars include all values beyond: ${below} below, ${above} above`,
    );
  });

  it.each([
    ['nothing', []],
    ['one', [5]],
    ['zeros', [0, 0, 0]],
    ['equal', Array(50).fill(-3.3)],
    ['mostly equal', [...Array(500).fill(0), 1000]],
    ['tiny', [1e-12, 2e-12, 5e-12]],
    ['not finite', [1, Number.NaN, 2]],
  ])('draw %s', (_, values) => {
    expectPlot(histogram({ title: 't', label: 'x', values }));
    const { counts } = binned(values);
    expect(counts.reduce((a, b) => a + b)).toBe(values.filter(Number.isFinite).length);
  });
});

describe('curves', () => {
  const x = [1, 2, 3, 4, 5];
  it('go through their points, with gaps where there are none', () => {
    const svg = linePlot({ title: 't', ...AXES, series: [{ name: 'a', x, y: [1, 2, Number.NaN, 4, 5] }] });
    const lines = expectPlot(svg).filter(({ attributes }) => attributes.class === 's0 line');
    expect(lines.map(({ attributes }) => pathPoints(attributes.d!).length)).toEqual([2, 2]);
  });

  it('have names, colours and bands', () => {
    const series = Array.from({ length: 8 }, (_, i) => ({
      name: `series ${i}`,
      x,
      y: x.map((v) => v + i),
      low: x.map((v) => v + i - 1),
      high: x.map((v) => v + i + 1),
    }));
    const svg = linePlot({ title: 't', ...AXES, series });
    const elements = expectPlot(svg);
    expect(elements.filter(({ attributes }) => attributes.class?.endsWith(' band')).length).toBe(8);
    for (const { name } of series) expect(textsOf(svg)).toContain(name);
    const looks = elements.flatMap(({ attributes }) => attributes.class?.match(/.* line.*/) ?? []);
    expect(new Set(looks).size).toBe(8);
  });

  it('have bands that reach zero on a logarithmic axis', () => {
    const series = [{ name: 'a', x, y: [5, 2, 1, 0.5, 0.2], low: [4, 1, 0, -1, -1], high: [6, 3, 2, 2, 2] }];
    expectPlot(linePlot({ title: 't', x: AXES.x, y: { label: 'y', kind: 'log' }, series }));
    const zero = () =>
      linePlot({
        title: 't',
        x: AXES.x,
        y: { label: 'y', kind: 'log' },
        series: [{ name: 'a', x, y: [1, 0, 1, 1, 1] }],
      });
    expect(zero).toThrow(expect.objectContaining({ code: 'PLOT_LOG' }));
  });

  it('may be none, or a single point', () => {
    expectPlot(linePlot({ title: 't', ...AXES, series: [] }));
    expectPlot(linePlot({ title: 't', ...AXES, series: [{ name: 'a', x: [1], y: [2] }] }));
  });
});

describe('bars', () => {
  it('are as long as their values', () => {
    const svg = barChart({
      title: 't',
      label: 'τ',
      bars: [
        { name: 'a', value: 0.4, low: 0.3, high: 0.5 },
        { name: 'b', value: 0.8 },
        { name: 'c', value: -0.2 },
        { name: 'd', value: Number.NaN },
      ],
    });
    const widths = expectPlot(svg)
      .filter(({ attributes }) => attributes.class === 'f0')
      .map(({ attributes }) => Number(attributes.width));
    expect(widths.length).toBe(3);
    expect(widths[1]! / widths[0]!).toBeCloseTo(2, 1);
    expect(widths[0]! / widths[2]!).toBeCloseTo(2, 1);
    expect(textsOf(svg)).toContain('none');
  });

  it.each([
    ['none', []],
    ['zeros', [{ name: 'a', value: 0 }]],
    ['negative', [{ name: 'a', value: -3 }]],
  ])('%s', (_, bars) => {
    expectPlot(barChart({ title: 't', label: 'x', bars }));
  });
});

it('texts of users stay texts', () => {
  const named = { label: AWKWARD };
  for (const svg of [
    scatterPlot({
      title: AWKWARD,
      x: named,
      y: named,
      points: { x: [1], y: [1] },
      diagonal: AWKWARD,
      unit: AWKWARD,
    }),
    linePlot({
      title: AWKWARD,
      x: named,
      y: named,
      series: [0, 1].map(() => ({ name: AWKWARD, x: [1], y: [1] })),
    }),
    barChart({ title: AWKWARD, label: AWKWARD, bars: [{ name: AWKWARD, value: 1 }] }),
    histogram({ title: AWKWARD, label: AWKWARD, values: [1, 2] }),
    predictedPlot({ ...compared(9), label: AWKWARD, unit: AWKWARD }),
    rankPlot({ ...compared(9), label: AWKWARD }),
  ]) {
    expectPlot(svg);
    expect(svg).not.toContain('\0');
    expect(svg).toContain('&lt;/title&gt;');
  }
});

it('hexagons hold every point once, within reach', () => {
  const random = Random.seeded(5);
  const draw = (): Float64Array => Float64Array.from({ length: 5000 }, () => 300 * random.float());
  const [xs, ys] = [draw(), draw()];
  const found = hexagons(xs, ys);
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  // Every point lies at most a radius from the centre of some hexagon, and centres are two half-heights apart.
  for (let i = 0; i < 200; i++) {
    const nearest = Math.min(...found.map(({ x, y }) => Math.hypot(x - xs[i]!, y - ys[i]!)));
    expect(nearest).toBeLessThanOrEqual(RADIUS + 1e-9);
  }
});

it('polygons are cut at the frame', () => {
  const area = { left: 0, right: 10, top: 0, bottom: 10 };
  const size = (points: readonly (readonly [number, number])[]): number =>
    Math.abs(
      points.reduce((sum, [x, y], i) => {
        const [x2, y2] = points[(i + 1) % points.length]!;
        return sum + (x * y2 - x2 * y) / 2;
      }, 0),
    );
  expect(
    size(
      clipped(
        [
          [-5, -5],
          [15, -5],
          [15, 15],
          [-5, 15],
        ],
        area,
      ),
    ),
  ).toBeCloseTo(100, 9);
  // A triangle of which half lies inside.
  expect(
    size(
      clipped(
        [
          [0, 0],
          [20, 0],
          [0, 20],
        ],
        area,
      ),
    ),
  ).toBeCloseTo(100, 9);
  expect(
    size(
      clipped(
        [
          [0, 0],
          [10, 0],
          [0, 10],
        ],
        area,
      ),
    ),
  ).toBeCloseTo(50, 9);
  expect(
    clipped(
      [
        [20, 20],
        [30, 20],
        [30, 30],
      ],
      area,
    ),
  ).toEqual([]);
});
