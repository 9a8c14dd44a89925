// The small map of a whole drawing, with the part that is seen framed.
import { paint, type Scene } from './paint.js';
import type { View } from './view.js';

export const MAP = { width: 132, height: 176 };

type Drawing = Scene['drawing'];

function scaleOf({ width, height }: Pick<Drawing, 'width' | 'height'>): number {
  return Math.min(MAP.width / (width || 1), MAP.height / (height || 1));
}

/** The place of the drawing that a place of the map stands for. */
export function placeOnMap(
  drawing: Pick<Drawing, 'width' | 'height'>,
  x: number,
  y: number,
): Pick<View, 'x' | 'y'> {
  const scale = scaleOf(drawing);
  return {
    x: (x - MAP.width / 2) / scale + drawing.width / 2,
    y: (y - MAP.height / 2) / scale + drawing.height / 2,
  };
}

export class Minimap {
  /** Painted once for each scene. */
  #picture: { readonly of: Scene; readonly canvas: OffscreenCanvas } | undefined;

  /** @param view of a window of this width and height */
  paint(canvas: HTMLCanvasElement, scene: Scene, view: View, width: number, height: number): void {
    const { drawing, colours } = scene;
    const scale = scaleOf(drawing);
    const context = canvas.getContext('2d')!;
    context.drawImage(this.#pictureOf(scene, scale), 0, 0);
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    // What is seen beyond the drawing ends at the edge of the map.
    const across = ends(view.x - drawing.width / 2, width / view.scale, scale, MAP.width);
    const down = ends(view.y - drawing.height / 2, height / view.scale, scale, MAP.height);
    context.strokeRect(across.from, down.from, across.to - across.from, down.to - down.from);
  }

  #pictureOf(scene: Scene, scale: number): OffscreenCanvas {
    if (this.#picture?.of !== scene) {
      const canvas = new OffscreenCanvas(MAP.width, MAP.height);
      const pen = canvas.getContext('2d')! as unknown as CanvasRenderingContext2D;
      const { width, height } = scene.drawing;
      const whole = { x: width / 2, y: height / 2, scale };
      paint(pen, { ...scene, selected: undefined }, whole, MAP.width, MAP.height);
      this.#picture = { of: scene, canvas };
    }
    return this.#picture.canvas;
  }
}

function ends(middle: number, length: number, scale: number, most: number): { from: number; to: number } {
  const inside = (place: number): number => Math.min(most - 1, Math.max(1, place));
  const [at, half] = [middle * scale + most / 2, (length * scale) / 2];
  return { from: inside(at - half), to: inside(at + half) };
}
