// What a kind of predictor can be trained with: options, cells, a predictor to begin with.
import { ONNX } from '../../networks/index.js';
import { changedOptions, hasSizes, type PredictorKind, type RecipeChanges } from '../../predictors/kind.js';
import type { Predictor } from '../../predictors/predictor.js';
import { SPACES, spaceNamed } from '../../spaces/index.js';
import { AuspexError } from '../../util/errors.js';
import type { TrainingRows } from './choose-rows.js';

/** What comes with the package for a kind and a space. */
export type FindTrunk = (kind: string, space: string) => Promise<Predictor | undefined>;

/**
 * A predictor to begin with, if the package has one of the same sizes.
 *
 * @param notes gets a sentence if it has one of other sizes
 */
export async function trunkFor(
  kind: PredictorKind,
  changes: RecipeChanges,
  { table, scale }: Pick<TrainingRows, 'table' | 'scale'>,
  find: FindTrunk,
  notes: string[] = [],
): Promise<Predictor | undefined> {
  if (scale === 'log' || changes.isFromScratch) return undefined;
  const trunk = await find(kind.name, table.space);
  if (trunk === undefined || hasSizes(trunk.info, changes.model)) return trunk;
  await trunk.dispose();
  notes.push(
    `the bundled start of ${kind.name} has other sizes than --model: pretraining comes first (--scratch skips it)`,
  );
  return undefined;
}

/** Options of a training in steps. */
const OF_STEPS = ['steps', 'members', 'batch', 'rate'] as const;

/** Wrong options are refused before anything is read. */
export function expectApplicable(
  kind: PredictorKind,
  request: {
    readonly changes: RecipeChanges;
    readonly from?: unknown;
    readonly curves?: unknown;
    readonly resume?: unknown;
  },
): void {
  if (kind.recipe !== undefined) {
    kind.recipe(100, request.changes);
    return;
  }
  changedOptions(kind, kind.options.parse({}), request.changes.model);
  const { from, curves, resume, changes } = request;
  const given = {
    from: kind.isOnEmbedding ? undefined : from,
    curves,
    resume,
    ...Object.fromEntries(OF_STEPS.map((name) => [name, changes[name]])),
  };
  const wrong = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (wrong === undefined) return;
  throw new AuspexError(
    'BAD_OPTION',
    `--${wrong} applies only to predictors trained by gradient descent, not to ${kind.name}`,
    {
      hint: 'leave it out',
    },
  );
}

/** Throws where a kind that learns labels is given none, or one that learns from networks alone is given some. */
export function expectLabels({ name, learns }: PredictorKind, labels: readonly unknown[]): void {
  if (learns === 'networks' && labels.length > 0) {
    throw new AuspexError('BAD_OPTION', `${name} learns from networks alone, without labels`, {
      hint: 'leave out --label',
    });
  }
  if (learns === 'networks' || labels.length > 0) return;
  throw new AuspexError('BAD_OPTION', `${name} needs labels to learn`, {
    hint: 'give the columns to predict, as in --label accuracy',
  });
}

/** Throws where a kind sees cells and a space has none. */
export function expectCells({ title, views }: PredictorKind, space: string): void {
  if (!views.includes('cell')) return;
  const hint = 'train a whole-network predictor: nn-former-network, nnlp-network or forest';
  if (space === ONNX) {
    throw new AuspexError('SPACE_WITHOUT_CELLS', `${title} predicts cells, but the table lists ONNX files`, {
      hint,
    });
  }
  if (!SPACES.some(({ name }) => name === space) || spaceNamed(space).cell) return;
  throw new AuspexError(
    'SPACE_WITHOUT_CELLS',
    `${spaceNamed(space).title} has no cells; ${title} needs cells`,
    {
      hint,
    },
  );
}
