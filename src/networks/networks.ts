// Many networks: a list, or what is made one by one and not kept, such as a table's column or a folder of files.
import type { Network } from './network.js';

export interface Networks {
  readonly count: number;
  /** The network of a row. Networks of long collections are made again each time: keep what you use twice. */
  at(row: number): Network;
  /** All networks in their order, so many at a time. */
  chunks(size: number): Iterable<readonly Network[]>;
  /** Where a user finds a row, if that is another place than its number: `row 12 of the table`. */
  readonly rowName?: (row: number) => string;
}

/** Networks that are kept. */
export function listOf(networks: readonly Network[]): Networks {
  return lazily(networks.length, (row) => networks[row]!);
}

/** Networks that are made when they are asked for. */
export function lazily(
  count: number,
  make: (row: number) => Network,
  rowName?: Networks['rowName'],
): Networks {
  return {
    count,
    at: make,
    *chunks(size) {
      for (let start = 0; start < count; start += size) {
        yield Array.from({ length: Math.min(size, count - start) }, (_, i) => make(start + i));
      }
    },
    ...(rowName ? { rowName } : {}),
  };
}

/** Some rows of others, in the order given. */
export function rowsOf(networks: Networks, rows: ArrayLike<number>): Networks {
  const { rowName } = networks;
  return lazily(rows.length, (i) => networks.at(rows[i]!), rowName && ((i) => rowName(rows[i]!)));
}
