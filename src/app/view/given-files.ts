// Files that `auspex view` serves: those that were given, the weights that their models have beside them, and the models and
// reports of given folders. Each has a number; nothing else can be asked for.
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Graph } from '../../graph/graph.js';
import { subgraphs } from '../../graph/graph.js';
import { readModel } from '../../onnx/file.js';
import { AuspexError } from '../../util/errors.js';

export interface ServedFile {
  readonly id: number;
  /** As the page shows it. */
  readonly name: string;
  /** Without links. */
  readonly path: string;
  /** Files of one group are opened together. */
  readonly group: number;
}

/** Of a folder, what the page can show. */
const SHOWN = /\.(onnx|jsonl|json)$/i;
const MOST_OF_FOLDER = 100;

export class GivenFiles {
  readonly #files: ServedFile[] = [];
  #groups = 0;

  get all(): readonly ServedFile[] {
    return this.#files;
  }

  get(id: number): ServedFile | undefined {
    return this.#files[id];
  }

  /**
   * Adds a file, or the models and reports of a folder.
   *
   * @throws AuspexError FILE_UNREADABLE, VIEW_EMPTY
   */
  add(path: string): ServedFile[] {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) return this.#one(path);
    if (!stat?.isDirectory()) {
      throw new AuspexError('FILE_UNREADABLE', 'the file does not exist', { where: { file: path } });
    }
    const inside = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && SHOWN.test(entry.name))
      .map(({ name }) => join(path, name))
      .sort()
      .slice(0, MOST_OF_FOLDER);
    if (inside.length > 0) return inside.flatMap((file) => this.#one(file));
    throw new AuspexError('VIEW_EMPTY', 'the folder has no models and no reports', {
      where: { file: path },
      hint: 'give ONNX files, trials.jsonl, scores.jsonl or JSON of auspex evaluate and measure',
    });
  }

  #one(path: string): ServedFile[] {
    const group = this.#groups++;
    const add = (file: string, name: string): ServedFile => {
      const served = { id: this.#files.length, name, path: realpathSync(file), group };
      this.#files.push(served);
      return served;
    };
    const data = /\.onnx$/i.test(path) ? externalData(path) : [];
    return [add(path, basename(path)), ...data.map((file) => add(file, basename(file)))];
  }
}

/** Files that a model has its weights in, inside of its own folder. */
function externalData(path: string): string[] {
  const locations = new Set<string>();
  const collect = (graph: Graph): void => {
    for (const { data } of graph.initializers.values()) {
      if (data.kind === 'external') locations.add(data.location);
    }
    for (const node of graph.nodes) {
      for (const attribute of node.attributes.values()) {
        if (attribute.type === 'tensor' && attribute.value.data.kind === 'external') {
          locations.add(attribute.value.data.location);
        }
      }
      for (const [, inner] of subgraphs(node)) collect(inner);
    }
  };
  try {
    collect(readModel(path, { isKeptOpen: false }).graph);
  } catch (error) {
    // The page says what is wrong with it.
    if (error instanceof AuspexError) return [];
    throw error;
  }
  return [...locations].flatMap((location) => insideFolder(dirname(path), location) ?? []);
}

function insideFolder(folder: string, location: string): string | undefined {
  if (isAbsolute(location) || location.includes('\0')) return undefined;
  try {
    const real = realpathSync(join(folder, location));
    const way = relative(realpathSync(folder), real);
    const isInside = way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..';
    return isInside && statSync(real).isFile() ? real : undefined;
  } catch {
    // It is missing: the page asks for it when its data is needed.
    return undefined;
  }
}
