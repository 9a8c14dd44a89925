// How densely points lie: counted in hexagons, whose neighbours are all equally near (Carr et al. 1987).
import { px, tag } from './svg.js';

/** Centre to corner, in pixels. A hexagon of a point never reaches farther from it than twice this. */
export const RADIUS = 5;

const WIDTH = Math.sqrt(3) * RADIUS;
const LEVELS = 8;

interface Hexagon {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/** Hexagons that hold points, with how many each holds. */
export function hexagons(xs: Float64Array, ys: Float64Array): Hexagon[] {
  const found = new Map<number, { x: number; y: number; count: number }>();
  for (let i = 0; i < xs.length; i++) {
    const [x, y] = centre(xs[i]!, ys[i]!);
    // Twice the lattice coordinates are whole numbers.
    const key = Math.round((2 * x) / WIDTH) * 65_536 + Math.round((2 * y) / (3 * RADIUS));
    const hexagon = found.get(key);
    if (hexagon) hexagon.count++;
    else found.set(key, { x, y, count: 1 });
  }
  return [...found.values()];
}

/** Centres are two rectangular lattices, one in the middle of the other; the nearer of both wins. */
function centre(x: number, y: number): readonly [number, number] {
  const [u, v] = [x / WIDTH, y / (3 * RADIUS)];
  const even = [Math.round(u) * WIDTH, Math.round(v) * 3 * RADIUS] as const;
  const odd = [(Math.floor(u) + 0.5) * WIDTH, (Math.floor(v) + 0.5) * 3 * RADIUS] as const;
  const distance = (c: readonly [number, number]): number => (c[0] - x) ** 2 + (c[1] - y) ** 2;
  return distance(even) <= distance(odd) ? even : odd;
}

const [HALF, QUARTER] = [px(WIDTH / 2), px(RADIUS / 2)];
const OUTLINE = `l${HALF} ${QUARTER}v${RADIUS}l-${HALF} ${QUARTER}-${HALF}-${QUARTER}v-${RADIUS}z`;

/** One path for each level of density, the darker the denser, by the logarithm of the count. */
export function hexagonMarks(found: readonly Hexagon[]): string[] {
  const most = found.reduce((max, { count }) => Math.max(max, count), 1);
  const paths: string[] = Array.from({ length: LEVELS }, () => '');
  for (const { x, y, count } of found) {
    const level = Math.ceil((LEVELS * Math.log1p(count)) / Math.log1p(most) - 1e-9);
    paths[level - 1] += `M${px(x)} ${px(y - RADIUS)}${OUTLINE}`;
  }
  return paths.flatMap((d, i) =>
    d === '' ? [] : [tag('path', { class: 'f0', 'fill-opacity': opacity(i + 1), d })],
  );
}

function opacity(level: number): string {
  return String(Math.round(100 * (0.14 + (0.86 * (level - 1)) / (LEVELS - 1))) / 100);
}
