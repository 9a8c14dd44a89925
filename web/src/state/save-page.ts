// One HTML file of all that is seen, without scripts: the graph as it is drawn, and what the other views show.
import { mostOf, sceneOf } from '../graph/scene.js';
import { escaped, svgOf } from '../graph/svg.js';
import { app } from './app.svelte.js';
import { formatBytes, formatCount, formatExact, formatNumber } from './format.js';
import type { OpenNetwork } from './network.svelte.js';
import { coloursNow, download, fileName } from './take-away.js';
import { theme } from './theme.svelte.js';

const STYLE =
  'body{font:14px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em;color:#1a1c1f;background:#fbfbfa}' +
  'table{border-collapse:collapse;margin:.5em 0}td,th{padding:2px 12px 2px 0;text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}' +
  'svg{max-width:100%;height:auto}h2{margin-top:1.6em}';

export function savePage(): void {
  const { network } = app;
  const title = network?.described.name ?? app.report?.name ?? app.place.kind;
  const sections = network ? [...sectionsOf(network), ...plotsSeen()] : [...graphsSeen(), ...contentSeen()];
  download(fileName(title, 'view.html'), pageOf(title, sections), 'text/html');
}

function pageOf(title: string, sections: readonly string[]): string {
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<title>${escaped(title)}</title><style>${variables()}${STYLE}</style><h1>${escaped(title)}</h1>${sections.join('\n')}</html>\n`
  );
}

function sectionsOf(network: OpenNetwork): string[] {
  const { described, totals } = network;
  return [
    table(
      ['', ''],
      [
        ...described.facts,
        ['Parameters', formatExact(totals.parameters)],
        ['MACs', formatExact(totals.macs)],
        ['FLOPs', formatExact(totals.flops)],
        ['Weights', formatBytes(totals.weightBytes)],
        ['Peak activations', formatBytes(totals.peakActivationBytes)],
        ...Object.entries(network.chosen).map(([name, value]): [string, string] => [name, String(value)]),
      ],
    ),
    ...described.notes.map((note) => `<p>${escaped(note)}</p>`),
    predictionsOf(network),
    graphOf(network),
    operatorsOf(network),
  ];
}

/** Plots as they are. */
function plotsSeen(): string[] {
  return [...document.querySelectorAll<SVGSVGElement>('main figure svg')].map(plotOf);
}

function plotOf(svg: SVGSVGElement): string {
  return `<figure style="color:${getComputedStyle(svg).color}">${new XMLSerializer().serializeToString(svg)}</figure>`;
}

/** Of a comparison: both networks as they are drawn. */
function graphsSeen(): string[] {
  if (app.place.kind !== 'compare') return [];
  return app.networks.filter(({ id }) => app.compared?.includes(id)).map(graphOf);
}

/** Headings, sentences, tables and plots of what is seen, in their order. */
function contentSeen(): string[] {
  const parts = document.querySelectorAll('main :is(h2, p, li, figcaption h3, table, figure svg)');
  return [...parts].flatMap((part) => {
    if (part instanceof SVGSVGElement) return [plotOf(part)];
    if (part.closest('.visually-hidden, figure .plot, td, th') !== null) return [];
    if (part instanceof HTMLTableElement) return [tableOf(part)];
    const tag = part.localName === 'li' ? 'p' : part.localName;
    return [`<${tag}>${escaped(part.textContent)}</${tag}>`];
  });
}

function tableOf({ rows }: HTMLTableElement): string {
  const [head = [], ...others] = [...rows].map(({ cells }) =>
    [...cells].map(({ textContent }) => textContent.trim()),
  );
  return table(head, others);
}

/** Colours that plots refer to. */
function variables(): string {
  const colours = Object.entries(coloursNow());
  return `:root{${colours.map(([name, colour]) => `${name}:${colour}`).join(';')}}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumber = (text: string): boolean => /^[<\d–]/.test(text);
  const line = (cells: readonly string[]): string =>
    `<tr>${cells.map((cell, i) => `<td${i > 0 && isNumber(cell) ? ' class="n"' : ''}>${escaped(cell)}</td>`).join('')}</tr>`;
  const titles = head.some((text) => text !== '')
    ? `<tr>${head.map((text) => `<th scope="col">${escaped(text)}</th>`).join('')}</tr>`
    : '';
  return `<table>${titles}${rows.map(line).join('')}</table>`;
}

function graphOf(network: OpenNetwork): string {
  const scene = sceneOf(network, theme.isDark);
  if (scene === undefined) return '';
  const { overlay } = network;
  const legend = overlay
    ? `<p>Colours: ${escaped(overlay.title)}, from 0 to ${escaped(overlay.format(mostOf(network)))}.</p>`
    : '';
  return `<h2>Graph of ${escaped(network.described.name)}</h2>${legend}${svgOf(scene, network.described.name)}`;
}

function operatorsOf({ described, counts }: OpenNetwork): string {
  const sums = new Map<string, [nodes: number, parameters: number, macs: number, flops: number]>();
  described.nodes.operators.forEach((operator, row) => {
    if (!described.nodes.isCounted[row]) return;
    const sum = sums.get(operator) ?? [0, 0, 0, 0];
    sums.set(operator, sum);
    sum[0]++;
    sum[1] += counts.parameters[row]!;
    sum[2] += counts.macs[row]!;
    sum[3] += counts.flops[row]!;
  });
  const rows = [...sums].sort((a, b) => b[1][2] - a[1][2]);
  return `<h2>Cost by operator</h2>${table(
    ['Operator', 'Nodes', 'Parameters', 'MACs', 'FLOPs'],
    rows.map(([name, sum]) => [name, ...sum.map(formatCount)]),
  )}`;
}

function predictionsOf({ predicted }: OpenNetwork): string {
  if (predicted === undefined || predicted.labels.length === 0) return '';
  const rows = predicted.labels.map(({ label, value, low, high, unit, predictor }) => [
    label,
    formatNumber(value),
    formatNumber(low),
    formatNumber(high),
    unit,
    predictor,
  ]);
  return `<h2>Predictions</h2>${table(['Label', 'Value', 'Low', 'High', 'Unit', 'Predictor'], rows)}`;
}
