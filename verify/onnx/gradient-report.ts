// The results of `npm run gradients` as text, and as the figures of docs/evidence/gradients.md.
import { readFileSync, writeFileSync } from 'node:fs';
import type { GoldenEntry, GoldenManifest } from './golden.js';
import type { WeightResult } from './gradient-errors.js';

export interface NetworkResult {
  readonly entry: GoldenEntry;
  readonly weights: readonly WeightResult[];
  /** What is wrong. */
  readonly problem?: string;
  /** The operator without a rule, where there is one. */
  readonly missing?: string;
}

/** The weight that is farthest from PyTorch's, leaving out those that rounding decides. */
function worstOf({ weights }: NetworkResult): WeightResult | undefined {
  const rank = (w: WeightResult): number => (Number.isNaN(w.error) ? Infinity : w.error);
  return weights
    .filter((weight) => !isRounding(weight))
    .reduce<WeightResult | undefined>((a, b) => (a && rank(a) >= rank(b) ? a : b), undefined);
}

function isRounding({ verdict }: WeightResult): boolean {
  return verdict === 'precise' || verdict === 'rounding';
}

/** One line: name, weights compared, worst error, by norm, of which weight, what is wrong. */
export function reportLine(result: NetworkResult, width: number): string {
  const { entry, weights, problem } = result;
  const name = entry.name.padEnd(width);
  const worst = worstOf(result);
  if (worst === undefined) return `${name}  ${problem ?? 'no weights'}`;
  const count = (verdict: WeightResult['verdict'], what: string): string => {
    const found = weights.filter((weight) => weight.verdict === verdict).length;
    return found > 0 ? `(${found} ${what})` : '';
  };
  const cells = [
    name,
    String(weights.length).padStart(5),
    worst.error.toExponential(1).padStart(7),
    worst.normError.toExponential(1).padStart(7),
    worst.name,
    count('precise', 'as in float64'),
    count('rounding', 'by rounding'),
    problem ?? '',
  ];
  return cells.filter((cell) => cell !== '').join('  ');
}

/** Weights that are not within the tolerance, with how far both are from the gradient in float64. */
export function reportFar(results: readonly NetworkResult[]): string {
  const lines = results.flatMap(({ entry, weights }) =>
    weights
      .filter(({ verdict }) => verdict !== 'same')
      .map(
        ({ name, verdict, error, preciseError, torchError }) =>
          `  ${entry.name} ${name}: ${verdict}, ${error.toExponential(1)}; from float64: auspex ` +
          `${preciseError.toExponential(1)}, PyTorch ${torchError.toExponential(1)}`,
      ),
  );
  return lines.length === 0 ? '' : ["\nFarther from PyTorch's float32 gradient:", ...lines, ''].join('\n');
}

const BEGIN = '<!-- figures: gradients -->\n';
const END = '<!-- end of figures -->';
const VARIANTS = ['torchscript', 'dynamo', 'dynamo.raw', 'dynamo.23', 'training'];

/** Replaces the part of a document between two marks. */
export function updateGradientFigures(
  document: string,
  manifest: GoldenManifest,
  results: readonly NetworkResult[],
): void {
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${document} has no part marked '${BEGIN.trim()}'`);
  const figures = [summary(results), table(manifest, results)].join('\n\n');
  writeFileSync(document, `${text.slice(0, from)}${BEGIN}\n${figures}\n\n${text.slice(to)}`);
}

function summary(results: readonly NetworkResult[]): string {
  const weights = results.flatMap((result) => result.weights);
  const count = (verdict: WeightResult['verdict']): string =>
    weights.filter((w) => w.verdict === verdict).length.toLocaleString('en');
  const networks = new Set(results.map(({ entry }) => networkOf(entry.name)));
  const passed = results.filter(({ problem }) => problem === undefined).length;
  return (
    `${networks.size} networks in ${results.length} files, of which ${passed} pass. Of ` +
    `${weights.length.toLocaleString('en')} gradients ${count('same')} are PyTorch's within 10⁻³, ` +
    `${count('precise')} only those it computes in float64, ${count('rounding')} differ by rounding, ` +
    `${count('different')} are different.`
  );
}

/** One row per network, one column per variant. */
function table(manifest: GoldenManifest, results: readonly NetworkResult[]): string {
  const byName = new Map(results.map((result) => [result.entry.name, result]));
  const refused = new Set(manifest.failures.map(({ name }) => name));
  const networks = [...new Set(results.map(({ entry }) => networkOf(entry.name)))];
  const rows = networks.map((network) => {
    const cells = VARIANTS.map((variant) => {
      const name = `${network}.${variant}`;
      const result = byName.get(name);
      return result ? cell(result) : refused.has(name) ? 'refused' : '';
    });
    const { source } = results.find(({ entry }) => networkOf(entry.name) === network)!.entry;
    return [network, source, ...cells];
  });
  const rule = ['---', '---', ...VARIANTS.map(() => '--:')];
  return [['network', 'source', ...VARIANTS], rule, ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** `183: 3.1e-6`: weights compared and the worst of them; a star where some more differ by rounding. */
function cell(result: NetworkResult): string {
  const worst = worstOf(result);
  if (worst === undefined) return result.missing ? `no rule: ${result.missing}` : 'error';
  const isRounded = result.weights.some(isRounding);
  const isBad = result.problem !== undefined;
  const error = `${worst.error.toExponential(1)}${isRounded ? '\\*' : ''}`;
  return `${result.weights.length}: ${isBad ? `**${error}**` : error}`;
}

function networkOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
