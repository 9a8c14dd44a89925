// What predictors without a graph are given of an architecture: a row of numbers.
import { describeNetwork, type NetworkDescription } from '../spaces/describe.js';
import { spaceNamed } from '../spaces/index.js';
import type { Cell } from '../spaces/space.js';
import { FeatureRows } from './baselines/feature-rows.js';
import { grafOf } from './baselines/graf.js';
import { inFile, networksOf, ONNX_FILES, type ReadNetwork } from './network-source.js';

/** Features of a space's architectures. */
export interface FeatureSet {
  readonly names: readonly string[];
  rows(architectures: readonly string[]): FeatureRows;
}

/** Numbers that every network has. */
export type CostFeature = 'parameters' | 'macs' | 'flops' | 'depth';

/** What a network costs. */
export function costFeatures(names: readonly CostFeature[], space: string, read?: ReadNetwork): FeatureSet {
  const costs = costReader(space, read);
  return featureSet(names, (text) => {
    const description = costs(text);
    return names.map((name) => description[name]);
  });
}

/**
 * What is known of the structure: GRAF's features where they are defined for the space; of other spaces with cells how
 * often every operation is there, parameters and MACs; else parameters, MACs and depth.
 */
export function structureFeatures(spaceName: string, read?: ReadNetwork): FeatureSet {
  const without = (): FeatureSet => costFeatures(['parameters', 'macs', 'depth'], spaceName, read);
  if (spaceName === ONNX_FILES) return without();
  const space = spaceNamed(spaceName);
  const { cell: cellOf, vocabulary } = space;
  if (cellOf === undefined || vocabulary === undefined) return without();
  const cell = (text: string): Cell => cellOf(space.parse(text));
  const graf = grafOf(space);
  if (graf !== undefined) return { names: graf.names, rows: (texts) => graf.rows(texts.map(cell)) };
  const costs = costReader(spaceName, read);
  const places = new Map(vocabulary.map((op, i) => [op, i]));
  return featureSet([...vocabulary.map((op) => `count(${op})`), 'parameters', 'macs'], (text) => {
    const counts = vocabulary.map(() => 0);
    for (const op of cell(text).ops) counts[places.get(op)!]!++;
    const { parameters, macs } = costs(text);
    return [...counts, parameters, macs];
  });
}

function costReader(space: string, read?: ReadNetwork): (text: string) => NetworkDescription {
  const network = networksOf(space, read);
  return (text) => inFile(space, text, () => describeNetwork(network(text)));
}

function featureSet(names: readonly string[], numbersOf: (text: string) => readonly number[]): FeatureSet {
  return { names, rows: (texts) => new FeatureRows(names, texts.flatMap(numbersOf)) };
}
