// What `auspex predict` prints as networks come: one in full, many as tables, tab-separated values or JSON lines.
import { predictDocumentOf } from '../app/documents/predict.js';
import type { PredictedNetwork } from '../app/predict.js';
import { print } from './command.js';
import { wrapLines } from './text/format.js';
import { networksText, networksTsv, networkText } from './text/predict.js';

/** Networks of a table that is printed at once. */
const TABLE_ROWS = 4096;

/** @param isOne whether the only network is printed in full, and what is wrong with it is thrown */
export async function printAll(
  found: AsyncIterable<PredictedNetwork>,
  { json }: { readonly json?: true },
  isOne: boolean,
): Promise<void> {
  let rows: (PredictedNetwork & { network: object })[] = [];
  let header = '';
  const flush = (): void => {
    if (rows.length === 0) return;
    if (process.stdout.isTTY) print(networksText(rows));
    else {
      const tsv = networksTsv(rows, header === '', header);
      header = tsv.header;
      print(tsv.text);
    }
    rows = [];
  };
  for await (const one of found) {
    if (isOne && one.network === undefined) throw one.error;
    if (json) print(JSON.stringify(predictDocumentOf(one), null, isOne ? 2 : undefined));
    if (one.network === undefined) {
      process.stderr.write(`${wrapLines(one.error.within({ path: one.ref }).describe())}\n`);
      process.exitCode = 2;
    } else if (!json && isOne) print(networkText(one));
    else if (!json && rows.push(one) === TABLE_ROWS) flush();
  }
  flush();
}
