// What holds for every plot: well-formed XML, numbers that are numbers, marks inside the frame, nothing from elsewhere.
import { expect } from 'vitest';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+(?::\w+)?="[^"<]*")*)\s*(\/?)>|[^<]+|</gy;

/** Elements of XML as `tag` writes it; throws where it is not well formed. */
export function elementsOf(xml: string): Element[] {
  const open: string[] = [];
  const found: Element[] = [];
  for (const [token, close, name, attributes, empty] of xml.matchAll(TOKEN)) {
    if (name === undefined) {
      if (token === '<' || /&(?!(?:amp|lt|gt|quot|#39);)/.test(token)) {
        throw new Error(`not well formed: ${token.slice(0, 80)}`);
      }
      continue;
    }
    if (close) {
      expect(open.pop()).toBe(name);
      continue;
    }
    const pairs = [...attributes!.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
    found.push({ name, attributes: Object.fromEntries(pairs), parents: [...open] });
    if (!empty) open.push(name);
  }
  expect(open).toEqual([]);
  return found;
}

/** Texts as a reader sees them. */
export function textsOf(xml: string): string[] {
  const plain = (t: string): string =>
    t
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&amp;/g, '&');
  return [...xml.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, content]) => plain(content!));
}

/** Checks what holds for every plot and gives its elements. */
export function expectPlot(svg: string): Element[] {
  expect(svg).not.toMatch(/NaN|Infinity|undefined|href|url\(|@import|<script/);
  const elements = elementsOf(svg);
  expect(elements[0]).toMatchObject({ name: 'svg', attributes: { role: 'img', class: 'auspex-plot' } });
  expect(elements.slice(1, 3).map(({ name }) => name)).toEqual(['title', 'desc']);
  const frame = elements.find(({ attributes }) => attributes.class === 'frame')!.attributes;
  const [left, top] = [Number(frame.x), Number(frame.y)];
  const area = { left, top, right: left + Number(frame.width), bottom: top + Number(frame.height) };
  const before = elements.findIndex(({ attributes }) => attributes.class === 'frame');
  for (const { name, attributes } of elements.slice(5, before)) {
    if (name === 'text') continue;
    for (const [x, y] of cornersOf(name, attributes)) {
      expect(x).toBeGreaterThanOrEqual(area.left - 0.11);
      expect(x).toBeLessThanOrEqual(area.right + 0.11);
      expect(y).toBeGreaterThanOrEqual(area.top - 0.11);
      expect(y).toBeLessThanOrEqual(area.bottom + 0.11);
    }
  }
  const [width, height] = elements[0]!.attributes.viewBox!.split(' ').slice(2).map(Number);
  for (const { name, attributes } of elements) {
    if (name !== 'text') continue;
    expect(Number(attributes.x)).toBeGreaterThanOrEqual(0);
    expect(Number(attributes.x)).toBeLessThanOrEqual(width!);
    expect(Number(attributes.y)).toBeLessThanOrEqual(height!);
  }
  return elements;
}

/** All points that a mark reaches. */
function cornersOf(name: string, a: Readonly<Record<string, string>>): (readonly [number, number])[] {
  const n = (key: string): number => Number(a[key]);
  if (name === 'circle') {
    return [
      [n('cx') - n('r'), n('cy') - n('r')],
      [n('cx') + n('r'), n('cy') + n('r')],
    ];
  }
  if (name === 'rect') {
    return [
      [n('x'), n('y')],
      [n('x') + n('width'), n('y') + n('height')],
    ];
  }
  return name === 'path' ? pathPoints(a.d!) : [];
}

/** The points of a path of the commands that plots use. */
export function pathPoints(d: string): (readonly [number, number])[] {
  const points: (readonly [number, number])[] = [];
  let [x, y] = [0, 0];
  for (const [, command, rest] of d.matchAll(/([MLHVZlhvz])([^A-Za-z]*)/g)) {
    const numbers = [...rest!.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);
    const step = command === 'H' || command === 'V' || command === 'h' || command === 'v' ? 1 : 2;
    for (let i = 0; i + step <= numbers.length; i += step) {
      if (command === 'M' || command === 'L') [x, y] = [numbers[i]!, numbers[i + 1]!];
      else if (command === 'l') [x, y] = [x + numbers[i]!, y + numbers[i + 1]!];
      else if (command === 'H') x = numbers[i]!;
      else if (command === 'V') y = numbers[i]!;
      else if (command === 'h') x += numbers[i]!;
      else if (command === 'v') y += numbers[i]!;
      points.push([x, y]);
    }
  }
  return points;
}
