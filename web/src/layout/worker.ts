// Draws trees in a thread of its own: one tree after another, each with any groups open.
import type { Tree } from '../engine/protocol.js';
import { NestedLayout } from './nested.js';

export type LayoutMessage =
  | { readonly kind: 'tree'; readonly tree: Tree }
  | { readonly kind: 'draw'; readonly call: number; readonly open: readonly number[] };

let layout: NestedLayout | undefined;

addEventListener('message', ({ data }: MessageEvent<LayoutMessage>) => {
  if (data.kind === 'tree') {
    layout = new NestedLayout(data.tree);
    return;
  }
  const start = performance.now();
  const drawing = layout!.draw(new Set(data.open));
  const { items, boxes, isOpen, points, starts, joins } = drawing;
  const moved = [items, boxes, isOpen, points, starts, joins].map(({ buffer }) => buffer as ArrayBuffer);
  postMessage({ call: data.call, drawing, milliseconds: performance.now() - start }, { transfer: moved });
});
