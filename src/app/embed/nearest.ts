// The nearest of known points, by Euclidean distance.

export interface Neighbour {
  /** The place of the known point. */
  readonly place: number;
  readonly distance: number;
}

/**
 * The nearest rows of a matrix to a point, the nearest first; of equal ones the first. Rows with NaN are left out.
 *
 * @param known (n, width), row by row
 * @param isLeftOut of a row, such as the point itself
 */
export function nearestRows(
  point: Float64Array,
  known: Float64Array,
  count: number,
  isLeftOut: (place: number) => boolean = () => false,
): Neighbour[] {
  const width = point.length;
  const found: Neighbour[] = [];
  for (let place = 0; place < known.length / width; place++) {
    if (isLeftOut(place)) continue;
    let sum = 0;
    for (let k = 0; k < width; k++) sum += (known[place * width + k]! - point[k]!) ** 2;
    const distance = Math.sqrt(sum);
    const last = found.at(-1);
    if (Number.isNaN(distance) || (found.length === count && distance >= last!.distance)) continue;
    const at = found.findIndex((other) => other.distance > distance);
    found.splice(at < 0 ? found.length : at, 0, { place, distance });
    if (found.length > count) found.pop();
  }
  return found;
}
