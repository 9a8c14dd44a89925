// A map of embedded networks as a page: their first two principal components or t-SNE, coloured by a label.
import { thousands } from '../../util/thousands.js';
import { embeddingMap, type MapPoint } from '../plots/embedding-map.js';
import { escaped } from '../plots/svg.js';
import { definitions, page } from './page.js';

export interface EmbeddingPage {
  readonly predictor: string;
  /** Numbers of an embedding. */
  readonly width: number;
  /** The parts of their variance that both components have; absent for t-SNE, whose axes have no meaning. */
  readonly shares?: readonly [number, number];
  readonly label?: string;
  readonly points: readonly MapPoint[];
  /** Networks that were embedded; more than there are points where those were drawn. */
  readonly networks: number;
  readonly version: string;
}

/** A self-contained HTML page. */
export function embeddingPage(report: EmbeddingPage): string {
  const { predictor, width, shares, label, points, networks, version } = report;
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  const marked = points.filter(({ isMarked }) => isMarked).length;
  return page('Map of networks', [
    '<h1>Map of networks</h1>',
    `<p class="soft">Embeddings ${shares ? 'in their first two principal components' : 'on a plane, by t-SNE'}; auspex ${escaped(version)}.</p>`,
    definitions([
      ['predictor', predictor],
      ['embedding', `${width} numbers`],
      [
        'networks',
        `${thousands(networks)}${points.length < networks ? `, ${thousands(points.length)} drawn` : ''}`,
      ],
      ...(label === undefined ? [] : [['colour', label] as const]),
      ...(shares ? [['variance shown', `${percent(shares[0])} and ${percent(shares[1])}`] as const] : []),
    ]),
    `<div class="plots">\n${embeddingMap({
      title: 'Networks',
      xLabel: shares ? `component 1 (${percent(shares[0])} of the variance)` : 't-SNE 1',
      yLabel: shares ? `component 2 (${percent(shares[1])})` : 't-SNE 2',
      ...(label === undefined ? {} : { value: label }),
      points,
    })}\n</div>`,
    ...(marked > 0 && marked < points.length
      ? [`<p class="soft">The ${thousands(marked)} ringed points are the networks that were given.</p>`]
      : []),
  ]);
}
