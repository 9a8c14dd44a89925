// What `auspex predict` prints: one network in full, several in their order as one table, lists as they come.
import { predictDocumentOf } from '../app/documents/predict.js';
import type { PredictedNetwork } from '../app/predict.js';
import { type Rank, ranksOf } from '../app/predict-ranks.js';
import type { Named } from '../app/predict-request.js';
import { print } from './command.js';
import { wrapLines } from './text/format.js';
import { type KnownNetwork, networksText, networksTsv, networkText } from './text/predict.js';

/** Networks of a table that is printed at once. */
const TABLE_ROWS = 4096;

/** One is printed in full, and what is wrong with it is thrown; several are ranked. */
export async function printAll(
  found: AsyncIterable<PredictedNetwork>,
  { json }: { readonly json?: true },
  named: Named,
): Promise<void> {
  const printer = new Printer(json === true, named);
  for await (const one of found) {
    if (named === 'one' && one.network === undefined) throw one.error;
    printer.take(one);
  }
  printer.flush();
}

class Printer {
  readonly #isJson: boolean;
  readonly #named: Named;
  #waiting: PredictedNetwork[] = [];
  #header = '';

  constructor(isJson: boolean, named: Named) {
    this.#isJson = isJson;
    this.#named = named;
  }

  take(one: PredictedNetwork): void {
    if (one.network === undefined) {
      process.stderr.write(`${wrapLines(one.error.within({ path: one.ref }).describe())}\n`);
      process.exitCode = 2;
    }
    // A list may be long: its documents are printed as they come.
    if (this.#isJson && this.#named === 'list') this.#document(one);
    else if (this.#waiting.push(one) === TABLE_ROWS && this.#named === 'list') this.flush();
  }

  flush(): void {
    const ranks = this.#named === 'several' ? ranksOf(this.#waiting) : [];
    const rows = this.#waiting.map((one, i) => ({ one, rank: ranks[i] }));
    this.#waiting = [];
    if (this.#isJson) for (const { one, rank } of rows) this.#document(one, rank);
    else this.#table(rows);
  }

  #document(one: PredictedNetwork, rank?: Rank): void {
    print(JSON.stringify(predictDocumentOf(one, rank), null, this.#named === 'one' ? 2 : undefined));
  }

  #table(rows: readonly { readonly one: PredictedNetwork; readonly rank: Rank | undefined }[]): void {
    const last = Number.POSITIVE_INFINITY;
    const known = rows
      .flatMap(({ one, rank }): KnownNetwork[] => {
        if (one.network === undefined) return [];
        return [rank === undefined ? one : { ...one, rank }];
      })
      .sort((a, b) => (a.rank?.place ?? last) - (b.rank?.place ?? last) || 0);
    if (known.length === 0) return;
    if (this.#named === 'one') print(networkText(known[0]!));
    else if (process.stdout.isTTY) print(networksText(known));
    else {
      const { text, header } = networksTsv(known, this.#header);
      this.#header = header;
      print(text);
    }
  }
}
