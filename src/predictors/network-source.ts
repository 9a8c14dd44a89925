// Where predictors of whole networks have them from: a space that builds them, or somebody who reads files.
import type { Model } from '../graph/graph.js';
import { spaceNamed } from '../spaces/index.js';
import { onnxSpace } from '../spaces/onnx.js';
import { AuspexError } from '../util/errors.js';

/** Reads the network of a path; predictors themselves open no files. */
export type ReadNetwork = (path: string) => Model;

/** The space of tables whose architectures are paths of ONNX files. */
export const ONNX_FILES = 'onnx';

/** The networks of a space's texts, at its default sizes; of files with a batch of 1 where they leave it open. */
export function networksOf(space: string, read?: ReadNetwork): (text: string) => Model {
  if (space !== ONNX_FILES) {
    const found = spaceNamed(space);
    return (text) => found.network(found.parse(text));
  }
  if (read === undefined) {
    throw new AuspexError('NETWORKS_UNREADABLE', 'architectures that are files need somebody to read them', {
      hint: 'give a function from a path to a model',
    });
  }
  return (path) =>
    inFile(space, path, () => {
      const model = read(path);
      return onnxSpace(path, model).network([]);
    });
}

/** Does something with a network; an error names its file, if it came from one. */
export function inFile<T>(space: string, text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (space === ONNX_FILES && error instanceof AuspexError) throw error.within({ file: text });
    throw error;
  }
}
