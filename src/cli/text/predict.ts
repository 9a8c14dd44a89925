// Predictions for people: one network in full, or many as one table.

import { type BundledEntry, bundledName } from '../../app/bundled-index.js';
import type { Answer, Cost, PredictedNetwork, Refusal } from '../../app/predict.js';
import type { Rank } from '../../app/predict-ranks.js';
import type { Dim } from '../../graph/dim.js';
import { isKnown } from '../../graph/dim.js';
import type { Network } from '../../networks/index.js';
import { predicateOf } from '../../predictors/views/view.js';
import { deviceLines } from './device-answers.js';
import { broken, type Column, fit, formatCount, formatExact, table, terminalWidth, wrap } from './format.js';
import { sizeFlags } from './size-flags.js';

/** A network that was read, and its place among others. */
export type KnownNetwork = PredictedNetwork & { readonly network: object; readonly rank?: Rank | undefined };

function numberText(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toPrecision(4);
}

function costLines({ parameters, macs, flops }: Cost, network: Network): string[] {
  const first = `  parameters ${formatExact(parameters)}`;
  if (isKnown(macs) && isKnown(flops)) {
    return [`${first}   MACs ${formatCount(macs)}   FLOPs ${formatCount(flops)}`];
  }
  const flags = sizeFlags(network.inference());
  const how = flags === '' ? 'that only running the network tells' : `that are open: try ${flags}`;
  return [first, ...wrap(`MACs and FLOPs depend on sizes ${how}`, 2, 4)];
}

/** What was chosen for open sizes, as the flags that change it. */
function sizeLines(network: Network): string[] {
  const chosen = network.chosenSizes();
  return chosen?.isChecked ? wrap(`sizes chosen, as the file leaves them open: ${chosen.flags}`, 2, 4) : [];
}

/** A count for a table; expressions are too long for one. */
function shortCount(count: Dim): string {
  return isKnown(count) ? formatCount(count) : 'open sizes';
}

/** All that is known of one network. */
export function networkText(found: KnownNetwork): string {
  const { network, answers, cost, family, refused, needed } = found;
  const title =
    network.arch !== undefined && network.file === undefined
      ? [network.arch.space.title, ...broken(network.arch.text, 2)]
      : [fit(network.ref, terminalWidth(), 'middle')];
  const kind =
    network.file === undefined || family === undefined
      ? []
      : [`  ${family.by === 'structure' ? 'the structure of' : 'an architecture of'} ${family.name}`];
  return [
    ...title,
    ...kind,
    ...(cost ? [...costLines(cost, network.settled()), ...sizeLines(network)] : []),
    ...(answers.length > 0
      ? [
          '',
          ...answerTable(answers),
          ...recipeLines(answers),
          ...farLines(answers),
          ...restLines(answers),
          ...deviceLines(answers),
        ]
      : []),
    ...(refused.length > 0 ? ['', ...refusedLines(refused, network.ref)] : []),
    ...(needed === undefined ? [] : ['', ...needed.split('\n').flatMap((line) => wrap(line, 2, 4))]),
  ].join('\n');
}

/** Why predictors do not answer: a reason that several have is said once. */
function refusedLines(refused: readonly Refusal[], ref: string): string[] {
  const reasons = new Set<string>();
  return refused.flatMap(({ predictor, error }) => {
    const said = predicateOf(error) ?? `does not answer: ${error.message}`;
    const why = said.replace(`; ${ref} `, '; this one ').replace(` of ${ref},`, ' of this one,');
    const isSaid = reasons.has(why);
    reasons.add(why);
    return wrap(isSaid ? `${predictor}: for the same reason` : `${predictor} ${why}`, 2, 4);
  });
}

/** How networks are assumed to be trained, and what else was assumed. */
function recipeLines(answers: readonly Answer[]): string[] {
  const recipes = answers.flatMap(({ label }) => (label.recipe ? [label] : []));
  const assumed = [...new Set(answers.flatMap((answer) => answer.assumed))];
  return [
    ...recipes.flatMap(({ name, recipe }) =>
      wrap(
        `${recipes.length > 1 ? `${name}: ` : ''}trained ${recipe!.about} (--recipe ${recipe!.name})`,
        2,
        4,
      ),
    ),
    ...assumed.flatMap((sentence) => wrap(`assumed: ${sentence}`, 2, 4)),
  ];
}

/** What answers rest on: the nearest known networks, and how wrong predictions were as far from others. */
function restLines(answers: readonly Answer[]): string[] {
  const first = answers.find(({ rests }) => rests !== undefined);
  if (first?.rests === undefined) return [];
  const { neighbours, errors } = first.rests;
  const { unit } = first.label;
  const hasPublished = neighbours.some(({ published }) => published !== undefined);
  const columns: Column[] = [
    { title: 'nearest known networks', flexible: 'middle' },
    { title: 'distance', align: 'right' },
    ...(hasPublished ? [{ title: 'published', align: 'right' } as const] : []),
  ];
  const rows = neighbours.map(({ name, distance, published }) => [
    name,
    distance.toFixed(2),
    ...(hasPublished ? [published === undefined ? '' : `${published.toFixed(2)} ${unit}`] : []),
  ]);
  const how =
    errors &&
    `At this distance, predictions for families left out were wrong by ${errors.mean.toFixed(1)} points on average, ` +
      `${Math.round(errors.coverage * 100)}% of them by less than ${errors.most.toFixed(1)}.`;
  return ['', ...table(columns, rows, 2), ...(how ? wrap(how, 2) : [])];
}

/** Networks at this distance are unlike those of a predictor's training. */
const FAR = 1.5;

