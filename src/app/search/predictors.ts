// The predictors of a search, each loaded once, however often it is named.
import { ONNX } from '../../networks/index.js';
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
    const { space, resolver } = this.#subject;
    const predictor = await loadPredictor(file, {
      // Batches of a search are small: threads would wait for each other longer than they work.
      threads: 1,
      read: (ref) => resolver.network(ref).model(),
    });
    // One of files predicts any network.
    if ([space.name, ONNX].includes(predictor.info.space)) return predictor;
    await predictor.dispose();
    throw new AuspexError(
      'OTHER_SPACE',
      `the predictor was trained on ${predictor.info.space}, the search is in ${space.name}`,
      { where: { file } },
    );
  }
}
