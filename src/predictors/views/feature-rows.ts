// What baselines predict from: a row of named numbers for each network. In single precision, as ONNX Runtime gets
// them, so that a saved predictor decides as the one in memory does.
import { AuspexError } from '../../util/errors.js';

export class FeatureRows {
  readonly names: readonly string[];
  /** (rows, features), one row after the other. */
  readonly data: Float32Array;
  readonly count: number;

  /** @param values (rows, features); they must be finite numbers, also in single precision. */
  constructor(names: readonly string[], values: ArrayLike<number>) {
    const columns = names.length;
    if (columns === 0 || values.length % columns !== 0) {
      throw new AuspexError(
        'FEATURES_SHAPE',
        `${values.length} numbers cannot be divided into rows of ${columns} features`,
      );
    }
    this.names = names;
    this.data = values instanceof Float32Array ? values : Float32Array.from(values);
    this.count = values.length / columns;
    const bad = this.data.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) {
      const [row, name] = [Math.floor(bad / columns), names[bad % columns]];
      throw new AuspexError('FEATURES_NOT_FINITE', `row ${row} has ${values[bad]} as '${name}'`, {
        where: { path: `rows[${row}].${name}` },
        hint: 'leave out such rows, or take logarithms of numbers above 3e38',
      });
    }
  }

  /** These rows, then others of the same features. */
  concat(others: FeatureRows): FeatureRows {
    const data = new Float32Array(this.data.length + others.data.length);
    data.set(this.data);
    data.set(others.data, this.data.length);
    return new FeatureRows(this.names, data);
  }

  /** The first features of all rows. */
  first(count: number): FeatureRows {
    const width = this.names.length;
    if (count === width) return this;
    return new FeatureRows(
      this.names.slice(0, count),
      this.data.filter((_, i) => i % width < count),
    );
  }

  /** These features, then others of the same rows. */
  beside(names: readonly string[], values: ArrayLike<number>): FeatureRows {
    const [own, width] = [this.names.length, this.names.length + names.length];
    const data = Float32Array.from({ length: this.count * width }, (_, i) => {
      const [row, place] = [Math.floor(i / width), i % width];
      return place < own ? this.data[row * own + place]! : values[row * names.length + place - own]!;
    });
    return new FeatureRows([...this.names, ...names], data);
  }

  /** Throws unless the rows have these features. */
  require(names: readonly string[]): void {
    const isSame = names.length === this.names.length && names.every((name, i) => name === this.names[i]);
    if (isSame) return;
    throw new AuspexError(
      'FEATURES_OTHER',
      'the rows do not have the features the predictor was trained on',
      {
        hint: `it takes ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`,
      },
    );
  }
}

/** The numbers to predict, one finite number for each row. */
export function targetsFor(rows: FeatureRows, targets: ArrayLike<number>): Float64Array {
  if (targets.length !== rows.count || rows.count === 0) {
    throw new AuspexError('TARGETS_COUNT', `${rows.count} rows of features, but ${targets.length} targets`);
  }
  const found = Float64Array.from(targets);
  const bad = found.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return found;
  throw new AuspexError('TARGETS_NOT_FINITE', `target ${bad} is ${targets[bad]}`, {
    where: { path: `targets[${bad}]` },
    hint: 'leave out rows without a measured number',
  });
}
