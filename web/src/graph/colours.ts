// Colours of the graph, for light and dark, and the scale of overlays.

export interface Colours {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly box: string;
  readonly border: string;
  readonly group: readonly [string, string];
  readonly accent: string;
  readonly danger: string;
  readonly classes: readonly string[];
}

const LIGHT: Colours = {
  background: '#fbfbfa',
  text: '#1a1c1f',
  muted: '#5a6068',
  line: '#9aa1aa',
  box: '#ffffff',
  border: '#b9bfc7',
  group: ['#f1f3f5', '#e8ebef'],
  accent: '#0b61c4',
  danger: '#a8231c',
  classes: ['#eceef1', '#cfe2fb', '#fbe3b8', '#d3eed6', '#e4d9f7', '#eceef1', '#f9d9d3'],
};

const DARK: Colours = {
  background: '#14171a',
  text: '#eceef0',
  muted: '#a3abb5',
  line: '#59616b',
  box: '#23282d',
  border: '#4a525b',
  group: ['#1b1f23', '#22272c'],
  accent: '#6cb0ff',
  danger: '#ff9d94',
  classes: ['#2b3138', '#1f3e63', '#54421a', '#20492a', '#3f3161', '#2b3138', '#5b302a'],
};

export function coloursFor(isDark: boolean): Colours {
  return isDark ? DARK : LIGHT;
}

/** Points of the scale, from nothing to the most: readable in grey, too. */
const SCALE = {
  light: ['#fdf3df', '#fbd79b', '#f6ae5f', '#e8783f', '#c4432f', '#8a1c2b'],
  dark: ['#2c2723', '#523a1e', '#85551d', '#bb6f22', '#e58a3a', '#ffc07a'],
};

/** The colour of a share between 0 and 1. */
export function overlayColour(share: number, isDark: boolean): string {
  const scale = isDark ? SCALE.dark : SCALE.light;
  const at = Math.sqrt(Math.min(1, Math.max(0, share))) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(at));
  return mixed(scale[low]!, scale[low + 1]!, at - low);
}

/** Text on an overlay's colour. */
export function textOn(share: number, isDark: boolean): string {
  const isStrong = Math.sqrt(share) > 0.62;
  return isDark ? (isStrong ? '#17120c' : '#f3eee8') : isStrong ? '#ffffff' : '#1a1c1f';
}

export const MARK_COLOURS = {
  light: { same: '#eceef1', changed: '#fbe3b8', added: '#c9ecce', removed: '#f9cdc6' },
  dark: { same: '#2b3138', changed: '#5e4a1c', added: '#1f5230', removed: '#642c26' },
} as const;

function mixed(a: string, b: string, share: number): string {
  const part = (text: string, i: number): number => Number.parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const parts = [0, 1, 2].map((i) => Math.round(part(a, i) + share * (part(b, i) - part(a, i))));
  return `rgb(${parts.join(',')})`;
}
