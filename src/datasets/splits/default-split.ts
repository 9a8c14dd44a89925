// How many rows are held out where nobody says: enough for intervals that mean something, and never so many that
// little is left to learn from.

/** Fewer rows than this are all learned from. */
const TOO_FEW = 30;
const LEAST = 20;
const MOST = 200;

export interface DefaultSplit {
  readonly train: number;
  readonly validation: number;
  /** For people. */
  readonly why: string;
}

/**
 * A fifth of the rows, at least 20 (but no more than half) and at most 200; none of fewer than 30.
 *
 * @param train rows to train on, if somebody said so; the others are what can be held out
 *
 * @example
 * defaultSplit(12);  // { train: 12, validation: 0, why: '12 rows are too few to hold any out: …' }
 * defaultSplit(150); // { train: 120, validation: 30, why: '30 of 150 rows are held out for …' }
 */
export function defaultSplit(rows: number, train?: number): DefaultSplit {
  const share = Math.min(MOST, Math.max(LEAST, Math.floor(rows / 5)), Math.floor(rows / 2));
  const room = train === undefined ? rows : Math.max(0, rows - train);
  if (rows < TOO_FEW || room < Math.min(LEAST, share)) {
    const why =
      rows < TOO_FEW
        ? `${rows} rows are too few to hold any out`
        : `only ${room} of ${rows} rows are left, too few to hold any out`;
    return {
      train: train ?? rows,
      validation: 0,
      why: `${why}: predictions have no intervals (--validation N holds out N)`,
    };
  }
  const validation = Math.min(share, room);
  return {
    train: train ?? rows - validation,
    validation,
    why: `${validation} of ${rows} rows are held out for prediction intervals (--validation N changes it)`,
  };
}
