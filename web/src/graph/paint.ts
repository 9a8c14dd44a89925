// Paints a drawing on a canvas: only what is seen, text only where it can be read. Ten thousand boxes are a few
// milliseconds.
import type { Tree } from '../engine/protocol.js';
import type { Drawing } from '../layout/nested.js';
import { type Colours, overlayColour, textOn } from './colours.js';
import type { View } from './view.js';

export interface Scene {
  readonly drawing: Drawing;
  readonly tree: Tree;
  readonly colours: Colours;
  readonly isDark: boolean;
  readonly selected: number | undefined;
  /** The item that an error names. */
  readonly faulty?: number | undefined;
  /** Items that a search found. */
  readonly found: ReadonlySet<number>;
  /** Of every item, and the most of those that are seen. */
  readonly overlay:
    | { readonly values: Float64Array; readonly most: number; format(value: number): string }
    | undefined;
  /** Colours of items that are not told by overlays, such as what a comparison found. */
  readonly marks?: ReadonlyMap<number, string> | undefined;
}

/** What a canvas and an SVG picture have in common. */
export interface Pen {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  fill(): void;
  stroke(): void;
  fillText(text: string, x: number, y: number): void;
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Below these scales, parts are left out. */
const READABLE = { text: 0.42, detail: 0.6, curves: 0.12, corners: 0.25, arrows: 0.35 };
const FONT = 'system-ui, sans-serif';

export function paint(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  width: number,
  height: number,
): void {
  context.fillStyle = scene.colours.background;
  context.fillRect(0, 0, width, height);
  context.save();
  context.translate(width / 2, height / 2);
  context.scale(view.scale, view.scale);
  context.translate(-view.x, -view.y);
  const area = {
    left: view.x - width / 2 / view.scale,
    right: view.x + width / 2 / view.scale,
    top: view.y - height / 2 / view.scale,
    bottom: view.y + height / 2 / view.scale,
  };
  paintOn(context, scene, view.scale, area);
  context.restore();
}

/** Paints all that is in an area. */
export function paintOn(pen: Pen, scene: Scene, scale: number, area: Area): void {
  groups(pen, scene, scale, area);
  lines(pen, scene, scale, area);
  boxes(pen, scene, scale, area);
}

function isSeen(boxes: Float32Array, i: number, { left, top, right, bottom }: Area): boolean {
  const [x, y] = [boxes[4 * i]!, boxes[4 * i + 1]!];
  return x < right && y < bottom && x + boxes[4 * i + 2]! > left && y + boxes[4 * i + 3]! > top;
}

function groups(
  pen: Pen,
  { drawing, tree, colours, selected, faulty, found }: Scene,
  scale: number,
  area: Area,
): void {
  const { items, boxes, isOpen } = drawing;
  const depth = new Map<number, number>();
  for (let i = 0; i < items.length; i++) {
    if (!isOpen[i]) continue;
    const id = items[i]!;
    const level = (depth.get(tree.parents[id]!) ?? 0) + 1;
    depth.set(id, level);
    if (!isSeen(boxes, i, area)) continue;
    const [x, y, width, height] = [boxes[4 * i]!, boxes[4 * i + 1]!, boxes[4 * i + 2]!, boxes[4 * i + 3]!];
    pen.fillStyle = colours.group[level % 2]!;
    pen.beginPath();
    pen.roundRect(x, y, width, height, 10);
    pen.fill();
    const isAccented = id === selected || found.has(id);
    pen.strokeStyle = id === faulty ? colours.danger : isAccented ? colours.accent : colours.border;
    pen.lineWidth = (id === selected || id === faulty ? 2.5 : 1) / Math.min(1, Math.max(scale, 0.3));
    pen.stroke();
    if (scale < READABLE.text * 0.7) continue;
    pen.fillStyle = colours.muted;
    pen.font = `600 12px ${FONT}`;
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    pen.fillText(shortened(`− ${tree.titles[id]!}`, width - 20, 7), x + 12, y + 17);
  }
}

function lines(pen: Pen, { drawing, colours, selected }: Scene, scale: number, area: Area): void {
  const { points, starts, joins } = drawing;
  const count = starts.length - 1;
  const isCurved = scale >= READABLE.curves;
  pen.strokeStyle = colours.line;
  pen.lineWidth = Math.max(1, 0.5 / scale);
  pen.beginPath();
  const chosen: number[] = [];
  for (let e = 0; e < count; e++) {
    if (selected !== undefined && (joins[3 * e] === selected || joins[3 * e + 1] === selected))
      chosen.push(e);
    else line(pen, points, starts[e]!, starts[e + 1]!, area, isCurved);
  }
  pen.stroke();
  if (scale >= READABLE.arrows) {
    pen.fillStyle = colours.line;
    pen.beginPath();
    for (let e = 0; e < count; e++) arrow(pen, points, starts[e + 1]!, area);
    pen.fill();
  }
  if (chosen.length === 0) return;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = Math.max(2, 1.2 / scale);
  pen.beginPath();
  for (const e of chosen) line(pen, points, starts[e]!, starts[e + 1]!, area, isCurved);
  pen.stroke();
}

function line(pen: Pen, points: Float32Array, from: number, to: number, area: Area, isCurved: boolean): void {
  const [firstY, lastY] = [points[2 * from + 1]!, points[2 * to - 1]!];
  if (Math.max(firstY, lastY) < area.top || Math.min(firstY, lastY) > area.bottom) return;
  let isDrawn = false;
  for (let k = from; k < to - 1; k++) {
    const [x, y, nextX, nextY] = [points[2 * k]!, points[2 * k + 1]!, points[2 * k + 2]!, points[2 * k + 3]!];
    const isOutside =
      Math.max(y, nextY) < area.top ||
      Math.min(y, nextY) > area.bottom ||
      Math.max(x, nextX) < area.left ||
      Math.min(x, nextX) > area.right;
    if (isOutside) {
      isDrawn = false;
      continue;
    }
    if (!isDrawn) pen.moveTo(x, y);
    isDrawn = true;
    if (!isCurved || Math.abs(x - nextX) < 0.5) pen.lineTo(nextX, nextY);
    else {
      const middle = (y + nextY) / 2;
      pen.bezierCurveTo(x, middle, nextX, middle, nextX, nextY);
    }
  }
}

function arrow(pen: Pen, points: Float32Array, end: number, area: Area): void {
  const [x, y] = [points[2 * end - 2]!, points[2 * end - 1]!];
  if (x < area.left || x > area.right || y < area.top || y > area.bottom) return;
  const size = points[2 * end - 3]! > y ? -6 : 6;
  pen.moveTo(x, y);
  pen.lineTo(x - 3.5, y - size);
  pen.lineTo(x + 3.5, y - size);
}

function boxes(pen: Pen, scene: Scene, scale: number, area: Area): void {
  const { drawing, tree, colours, selected, faulty, found } = scene;
  const { items, boxes: places, isOpen } = drawing;
  // Boxes of one colour are one path: changing colours is what takes time.
  const byColour = new Map<string, number[]>();
  for (let i = 0; i < items.length; i++) {
    if (isOpen[i] || !isSeen(places, i, area)) continue;
    const colour = fillOf(scene, items[i]!);
    const list = byColour.get(colour);
    if (list) list.push(i);
    else byColour.set(colour, [i]);
  }
  const isRound = scale >= READABLE.corners;
  for (const [colour, list] of byColour) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (const i of list) outline(pen, places, i, tree.kinds[items[i]!]!, isRound);
    pen.fill();
    if (!isRound) continue;
    pen.strokeStyle = colours.border;
    pen.lineWidth = 1;
    pen.stroke();
  }
  for (const list of byColour.values()) {
    for (const i of list) {
      const id = items[i]!;
      if (id === selected || id === faulty || found.has(id)) {
        pen.strokeStyle = id === faulty ? colours.danger : colours.accent;
        pen.lineWidth = (id === selected || id === faulty ? 3 : 1.8) / Math.min(1, Math.max(scale, 0.2));
        pen.beginPath();
        outline(pen, places, i, tree.kinds[id]!, isRound);
        pen.stroke();
      }
      if (scale >= READABLE.text) words(pen, scene, i, scale);
    }
  }
}

