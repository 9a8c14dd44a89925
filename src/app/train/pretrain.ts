// What `auspex pretrain` does: a predictor of what can be told of a space's networks without labels.
import type { PredictorKind, RecipeChanges } from '../../predictors/kind.js';
import { drawnNetworks } from '../../predictors/kinds/graph-kind.js';
import { KINDS } from '../../predictors/kinds/index.js';
import type { Predictor } from '../../predictors/predictor.js';
import { spaceNamed } from '../../spaces/index.js';
import { fingerprintOf, recipeSettings } from '../../store/fingerprint.js';
import { checkOutputs } from '../../store/outputs.js';
import { TrainingCheckpoints } from '../../store/training-checkpoints.js';
import { writeOutput } from '../../store/write-file.js';
import type { TrainWork } from './train.js';

interface PretrainRequest {
  readonly kind: PredictorKind;
  readonly space: string;
  readonly output: string;
  /** Architectures that are drawn. */
  readonly rows: number;
  readonly changes: RecipeChanges & { readonly steps: number; readonly rate: number };
  readonly seed: number;
  readonly threads: number;
  readonly resume?: boolean | undefined;
  readonly force?: boolean | undefined;
}

interface Pretrained {
  readonly predictor: Predictor;
  readonly seconds: number;
}

/** Kinds that can learn without labels. */
export function pretrainableKinds(): string[] {
  return [...KINDS.values()].flatMap(({ name, pretrain }) => (pretrain ? [name] : []));
}

/** Trains a predictor without labels and writes it. */
export async function pretrainPredictor(request: PretrainRequest, work: TrainWork = {}): Promise<Pretrained> {
  const { kind, space: name, output, rows, changes, seed, threads, resume, force } = request;
  checkOutputs({ outputs: [{ path: output, kind: 'predictor' }], inputs: [], force });
  const space = spaceNamed(name);
  const recipe = kind.recipe?.(rows, changes) ?? changes;
  const checkpoints = TrainingCheckpoints.open(output, { resume });
  const start = performance.now();
  try {
    const settings = {
      ...recipeSettings(kind.name, recipe),
      '--space': name,
      '--rows': rows,
      '--seed': seed,
    };
    checkpoints.expect(fingerprintOf(settings));
    const { predictor } = await kind.pretrain!(drawnNetworks(space, rows, seed), changes, {
      seed,
      threads,
      checkpoint: (part) => checkpoints.store(part),
      onProgress: (progress) => work.onTraining?.(progress, 1),
      ...(work.signal ? { signal: work.signal } : {}),
    });
    await writeOutput(output, predictor.toOnnx());
    checkpoints.remove();
    return { predictor, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    throw checkpoints.ended(error);
  } finally {
    checkpoints.close();
  }
}
