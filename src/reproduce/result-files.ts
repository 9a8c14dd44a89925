// Results in a folder: `<out>/<table>/<cell>.<seed>.json`, and beside them what a training that was stopped left.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readBytes } from '../onnx/file.js';
import { writeOutput } from '../store/write-file.js';
import { AuspexError } from '../util/errors.js';
import { type CellSettings, type Draw, type DrawResult, RESULT_SCHEMA, settingsKey } from './result.js';

/** Files of a training that is not done. */
const WORK = /\.(checkpoint|onnx)$/;

export class ResultFiles {
  readonly folder: string;

  /** @param folder of all tables; made when something is written */
  constructor(folder: string) {
    this.folder = folder;
  }

  pathOf(draw: Draw): string {
    return `${this.#stem(draw)}.json`;
  }

  /** Where a part of a training keeps its state: none is gone on with by a training of other settings. */
  checkpointOf(draw: Draw, settings: CellSettings, part: 'trunk' | 'cell', name: string): string {
    return `${this.#workOf(draw, settings)}.${part}.${name}.checkpoint`;
  }

  /** Where a trunk is kept until its cell is done. */
  trunkOf(draw: Draw, settings: CellSettings): string {
    return `${this.#workOf(draw, settings)}.trunk.onnx`;
  }

  /**
   * What is known of a draw; undefined if it is not done.
   *
   * @throws AuspexError REPRODUCE_RESULT for a file that is none
   */
  read(draw: Draw): DrawResult | undefined {
    const path = this.pathOf(draw);
    if (!existsSync(path)) return undefined;
    const result = parsed(readBytes(path).toString('utf8'));
    if (result?.schema === RESULT_SCHEMA && result.cell === draw.cell.id && result.seed === draw.seed) {
      return result;
    }
    throw new AuspexError('REPRODUCE_RESULT', 'the file is not a result of this cell', {
      where: { file: path },
      hint: 'delete it, or give another folder with --out',
    });
  }

  /** As `read`, but only what was done with these settings counts. */
  readWith(draw: Draw, settings: CellSettings): DrawResult | undefined {
    const result = this.read(draw);
    return result && settingsKey(result.settings) === settingsKey(settings) ? result : undefined;
  }

  async prepare({ table }: Draw): Promise<void> {
    const path = join(this.folder, table.id);
    try {
      await mkdir(path, { recursive: true });
    } catch (cause) {
      throw new AuspexError('FILE_UNWRITABLE', `the folder cannot be created: ${(cause as Error).message}`, {
        where: { file: path },
        kind: 'failure',
        cause,
      });
    }
  }

  async write(draw: Draw, result: DrawResult): Promise<void> {
    const text = `${JSON.stringify(result, null, 2)}\n`;
    await writeOutput(this.pathOf(draw), text);
  }

  /** Removes what only a training that goes on needs. */
  async clear(draw: Draw): Promise<void> {
    const [folder, start] = [dirname(this.#stem(draw)), `${basename(this.#stem(draw))}.`];
    if (!existsSync(folder)) return;
    for (const name of await readdir(folder)) {
      if (name.startsWith(start) && WORK.test(name)) await rm(join(folder, name), { force: true });
    }
  }

  #workOf(draw: Draw, settings: CellSettings): string {
    return `${this.#stem(draw)}.${settingsKey(settings)}`;
  }

  #stem({ table, cell, seed }: Draw): string {
    return join(this.folder, table.id, `${cell.id}.${seed}`);
  }
}

function parsed(text: string): DrawResult | undefined {
  try {
    return JSON.parse(text) as DrawResult;
  } catch {
    return undefined;
  }
}
