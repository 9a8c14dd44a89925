// The predictors of a search, each loaded once, however often it is named.
import type { Predictor } from '../../predictors/predictor.js';
import { loadPredictor } from '../../store/predictor-file.js';
import { AuspexError } from '../../util/errors.js';
import type { SearchSubject } from './subject.js';

export class SearchPredictors {
  readonly #subject: SearchSubject;
  readonly #loaded = new Map<string, Promise<Predictor>>();

  constructor(subject: SearchSubject) {
    this.#subject = subject;
  }

  /** @throws AuspexError OTHER_SPACE, NOT_A_PREDICTOR, FILE_UNREADABLE */
  load(file: string): Promise<Predictor> {
    let predictor = this.#loaded.get(file);
    if (predictor === undefined) {
      predictor = this.#load(file);
      this.#loaded.set(file, predictor);
    }
    return predictor;
  }

  async dispose(): Promise<void> {
    for (const predictor of this.#loaded.values()) {
      await predictor.then(
        (loaded) => loaded.dispose(),
        () => undefined,
      );
    }
  }

  async #load(file: string): Promise<Predictor> {
    const { space } = this.#subject;
    // Batches of a search are small: threads would wait for each other longer than they work.
    const predictor = await loadPredictor(file, { threads: 1 });
    const { entries, seen } = predictor.info;
    // One of whole networks predicts any; what it cannot predict is the error of a trial.
    if (entries.some(({ view }) => view !== 'cell') || seen.spaces.includes(space.name)) return predictor;
    await predictor.dispose();
    throw new AuspexError(
      'OTHER_SPACE',
      `the predictor was trained on ${seen.spaces.join(', ')}, but the search is in ${space.name}`,
      { where: { file } },
    );
  }
}
