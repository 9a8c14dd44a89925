// Embedded networks on a plane: in their first two principal components, or by t-SNE.
import { principalComponents, projected } from '../../predictors/gennape/pca.js';
import { embeddingPage } from '../../report/pages/embedding-page.js';
import type { MapPoint } from '../../report/plots/embedding-map.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { version } from '../version.js';
import type { Embedded } from './embed.js';
import { tsne } from './tsne.js';

/** Points that a page still shows well; of t-SNE, those that take seconds. */
const MOST_POINTS = { pca: 4000, tsne: 2000 };
export type Projection = keyof typeof MOST_POINTS;
/** Rows that components are made of. */
const MOST_ROWS = 50_000;

/** @throws AuspexError MAP_TOO_FEW */
export function mapPage(
  predictor: string,
  asked: Embedded,
  known: Embedded | undefined,
  label: string | undefined,
  {
    projection = 'pca',
    signal,
  }: { projection?: Projection | undefined; signal?: AbortSignal | undefined } = {},
): string {
  const { width } = asked.rows;
  const all = [...placesOf(asked, true), ...(known ? placesOf(known, false) : [])];
  if (all.length < 2) {
    throw new AuspexError(
      'MAP_TOO_FEW',
      `a map needs at least two networks; ${all.length} could be embedded`,
      {
        hint: 'give more networks, or known ones with --among TABLE',
      },
    );
  }
  const rowOf = ({ of, row }: Place): Float64Array => of.rows.data.subarray(row * width, (row + 1) * width);
  const flat = (places: readonly Place[]): Float64Array => {
    const rows = new Float64Array(places.length * width);
    for (const [i, place] of places.entries()) rows.set(rowOf(place), i * width);
    return rows;
  };
  const components = principalComponents(flat(some(all, MOST_ROWS)), width, width);
  const total = components.variances.reduce((sum, variance) => sum + variance, 0);
  const share = (i: number): number => (total > 0 ? (components.variances[i] ?? 0) / total : 0);
  const marked = all.filter(({ isMarked }) => isMarked);
  const most = MOST_POINTS[projection];
  const shown =
    known && marked.length < most
      ? [...marked, ...some(all.slice(marked.length), most - marked.length)]
      : some(all, most);
  const plane = planeOf(projected(flat(shown), components), components.count);
  const at =
    projection === 'pca'
      ? plane
      : tsne(flat(shown), width, plane, { onStep: () => signal?.throwIfAborted() });
  const points = shown.map(({ of, row, isMarked }, i): MapPoint => {
    const value = of.values?.[row];
    return {
      x: at[2 * i]!,
      y: at[2 * i + 1]!,
      name: of.networks.name(row),
      ...(value === undefined ? {} : { value }),
      ...(known ? { isMarked } : {}),
    };
  });
  return embeddingPage({
    predictor,
    width,
    ...(projection === 'pca' ? { shares: [share(0), share(1)] as const } : {}),
    ...(label === undefined ? {} : { label }),
    points,
    networks: all.length,
    version: version(),
  });
}

/** The first two of some numbers for each row; the second is 0 where there is one. */
function planeOf(rows: Float64Array, count: number): Float64Array {
  return Float64Array.from({ length: (2 * rows.length) / count }, (_, i) =>
    i % 2 < count ? rows[(i >> 1) * count + (i % 2)]! : 0,
  );
}

interface Place {
  readonly of: Embedded;
  readonly row: number;
  readonly isMarked: boolean;
}

/** Networks that could be embedded. */
function placesOf(of: Embedded, isMarked: boolean): Place[] {
  const { width, data } = of.rows;
  return Array.from({ length: of.networks.count }, (_, row) => ({ of, row, isMarked })).filter(
    ({ row }) => !Number.isNaN(data[row * width]!),
  );
}

/** At most so many, evenly drawn, in their order. */
function some<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return [...Random.seeded(0).sample(items.length, most)].sort((a, b) => a - b).map((place) => items[place]!);
}