function farLines(answers: readonly Answer[]): string[] {
  const far = new Map(
    answers.flatMap(({ predictor, distance = 0 }) =>
      distance > FAR ? [[predictor, distance] as const] : [],
    ),
  );
  return [...far].flatMap(([predictor, distance]) =>
    wrap(
      `! ${predictor} was trained on other networks than this one (distance ${distance.toFixed(1)}; up to 1 is within them)`,
      2,
      4,
    ),
  );
}

function answerTable(answers: readonly Answer[]): string[] {
  const coverage = answers.find(({ label }) => label.interval)?.label.interval?.coverage;
  const rows = answers.map(({ label, device, prediction: { value, low, high } }) => [
    label.name,
    numberText(value),
    label.unit,
    device?.measured ? 'measured' : low === undefined ? '' : `${numberText(low)} to ${numberText(high!)}`,
  ]);
  const columns: Column[] = [
    { title: 'predicted', flexible: 'middle' },
    { title: '', align: 'right' },
    { title: '' },
    { title: coverage === undefined ? '' : `${Math.round(coverage * 100)}% interval` },
  ];
  return table(columns, rows, 2);
}

/** Every label that some network has, in the order in which they come. */
function labelsOf(found: readonly KnownNetwork[]): string[] {
  return [...new Set(found.flatMap(({ answers }) => answers.map(({ label }) => label.name)))];
}

const SPACE_BETWEEN = 2;
const LEAST_NAME = 24;
const MOST_LABEL = 20;

const rankColumn: [Column, (of: KnownNetwork) => string] = [
  { title: '#', align: 'right' },
  ({ rank }) => (rank === undefined ? '' : String(rank.place)),
];

/** Many networks as one table, with as many labels as fit. */
export function networksText(found: readonly KnownNetwork[]): string {
  const labels = labelsOf(found);
  const costs: [Column, (of: KnownNetwork) => string][] = found.some(({ cost }) => cost)
    ? [
        [{ title: 'params', align: 'right' }, ({ cost }) => (cost ? formatCount(cost.parameters) : '')],
        [{ title: 'MACs', align: 'right' }, ({ cost }) => (cost ? shortCount(cost.macs) : '')],
      ]
    : [];
  let room = terminalWidth() - LEAST_NAME - costs.length * (7 + SPACE_BETWEEN);
  const shown = labels.filter((label, i) => {
    room -= Math.min(Math.max(label.length, 6), MOST_LABEL) + SPACE_BETWEEN;
    return room >= 0 || i === 0;
  });
  const isRanked = found.some(({ rank }) => rank);
  const columns: [Column, (of: KnownNetwork) => string][] = [
    ...(isRanked ? [rankColumn] : []),
    [{ title: 'network', flexible: 'middle' }, ({ network }) => network.arch?.text ?? network.ref],
    ...costs,
    ...shown.map((label): [Column, (of: KnownNetwork) => string] => [
      { title: label, align: 'right', most: MOST_LABEL },
      ({ answers }) => {
        const answer = answers.find((a) => a.label.name === label);
        return answer === undefined ? '' : numberText(answer.prediction.value);
      },
    ]),
  ];
  const more = labels.length - shown.length;
  return [
    ...table(
      columns.map(([column]) => column),
      found.map((of) => columns.map(([, text]) => text(of))),
      0,
    ),
    ...(more > 0 ? wrap(`… ${more} more labels: choose with --label, or print all with --json`) : []),
    ...unpredicted(found),
  ].join('\n');
}

/** Of networks that nothing is predicted for while there is for others: why. */
function unpredicted(found: readonly KnownNetwork[]): string[] {
  if (found.every(({ answers }) => answers.length === 0)) return [];
  return found.flatMap(({ answers, refused, ref }) =>
    answers.length > 0 ? [] : wrap(`${ref}: ${refused[0]?.error.message ?? 'no predictor covers it'}`, 0, 2),
  );
}

/** Many networks for other programs: a header, if it is another than before, and a line each; nothing is left out. */
export function networksTsv(
  found: readonly KnownNetwork[],
  before: string,
): { text: string; header: string } {
  const hasCost = found.some(({ cost }) => cost);
  const labels = labelsOf(found);
  const isRanked = found.some(({ rank }) => rank);
  const header = [
    ...(isRanked ? ['rank'] : []),
    'network',
    ...(hasCost ? ['parameters', 'macs'] : []),
    ...labels.flatMap((label) => [label, `${label}.low`, `${label}.high`]),
  ].join('\t');
  const textOf = (value: number | undefined): string => (value === undefined ? '' : numberText(value));
  const lines = found.map(({ network, cost, answers, rank }) => {
    const cells = isRanked ? [rank === undefined ? '' : String(rank.place)] : [];
    cells.push(network.arch?.text ?? network.ref);
    if (hasCost) cells.push(cost ? String(cost.parameters) : '', cost ? String(cost.macs) : '');
    for (const label of labels) {
      const prediction = answers.find((a) => a.label.name === label)?.prediction;
      cells.push(textOf(prediction?.value), textOf(prediction?.low), textOf(prediction?.high));
    }
    return cells.join('\t');
  });
  return { text: [...(header === before ? [] : [header]), ...lines].join('\n'), header };
}

/** The bundled predictors and what they predict. */
export function bundledText(entries: readonly BundledEntry[]): string {
  return entries
    .map(({ file, spaces, about, labels }) => {
      const names = labels.map(({ name, unit }) => (unit === '' ? name : `${name} (${unit})`)).join(', ');
      return [
        ...wrap(`${bundledName(file)}: ${about}`, 0, 2),
        ...wrap(`architectures of ${spaces.join(', ')}`, 2),
        ...wrap(`labels: ${names}`, 2, 4),
      ].join('\n');
    })
    .join('\n\n');
}
