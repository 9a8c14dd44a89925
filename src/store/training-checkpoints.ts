// The checkpoints of one training, beside the file that it writes, with the fingerprint of what is trained. One process
// at a time has them; they are continued only by the same training, and removed only when it is done.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CheckpointStore } from '../nn/checkpoint.js';
import { writeAtomically } from '../onnx/file.js';
import { outputTarget } from '../onnx/output-file.js';
import { AuspexError } from '../util/errors.js';
import { checkpointFile } from './checkpoint-file.js';
import { differences, type Fingerprint, fingerprint as schema } from './fingerprint.js';
import { type Lock, lockFile } from './lock.js';

const ENDING = '.checkpoint';
const FINGERPRINT = '.fingerprint.json';

/**
 * @example
 * const checkpoints = TrainingCheckpoints.open('p.onnx', { resume: false });
 * try {
 *   checkpoints.expect(fingerprintOf(…));
 *   await kind.fit(rows, { checkpoint: (part) => checkpoints.store(part) });
 *   checkpoints.remove();
 * } finally { checkpoints.close(); }
 */
export class TrainingCheckpoints {
  readonly #output: string;
  /** Beside a device or a pipe, nothing is kept. */
  readonly #isFile: boolean;
  readonly #isResumed: boolean;
  readonly #lock: Lock;
  #fingerprint: Fingerprint | undefined;
  #isKept = false;

  private constructor(output: string, isFile: boolean, isResumed: boolean, lock: Lock) {
    this.#output = output;
    this.#isFile = isFile;
    this.#isResumed = isResumed;
    this.#lock = lock;
  }

  /** @throws AuspexError CHECKPOINT_EXISTS where an earlier training left some, OUTPUT_IN_USE, BAD_OPTION */
  static open(
    output: string,
    { resume = false }: { readonly resume?: boolean | undefined },
  ): TrainingCheckpoints {
    const isFile = outputTarget(output).kind === 'file';
    if (resume && !isFile) {
      throw new AuspexError('BAD_OPTION', '--resume needs a regular file; this is a device or a pipe', {
        where: { file: output },
      });
    }
    const lock = lockFile(output, 'OUTPUT_IN_USE');
    const found = new TrainingCheckpoints(output, isFile, resume, lock);
    const [earlier] = found.paths();
    if (resume || earlier === undefined) return found;
    lock.release();
    throw new AuspexError('CHECKPOINT_EXISTS', 'an earlier training of this file was interrupted', {
      where: { file: earlier },
      hint: 'continue it with --resume, or delete its checkpoints to start over',
    });
  }

  /** Those there are. */
  paths(): string[] {
    if (!this.#isFile) return [];
    const folder = dirname(this.#output);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names
      .filter((name) => name.startsWith(`${basename(this.#output)}.`) && name.endsWith(ENDING))
      .map((name) => join(folder, name));
  }

  /** @throws AuspexError CHECKPOINT_MISMATCH if the checkpoints to continue are of another training */
  expect(now: Fingerprint): void {
    this.#fingerprint = now;
    const [first] = this.#isResumed ? this.paths() : [];
    if (first === undefined) return;
    const before = this.#before();
    const differing = before === undefined ? ['it does not record its settings'] : differences(before, now);
    if (differing.length === 0) return;
    throw new AuspexError(
      'CHECKPOINT_MISMATCH',
      `the checkpoint belongs to another training: ${differing.join('; ')}`,
      {
        where: { file: first },
        hint: 'give the same options as before, or write to another file',
      },
    );
  }

  #before(): Fingerprint | undefined {
    try {
      return schema.safeParse(JSON.parse(readFileSync(`${this.#output}${FINGERPRINT}`, 'utf8'))).data;
    } catch {
      return undefined;
    }
  }

  /** @param part of the training, such as `member0` */
  store(part: string): CheckpointStore | undefined {
    if (!this.#isFile) return undefined;
    const { load, save } = checkpointFile(`${this.#output}.${part}${ENDING}`);
    return {
      load,
      save: async (bytes) => {
        this.#keepFingerprint();
        await save(bytes);
      },
    };
  }

  /** Before the first checkpoint: a training that fails earlier leaves nothing. */
  #keepFingerprint(): void {
    if (this.#isKept || this.#fingerprint === undefined) return;
    const text = `${JSON.stringify(this.#fingerprint)}\n`;
    writeAtomically(`${this.#output}${FINGERPRINT}`, (write) => write(Buffer.from(text)));
    this.#isKept = true;
  }

  /**
   * What to say of a training that ended with an error. One that was stopped keeps its checkpoints; of one that diverged
   * they would lead there again.
   */
  ended(error: unknown): unknown {
    const code = error instanceof AuspexError ? error.code : undefined;
    if (code === 'TRAINING_DIVERGED') this.remove();
    return code === 'TRAINING_STOPPED' ? this.#stopped() : error;
  }

  #stopped(): AuspexError {
    const count = this.paths().length;
    return new AuspexError('TRAINING_STOPPED', 'the training was stopped', {
      kind: 'failure',
      hint:
        count === 0
          ? 'no checkpoint was written yet; run the command again'
          : `${count} checkpoint${count === 1 ? ' is' : 's are'} kept; the same command with --resume continues`,
    });
  }

  /** When the training is done, or leads nowhere. */
  remove(): void {
    if (!this.#isFile) return;
    for (const path of this.paths()) rmSync(path, { force: true });
    rmSync(`${this.#output}${FINGERPRINT}`, { force: true });
  }

  /** Lets other processes train this file. */
  close(): void {
    this.#lock.release();
  }
}
