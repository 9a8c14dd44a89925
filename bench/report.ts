// Writes what benchmarks found into docs/evidence/speed.md: each document's table stands between two comments with the
// benchmark's name, and nothing else of the page is touched.
import { readFileSync, writeFileSync } from 'node:fs';
import { BENCH_DOCUMENT, type BenchDocument, ratioText, spread, time } from './document.js';

const PAGE = 'docs/evidence/speed.md';

function tableOf({ rows, counts, machine, date }: BenchDocument): string {
  const lines = rows.map(
    (row) =>
      `| ${row.name} | ${time(row.ours.ms)} (${spread(row.ours.starts)}) | ${time(row.peer.ms)} (${spread(row.peer.starts)}) | ${ratioText(row)} |`,
  );
  const versions = [...new Set(rows.map(({ peer }) => peer.version))].join(', ');
  return [
    `${date}; ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, peer ${versions}; ${counts.starts} starts of each side,`,
    `medians of ${counts.repeats} runs; in brackets the fastest and the slowest start, in ms.`,
    '',
    '| | auspex | peer | ratio |',
    '|---|---:|---:|---:|',
    ...lines,
  ].join('\n');
}

let page = readFileSync(PAGE, 'utf8');
for (const file of process.argv.slice(3)) {
  const document = BENCH_DOCUMENT.parse(JSON.parse(readFileSync(file, 'utf8')));
  const [start, end] = [`<!-- bench ${document.benchmark} -->`, '<!-- end -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no ${start} … ${end}`);
  page = `${page.slice(0, from + start.length)}\n${tableOf(document)}\n${page.slice(to)}`;
}
writeFileSync(PAGE, page);
