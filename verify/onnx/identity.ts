// The third check of a test: what is written and read again is the same model.
import { Expr } from '../../src/graph/dim.js';
import type { Model } from '../../src/graph/graph.js';
import { decodeModel } from '../../src/onnx/read.js';
import { ByteRange } from '../../src/util/bytes.js';

/** Where a model and its rewritten copy differ first, such as `graph.nodes.3.name`; undefined if nowhere. */
export function differenceWhenRead(model: Model, rewritten: Uint8Array): string | undefined {
  return difference(model, decodeModel(rewritten), 'model');
}

function difference(a: unknown, b: unknown, path: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (a instanceof ByteRange && b instanceof ByteRange) return difference(a.read(), b.read(), path);
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b) === 0 ? undefined : path;
  }
  if (a instanceof Expr && b instanceof Expr) return String(a) === String(b) ? undefined : path;
  if (a instanceof Map && b instanceof Map) return difference([...a], [...b], path);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path;
  const left = Object.entries(a);
  const right = Object.entries(b);
  if (left.length !== right.length) return path;
  const other = new Map(right);
  for (const [key, value] of left) {
    const found = other.has(key) ? difference(value, other.get(key), `${path}.${key}`) : `${path}.${key}`;
    if (found !== undefined) return found;
  }
  return undefined;
}
