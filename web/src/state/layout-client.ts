// Calls of the layout in its worker. Only the latest answer counts.
import type { Tree } from '../engine/protocol.js';
import type { Drawing } from '../layout/nested.js';

export interface Drawn {
  readonly drawing: Drawing;
  readonly milliseconds: number;
}

export class LayoutClient {
  readonly #worker = new Worker(new URL('../layout/worker.ts', import.meta.url), { type: 'module' });
  #latest = 0;
  #done: ((drawn: Drawn) => void) | undefined;

  constructor(tree: Tree) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Drawn & { call: number }>) => {
      if (data.call === this.#latest) this.#done?.(data);
    });
    this.#worker.postMessage({ kind: 'tree', tree });
  }

  /** Never answers if it is called again before it is done. */
  draw(open: Iterable<number>): Promise<Drawn> {
    const call = ++this.#latest;
    this.#worker.postMessage({ kind: 'draw', call, open: [...open] });
    return new Promise((done) => {
      this.#done = done;
    });
  }

  close(): void {
    this.#worker.terminate();
  }
}
