// What `auspex device calibrate` does: measures networks, one after the other, with the times of all their kernels; the user's
// own first, then those whose kernels are known worst. A log keeps every one, so that an interrupted calibration continues.
import { rmSync } from 'node:fs';
import * as z from 'zod';
import { thisMachine } from '../../measure/machine.js';
import type { ProcessLimits } from '../../measure/process.js';
import type { RunSettings } from '../../measure/protocol.js';
import type { Device } from '../../predictors/devices/device.js';
import { fitTimes, type KernelTimes } from '../../predictors/devices/kernels/times.js';
import { checkOutputs } from '../../store/outputs.js';
import { TrialLog } from '../../store/trial-log.js';
import { writeOutput } from '../../store/write-file.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { type CalibrationDocument, calibrationDocumentOf } from '../documents/calibration.js';
import { problemOf } from '../problem.js';
import { openReferences } from '../resolve.js';
import { findBlockChannels } from './block-channels.js';
import type { Candidate } from './candidates.js';
import { ClassErrors, nextCandidate } from './choice.js';
import { fitKernels } from './fit.js';
import { type MeasuredNetwork, measuredSchema, measureNetwork, timedKernels } from './measured-network.js';

export interface CalibrateRequest {
  readonly output: string;
  /** What the device is called. */
  readonly name: string;
  /** Networks of the user, which are measured first. */
  readonly refs: readonly string[];
  readonly settings: RunSettings;
  /** Of measuring; models are fitted afterwards. */
  readonly minutes: number;
  readonly seed: number;
  readonly resume?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly memoryBytes?: number | undefined;
}

export interface CalibrateWork {
  readonly signal?: AbortSignal | undefined;
  /** @param part of all that is done */
  readonly progress?: (part: number, note: string) => void;
}

const headSchema = z.object({
  schema: z.literal('auspex.calibration-log/1'),
  settings: z.object({ threads: z.number(), provider: z.string(), optimization: z.string() }),
  processor: z.string(),
  blockChannels: z.number(),
});

/** Seconds that one network may take. */
const TIMEOUT_SECONDS = 120;
const LEAST_NETWORKS = 8;
/** Models are fitted again when there are so many times as many networks. */
const GROWTH = 1.3;
const FEWER_TREES = 40;

/**
 * Calibrates, and writes the device.
 *
 * @throws AuspexError LOG_EXISTS, CALIBRATION_OTHER if the log is of another machine or setting, CALIBRATION_FEW if too little
 * was measured; the signal's reason, what was measured by then being kept
 */
export async function calibrate(
  request: CalibrateRequest,
  work: CalibrateWork = {},
): Promise<CalibrationDocument> {
  const { output, refs, force, resume } = request;
  const logPath = logOf(request);
  checkOutputs({
    outputs: [
      { path: output, kind: 'device' },
      { path: logPath, kind: 'log', isContinued: resume },
    ],
    inputs: refs,
    force,
  });
  const own = await ownCandidates(refs);
  const document = await logged(request, work, own, TrialLog.open(logPath, { resume, replace: force }));
  rmSync(logPath, { force: true });
  return document;
}

async function logged(
  request: CalibrateRequest,
  work: CalibrateWork,
  own: readonly Candidate[],
  log: TrialLog,
): Promise<CalibrationDocument> {
  let run: Calibration | undefined;
  try {
    run = await Calibration.begin(request, work, log);
    await run.measure(own);
    return await run.finish();
  } catch (error) {
    // A log of nothing would only be in the way.
    if (log.records.length === 0 && (run === undefined || run.isEmpty))
      rmSync(logOf(request), { force: true });
    throw error;
  } finally {
    log.close();
  }
}

function logOf({ output }: CalibrateRequest): string {
  return `${output}.log`;
}

async function ownCandidates(refs: readonly string[]): Promise<Candidate[]> {
  if (refs.length === 0) return [];
  const networks = await openReferences(refs, {});
  return Array.from({ length: networks.count }, (_, row) => ({
    network: networks.at(row).settled(),
    family: `own ${networks.name(row)}`,
  }));
}

class Calibration {
  readonly #request: CalibrateRequest;
  readonly #work: CalibrateWork;
  readonly #log: TrialLog;
  readonly #blockChannels: number;
  readonly #measured: MeasuredNetwork[];
  readonly #random: Random;
  readonly #errors = new ClassErrors();
  readonly #failures: CalibrationDocument['failures'] = [];
  #times: KernelTimes | undefined;
  #fittedTo = 0;

  private constructor(
    request: CalibrateRequest,
    work: CalibrateWork,
    log: TrialLog,
    blockChannels: number,
    measured: MeasuredNetwork[],
  ) {
    this.#request = request;
    this.#work = work;
    this.#log = log;
    this.#blockChannels = blockChannels;
    this.#measured = measured;
    this.#random = Random.seeded(request.seed, measured.length);
  }

