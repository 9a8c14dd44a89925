// What pointers and wheels do to a view: one pointer moves the drawing or clicks, two zoom.
import { type View, zoomed } from './view.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A pointer that went less far than this has clicked. */
const CLICK_PIXELS = 5;

export class Gestures {
  readonly #pointers = new Map<number, Point>();
  #moved = 0;

  down({ pointerId, clientX, clientY }: PointerEvent): void {
    this.#pointers.set(pointerId, { x: clientX, y: clientY });
    if (this.#pointers.size === 1) this.#moved = 0;
  }

  /** @param box of the canvas on the screen */
  move({ pointerId, clientX, clientY }: PointerEvent, view: View, box: DOMRect): View {
    const before = this.#pointers.get(pointerId);
    if (before === undefined) return view;
    const now = { x: clientX, y: clientY };
    this.#pointers.set(pointerId, now);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.#moved += Math.abs(dx) + Math.abs(dy);
    const other = [...this.#pointers].find(([id]) => id !== pointerId)?.[1];
    if (other === undefined) return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
    const apart = (point: Point): number => Math.hypot(point.x - other.x, point.y - other.y);
    const { x, y } = fromMiddle(other, box);
    return zoomed(view, apart(now) / (apart(before) || 1), x, y);
  }

  /** @returns whether it was a click */
  up({ pointerId, type }: PointerEvent): boolean {
    const isClick = this.#pointers.size === 1 && this.#moved < CLICK_PIXELS && type === 'pointerup';
    this.#pointers.delete(pointerId);
    return isClick;
  }
}

/** A place of the screen, from the middle of the canvas. */
export function fromMiddle({ x, y }: Point, box: DOMRect): Point {
  return { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 };
}

export function wheeled(event: WheelEvent, view: View, box: DOMRect): View {
  if (event.shiftKey && !event.ctrlKey) {
    return { ...view, x: view.x + (event.deltaX || event.deltaY) / view.scale };
  }
  const lines = event.deltaMode === 1 ? 16 : 1;
  const { x, y } = fromMiddle({ x: event.clientX, y: event.clientY }, box);
  return zoomed(view, Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 100 : 500)), x, y);
}
