// The order of networks that were predicted together: by the label that most of them have.
import type { PredictedNetwork } from './predict.js';

/** Place 1 is the best. */
export interface Rank {
  readonly place: number;
  readonly of: number;
  readonly label: string;
}

/**
 * Ranks of networks by the label that most of them have, the first of several; undefined for those without it. Fewer than
 * two are not ranked. Networks that are predicted alike have the same place.
 */
export function ranksOf(found: readonly PredictedNetwork[]): (Rank | undefined)[] {
  const answersOf = (one: PredictedNetwork) => (one.network === undefined ? [] : one.answers);
  const counts = new Map<string, number>();
  for (const one of found) {
    for (const { label } of answersOf(one)) counts.set(label.name, (counts.get(label.name) ?? 0) + 1);
  }
  const [label, of] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), ['', 0] as const);
  if (of < 2) return found.map(() => undefined);
  const goodness = found.map((one) => {
    const answer = answersOf(one).find((each) => each.label.name === label);
    return answer && (answer.label.better === 'higher' ? 1 : -1) * answer.prediction.value;
  });
  return goodness.map((own) =>
    own === undefined
      ? undefined
      : { place: 1 + goodness.filter((other) => other !== undefined && other > own).length, of, label },
  );
}
