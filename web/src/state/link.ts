// The view in the fragment of the address: which tab, which overlay, what is open and selected, which sizes. Never the
// model: a link shows the same view to those who have the same file open.
import { app, type Tab } from './app.svelte.js';
import type { OpenNetwork } from './network.svelte.js';

const baseName = ({ described }: OpenNetwork): string => described.name.split(/[\\/]/).at(-1)!;

/** Longer lists of groups are left out of a link. */
const MOST_GROUPS = 200;
let isRestored = false;

export function linkText(): string {
  const parts = new URLSearchParams();
  const { network, report, place, tab, compared } = app;
  if (place.kind === 'compare' || place.kind === 'pareto') parts.set('place', place.kind);
  if (place.kind === 'compare' && compared !== undefined) {
    for (const id of compared) parts.append('pair', baseName(app.networks.find((one) => one.id === id)!));
  }
  if (report !== undefined) parts.set('report', report.name);
  if (network === undefined) return parts.toString();
  parts.set('of', baseName(network));
  parts.set('tab', tab);
  if (network.overlayName !== '') parts.set('overlay', network.overlayName);
  if (network.selected !== undefined) parts.set('item', String(network.selected));
  const atFirst = network.tree.open;
  const isAsFirst = network.open.size === atFirst.length && atFirst.every((id) => network.open.has(id));
  if (!isAsFirst && network.open.size <= MOST_GROUPS) parts.set('open', [...network.open].join('.'));
  const sizes = Object.entries(network.chosen);
  if (sizes.length > 0)
    parts.set('sizes', sizes.map(([name, value]) => `${encodeURIComponent(name)}~${value}`).join('.'));
  return parts.toString();
}

export function linkAddress(): string {
  const address = new URL(location.href);
  address.hash = linkText();
  return address.href;
}

/** From now on, the address follows the view. */
export function keepLink(): void {
  isRestored = true;
}

export function followLink(text: string): void {
  if (isRestored)
    history.replaceState(null, '', text === '' ? location.pathname + location.search : `#${text}`);
}

export function restoreLink(): void {
  const parts = new URLSearchParams(location.hash.slice(1));
  const name = parts.get('of');
  const network = app.networks.find((one) => baseName(one) === name);
  if (network !== undefined) {
    app.place = { kind: 'network', id: network.id };
    const tab = parts.get('tab');
    if (tab === 'graph' || tab === 'numbers' || tab === 'predictions') app.tab = tab satisfies Tab;
    network.overlayName = parts.get('overlay') ?? '';
    const count = network.tree.parents.length;
    const known = (text: string): number[] =>
      [Number(text)].filter((id) => Number.isInteger(id) && id >= 0 && id < count);
    const open = parts.get('open');
    if (open !== null) network.setOpen(new Set([0, ...open.split('.').flatMap(known)]));
    const [item] = known(parts.get('item') ?? 'none');
    if (item !== undefined) network.selected = item;
    const sizes = (parts.get('sizes') ?? '').split('.').flatMap((each): [string, number][] => {
      const [key, value] = each.split('~');
      return key && Number(value) > 0 ? [[decodeURIComponent(key), Number(value)]] : [];
    });
    if (sizes.length > 0) void app.resize(network, Object.fromEntries(sizes));
  }
  const report = app.reports.find((one) => one.name === parts.get('report'));
  if (report !== undefined) app.place = { kind: 'report', key: report.key };
  const place = parts.get('place');
  const pair = parts.getAll('pair').map((each) => app.networks.find((one) => baseName(one) === each)?.id);
  if (pair[0] !== undefined && pair[1] !== undefined) app.compared = [pair[0], pair[1]];
  if (app.networks.length < 2) return;
  if (place === 'compare' || place === 'pareto') app.place = { kind: place };
}