  static async begin(request: CalibrateRequest, work: CalibrateWork, log: TrialLog): Promise<Calibration> {
    const [head, ...records] = log.records;
    const { processor } = thisMachine();
    if (head === undefined) {
      const limits = limitsOf(request, work);
      const blockChannels = await findBlockChannels(request.settings, limits);
      const schema = 'auspex.calibration-log/1';
      log.append({ schema, settings: request.settings, processor, blockChannels });
      return new Calibration(request, work, log, blockChannels, []);
    }
    const before = headSchema.safeParse(head).data;
    const isSame =
      before?.processor === processor && JSON.stringify(before.settings) === JSON.stringify(request.settings);
    if (!isSame) {
      throw new AuspexError('CALIBRATION_OTHER', 'the log is of another machine or of other settings', {
        where: { file: logOf(request) },
        hint: 'give the settings it was begun with, or begin anew with --force',
      });
    }
    const measured = records.flatMap((record) => measuredSchema.safeParse(record).data ?? []);
    return new Calibration(request, work, log, before.blockChannels, measured);
  }

  get isEmpty(): boolean {
    return this.#measured.length === 0;
  }

  get #seconds(): number {
    return this.#measured.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  async measure(own: readonly Candidate[]): Promise<void> {
    const known = new Set(this.#measured.map(({ network }) => network));
    for (const candidate of own) if (!known.has(candidate.network.ref)) await this.#take(candidate);
    const budget = this.#request.minutes * 60;
    let [failed, begun] = [0, performance.now()];
    while (this.#seconds < budget) {
      this.#refit();
      const candidate = nextCandidate(this.#random, this.#times, this.#errors, this.#blockChannels);
      const isTaken = await this.#take(candidate);
      failed = isTaken ? 0 : failed + 1;
      // Choosing takes time as well.
      if (failed >= 20 || (performance.now() - begun) / 1000 > 2 * budget) break;
      if (this.#measured.length === 0) begun = performance.now();
    }
  }

  /** Measures and notes a network; whether it could be measured. */
  async #take(candidate: Candidate): Promise<boolean> {
    const { settings, minutes } = this.#request;
    const limits = limitsOf(this.#request, this.#work);
    try {
      const one = await measureNetwork(candidate, { settings, limits, blockChannels: this.#blockChannels });
      if (this.#times !== undefined) this.#errors.note(this.#times, one);
      this.#measured.push(one);
      this.#log.append(one);
      const part = Math.min(1, this.#seconds / (minutes * 60));
      this.#work.progress?.(0.9 * part, `${this.#measured.length} networks, ${this.#kernels()} kernels`);
      return true;
    } catch (error) {
      if (this.#work.signal?.aborted || !(error instanceof AuspexError)) throw error;
      this.#failures.push({ network: candidate.network.ref, error: problemOf(error) });
      return false;
    }
  }

  #refit(): void {
    const { length } = this.#measured;
    if (length < LEAST_NETWORKS || length < GROWTH * this.#fittedTo) return;
    this.#times = fitTimes(this.#measured.flatMap(timedKernels), FEWER_TREES);
    this.#fittedTo = length;
  }

  #kernels(): number {
    return this.#measured.reduce((sum, { kernels }) => sum + kernels.length, 0);
  }

  async finish(): Promise<CalibrationDocument> {
    const { output, name, settings } = this.#request;
    const networks = this.#measured;
    if (networks.length < LEAST_NETWORKS) {
      throw new AuspexError(
        'CALIBRATION_FEW',
        `only ${networks.length} of at least ${LEAST_NETWORKS} networks were measured`,
        {
          kind: 'failure',
          hint: 'give more --minutes; what was measured is kept: --resume',
        },
      );
    }
    const work = {
      signal: this.#work.signal,
      progress: (done: number, all: number) => this.#work.progress?.(0.9 + (0.1 * done) / all, 'fitting'),
    };
    const { model, error } = await fitKernels(
      networks,
      { blockChannels: this.#blockChannels, threads: settings.threads },
      work,
    );
    const device: Device = {
      schema: 'auspex.device/1',
      name,
      quantity: 'latency',
      unit: 'ms',
      measured: {
        device: thisMachine().processor,
        runtime: networks.at(-1)!.runtime,
        precision: 'float32',
        batch: 1,
        threads: settings.threads,
        date: new Date().toISOString().slice(0, 10),
        source: 'auspex device calibrate',
        networks: networks.length,
        families: new Set(networks.map(({ family }) => family)).size,
        kernels: this.#kernels(),
      },
      error,
      model,
    };
    await writeOutput(output, `${JSON.stringify(device)}\n`, { signal: this.#work.signal });
    return calibrationDocumentOf(output, device, model, {
      seconds: this.#seconds,
      busy: networks.filter(({ wallMs, cpuMs }) => cpuMs > 0 && wallMs > 1.1 * cpuMs).length,
      failures: this.#failures,
    });
  }
}

function limitsOf({ memoryBytes }: CalibrateRequest, { signal }: CalibrateWork): ProcessLimits {
  return { seconds: TIMEOUT_SECONDS, bytes: memoryBytes, signal };
}
