// Published accuracies of known networks, from a table that the user has. The package has none: they are the work of others.
import { gunzipSync } from 'node:zlib';
import { CsvReader } from '../datasets/formats/csv.js';
import { damagedGzip } from '../datasets/formats/gzip.js';
import { readBytes } from '../onnx/file.js';
import { AuspexError } from '../util/errors.js';

/** Columns as timm's results have them: a network, its image size, its accuracy. */
const COLUMNS = { network: ['architecture', 'model'], size: ['img_size'], accuracy: ['top1'] } as const;
/** What a recipe begins with, in the names of published weights. */
const RECIPE = /\..*$/;

/**
 * The best accuracy of each network and image size, by `NAME SIZE`.
 *
 * @throws AuspexError FILE_UNREADABLE, GZIP_DAMAGED, KNOWN_TABLE
 */
export function readKnown(file: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let places: Record<keyof typeof COLUMNS, number> | undefined;
  const reader = new CsvReader({
    row: (row) => {
      if (places === undefined) {
        places = placesOf(
          Array.from({ length: row.fields }, (_, i) => row.text(i)),
          file,
        );
        return;
      }
      const name = `${row.text(places.network).replace(RECIPE, '')} ${row.text(places.size)}`;
      const accuracy = row.number(places.accuracy);
      if (!(accuracy <= (found.get(name) ?? Number.NEGATIVE_INFINITY))) found.set(name, accuracy);
    },
  });
  try {
    reader.push(unpacked(readBytes(file)));
    reader.finish();
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file }) : error;
  }
  if (found.size === 0) throw wrongTable(file, 'has no rows');
  return found;
}

function placesOf(head: readonly string[], file: string): Record<keyof typeof COLUMNS, number> {
  const place = (names: readonly string[]): number => {
    const name = names.find((each) => head.includes(each));
    if (name === undefined) throw wrongTable(file, `has no column '${names.join("' or '")}'`);
    return head.indexOf(name);
  };
  return {
    network: place(COLUMNS.network),
    size: place(COLUMNS.size),
    accuracy: place(COLUMNS.accuracy),
  };
}

function unpacked(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch (cause) {
    throw damagedGzip(cause);
  }
}

function wrongTable(file: string, what: string): AuspexError {
  return new AuspexError('KNOWN_TABLE', `the table of known networks ${what}`, {
    where: { file },
    hint: 'give a CSV file with the columns architecture, img_size and top1, such as results of timm',
  });
}
