// What of the drawing is seen: which point is in the middle, and how large it is.

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export const SCALES = { least: 0.01, most: 4 };

/** All of the drawing; of one that is then too small to read, as much of its top as is readable. */
export function fitted(
  width: number,
  height: number,
  drawing: { readonly width: number; readonly height: number },
  readable = 0.75,
): View {
  const wide = Math.min((width - 40) / (drawing.width || 1), 1);
  const whole = Math.min(wide, (height - 40) / (drawing.height || 1));
  const scale = Math.max(SCALES.least, whole >= readable ? whole : Math.max(whole, Math.min(wide, readable)));
  const seen = height / scale;
  const isWhole = seen > drawing.height + 40 / scale - 1;
  return { scale, x: drawing.width / 2, y: isWhole ? drawing.height / 2 : seen / 2 - 20 / scale };
}

/** Zooms by a factor around a point of the screen, given from the middle. */
export function zoomed({ x, y, scale }: View, factor: number, atX: number, atY: number): View {
  const next = Math.min(SCALES.most, Math.max(SCALES.least, scale * factor));
  return { scale: next, x: x + atX / scale - atX / next, y: y + atY / scale - atY / next };
}

/** A box of the drawing. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The view in which a box can be read; the same if it already can. */
export function showing(view: View, box: Box, width: number, height: number): View {
  const margin = 30;
  const [halfWidth, halfHeight] = [width / 2 - margin, height / 2 - margin].map(
    (half) => half / view.scale,
  ) as [number, number];
  const isSeen =
    box.x > view.x - halfWidth &&
    box.x + box.width < view.x + halfWidth &&
    box.y > view.y - halfHeight &&
    box.y + box.height < view.y + halfHeight;
  const isReadable = view.scale >= 0.6;
  if (isSeen && isReadable) return view;
  return {
    scale: isReadable ? view.scale : 0.8,
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
  };
}
