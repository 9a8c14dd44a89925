// The networks of a predictor's training that are nearest to others, by the distances that its graph puts out.
import type { AuspexError } from '../util/errors.js';
import type { Neighbour } from './predictions.js';
import { notCovered, saidOf } from './views/view.js';

/** The output of a graph that has them: (batch, known networks); see `PredictorInfo.known`. */
export const DISTANCES = 'distance';

/** Neighbours that are told. */
const COUNT = 3;

/** Nearest first; equal names, such as one network trained twice, once. */
export function nearest(distances: ArrayLike<number>, names: readonly string[]): Neighbour[] {
  const found: Neighbour[] = [];
  for (let i = 0; i < names.length; i++) {
    const [name, distance] = [names[i]!, distances[i]!];
    const place = found.findIndex((other) => other.distance > distance);
    if (place < 0 && found.length >= COUNT) continue;
    const same = found.findIndex((other) => other.name === name);
    if (same >= 0 && (place < 0 || same < place)) continue;
    if (same >= 0) found.splice(same, 1);
    found.splice(place < 0 ? found.length : place, 0, { name, distance });
    if (found.length > COUNT) found.pop();
  }
  return found;
}

/** Distances beyond this are farther than any that errors are known at. */
const FARTHEST = 1;

/** Why nothing is said of a network with these neighbours; undefined where something is. */
export function tooFar(ref: string, subject: string, [first]: readonly Neighbour[]): AuspexError | undefined {
  if (first === undefined || first.distance <= FARTHEST) return undefined;
  const error = notCovered(
    'NETWORK_TOO_FAR',
    `has no idea of ${ref}, which is unlike all networks it knows: the nearest, ${first.name}, is at a distance of ` +
      `${first.distance.toFixed(2)}, and errors are known up to ${FARTHEST}`,
    'zero-cost scores compare networks of the same task: auspex proxy a.onnx b.onnx',
  );
  return saidOf(subject, error);
}
