// The table of a run, in Markdown.
import { type CorpusResult, SCORES } from './results.js';

/** Reasons why a score cannot be: nothing is wrong with auspex or the file. */
const MAKES_NO_SENSE: ReadonlySet<string> = new Set([
  ...['PROXY_NO_WEIGHTS', 'PROXY_NO_ACTIVATIONS', 'NO_GRADIENTS', 'PROXY_OUTPUT'],
]);

export function formatReport(results: readonly CorpusResult[]): string {
  const count = (isSo: (result: CorpusResult) => boolean): number => results.filter(isSo).length;
  const isWhole = ({ reasons }: CorpusResult): boolean =>
    Object.values(reasons).every(({ code }) => MAKES_NO_SENSE.has(code));
  const rows = [
    ...SCORES.map((name) => [name, count(({ scores }) => scores[name] !== undefined)] as const),
    ['all nine', count(({ scores }) => Object.keys(scores).length === SCORES.length)] as const,
    ['all that make sense', count(isWhole)] as const,
  ];
  const peak = Math.max(0, ...results.map(({ peakMb }) => peakMb));
  const slowest = Math.max(0, ...results.map(({ seconds }) => seconds));
  const missing = results.flatMap(({ file, reasons }) => {
    const byText = new Map<string, string[]>();
    for (const [name, { code, message }] of Object.entries(reasons)) {
      const text = `${code}: ${message.slice(0, 160)}`;
      byText.set(text, [...(byText.get(text) ?? []), name]);
    }
    return [...byText].map(([text, names]) => `| ${file} | ${names.join(' ')} | ${cell(text)} |`);
  });
  return `${results.length} files; peak memory ${peak} MB; slowest file ${slowest.toFixed(0)} s.

| score | files |
|---|---|
${rows.map(([name, files]) => `| ${name} | ${files} |`).join('\n')}

| file | missing | why |
|---|---|---|
${missing.join('\n')}

| file | scores | MB | s |
|---|---|---|---|
${results.map(({ file, scores, peakMb, seconds }) => `| ${file} | ${Object.keys(scores).length} | ${peakMb} | ${seconds.toFixed(1)} |`).join('\n')}
`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
