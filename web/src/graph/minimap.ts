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
    const [w, h] = [(width / view.scale) * scale, (height / view.scale) * scale];
    const left = (view.x - drawing.width / 2) * scale + MAP.width / 2 - w / 2;
    const top = (view.y - drawing.height / 2) * scale + MAP.height / 2 - h / 2;
    context.strokeRect(left, top, w, h);
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
