// SVG as text: elements, numbers and texts. What a user wrote, such as the name of a label, becomes part of a page, so
// every text passes `escaped`, and a number that is none never gets into an attribute.
import { printable } from '../../util/printable.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Halves of pairs and code points that XML does not allow. */
const NOT_XML = /[\ud800-\udfff\ufffe\uffff]/gu;

/** A text as content or attribute of XML and HTML. */
export function escaped(text: string): string {
  return printable(text)
    .replace(NOT_XML, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A coordinate: a tenth of a pixel is finer than anyone sees. */
export function px(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a coordinate`);
  // Not '-0'.
  return String(Math.round(value * 10) / 10 + 0);
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element. Attributes are escaped, numbers are coordinates; children are markup. */
export function tag(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? px(value) : escaped(value!)}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return tag('text', { x, y, ...attributes }, escaped(content));
}

/** About as many characters as fit; a plot has no way to measure a text. */
export function shortened(content: string, width: number, fontSize = 12): string {
  const most = Math.max(1, Math.floor(width / (fontSize * 0.56)));
  const characters = [...content];
  return characters.length <= most ? content : `${characters.slice(0, most - 1).join('')}…`;
}

export type Point = readonly [x: number, y: number];

/** The data of a path through points. */
export function through(points: readonly Point[], isClosed = false): string {
  return `M${points.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}${isClosed ? 'Z' : ''}`;
}