function outline(pen: Pen, places: Float32Array, i: number, kind: string, isRound: boolean): void {
  const [x, y, width, height] = [places[4 * i]!, places[4 * i + 1]!, places[4 * i + 2]!, places[4 * i + 3]!];
  if (!isRound) pen.rect(x, y, width, height);
  else
    pen.roundRect(
      x,
      y,
      width,
      height,
      kind === 'input' || kind === 'output' ? height / 2 : kind === 'operator' ? 4 : 9,
    );
  // A stack of equal blocks.
  if (isRound && kind === 'repeat') {
    pen.moveTo(x + 5, y + height + 3);
    pen.lineTo(x + width - 5, y + height + 3);
    pen.moveTo(x + 9, y + height + 6);
    pen.lineTo(x + width - 9, y + height + 6);
  }
}

function shareOf({ overlay }: Scene, id: number): number {
  return overlay === undefined || overlay.most <= 0 ? 0 : overlay.values[id]! / overlay.most;
}

function fillOf(scene: Scene, id: number): string {
  const { overlay, tree, colours, isDark, marks } = scene;
  const mark = marks?.get(id);
  if (mark !== undefined) return mark;
  const kind = tree.kinds[id]!;
  if (overlay !== undefined && kind !== 'input' && kind !== 'output') {
    // Few colours, so that boxes can be painted together.
    return overlayColour(Math.round(64 * shareOf(scene, id)) / 64, isDark);
  }
  return kind === 'operator' ? colours.classes[tree.classes[id]!]! : colours.box;
}

