// The same picture as SVG: what a canvas is told, written down.
import { type Pen, paintOn, type Scene } from './paint.js';

class SvgPen implements Pen {
  fillStyle: Pen['fillStyle'] = '#000';
  strokeStyle: Pen['strokeStyle'] = '#000';
  lineWidth = 1;
  font = '';
  textAlign: CanvasTextAlign = 'left';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  readonly parts: string[] = [];
  #path: string[] = [];

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${fixed(x)} ${fixed(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`L${fixed(x)} ${fixed(y)}`);
  }

  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.#path.push(`C${[a, b, c, d, x, y].map(fixed).join(' ')}`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(`M${fixed(x)} ${fixed(y)}h${fixed(width)}v${fixed(height)}h${fixed(-width)}z`);
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const [w, h] = [fixed(width - 2 * r), fixed(height - 2 * r)];
    const corner = (dx: number, dy: number): string =>
      `a${fixed(r)} ${fixed(r)} 0 0 1 ${fixed(dx)} ${fixed(dy)}`;
    this.#path.push(
      `M${fixed(x + r)} ${fixed(y)}h${w}${corner(r, r)}v${h}${corner(-r, r)}h-${w}${corner(-r, -r)}v-${h}${corner(r, -r)}z`,
    );
  }

  fill(): void {
    if (this.#path.length > 0) this.parts.push(`<path d="${this.#path.join('')}" fill="${this.fillStyle}"/>`);
  }

  stroke(): void {
    if (this.#path.length === 0) return;
    this.parts.push(
      `<path d="${this.#path.join('')}" fill="none" stroke="${this.strokeStyle}" stroke-width="${fixed(this.lineWidth)}"/>`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    const [, weight = 'normal', size = '12'] = /^(?:(\d+) )?([\d.]+)px/.exec(this.font) ?? [];
    const anchor = this.textAlign === 'center' ? 'middle' : 'start';
    this.parts.push(
      `<text x="${fixed(x)}" y="${fixed(y)}" fill="${this.fillStyle}" font-size="${size}" font-weight="${weight}" ` +
        `text-anchor="${anchor}" dominant-baseline="central">${escaped(text)}</text>`,
    );
  }
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

const MARGIN = 20;

/** All of a drawing. */
export function svgOf(scene: Scene, legend = ''): string {
  const { drawing, colours } = scene;
  const pen = new SvgPen();
  const area = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  paintOn(pen, { ...scene, selected: undefined, found: new Set() }, 1, area);
  const [width, height] = [Math.ceil(drawing.width + 2 * MARGIN), Math.ceil(drawing.height + 2 * MARGIN)];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="system-ui, sans-serif"><title>${escaped(legend)}</title>` +
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="${colours.background}"/>${pen.parts.join('')}</svg>`
  );
}