function words(pen: Pen, scene: Scene, i: number, scale: number): void {
  const { drawing, tree, colours, overlay, isDark } = scene;
  const id = drawing.items[i]!;
  const [x, y, width, height] = [0, 1, 2, 3].map((k) => drawing.boxes[4 * i + k]!) as [
    number,
    number,
    number,
    number,
  ];
  const kind = tree.kinds[id]!;
  const isGroup = kind !== 'operator' && kind !== 'input' && kind !== 'output';
  const isColoured = overlay !== undefined && kind !== 'input' && kind !== 'output';
  const text = isColoured ? textOn(shareOf(scene, id), isDark) : colours.text;
  const value = isColoured ? overlay.values[id]! : 0;
  const detail = isColoured && value > 0 ? overlay.format(value) : tree.details[id]!;
  const hasDetail = scale >= READABLE.detail && detail !== '';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = text;
  pen.font = `600 12px ${FONT}`;
  const title = isGroup ? `+ ${tree.titles[id]!}` : tree.titles[id]!;
  pen.fillText(shortened(title, width - 8, 7), x + width / 2, y + height / 2 - (hasDetail ? 7 : 0));
  if (!hasDetail) return;
  pen.fillStyle = isColoured ? text : colours.muted;
  pen.font = `10.5px ${FONT}`;
  pen.fillText(shortened(detail, width - 8, 5.6), x + width / 2, y + height / 2 + 8);
}

function shortened(text: string, width: number, perCharacter: number): string {
  const most = Math.floor(width / perCharacter);
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/** The innermost item at a point of the drawing. */
export function itemAt(
  { items, boxes, isOpen }: Drawing,
  x: number,
  y: number,
): { item: number; isHeader: boolean } | undefined {
  for (let i = items.length - 1; i >= 0; i--) {
    const [left, top] = [boxes[4 * i]!, boxes[4 * i + 1]!];
    if (x < left || y < top || x > left + boxes[4 * i + 2]! || y > top + boxes[4 * i + 3]!) continue;
    return { item: items[i]!, isHeader: isOpen[i] === 1 };
  }
  return undefined;
}
