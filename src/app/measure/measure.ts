// What `auspex measure` does: every network in every case of the grid, one after the other, each in processes of its own. A
// network that cannot be measured does not take the others with it; what was measured before a stop is kept.
import { type Case, casesOf, type GridOptions } from '../../measure/grid.js';
import { thisMachine } from '../../measure/machine.js';
import { combined, measureBlock, measureMemory } from '../../measure/measure.js';
import { type PreparedNetwork, prepareNetwork } from '../../measure/prepare.js';
import type { ProcessLimits, ProcessRecord } from '../../measure/process.js';
import { profileNetwork } from '../../measure/profile/profile.js';
import type { MeasuredMemory } from '../../measure/protocol.js';
import { regressionOf } from '../../measure/regression.js';
import { CONFIDENCE } from '../../measure/statistics.js';
import type { StoppingRule } from '../../measure/stopping.js';
import type { Network } from '../../networks/index.js';
import { AuspexError } from '../../util/errors.js';
import type { MeasureDocument, MeasureRow } from '../documents/measure.js';
import { problemOf } from '../problem.js';
import { openReferences } from '../resolve.js';
import { version } from '../version.js';
import type { Work } from '../work.js';
import { type Baseline, baselineRow, isDocument, readBaseline } from './baseline.js';
import { regressionDocumentOf, rowOf } from './row.js';
import { runElsewhere } from './runner.js';
import type { MeasuredOn } from './stored-rows.js';

export interface MeasureRequest {
  readonly refs: readonly string[];
  readonly input?: string | undefined;
  readonly space?: string | undefined;
  readonly grid: GridOptions;
  readonly rule: StoppingRule;
  /** Processes that each case is measured in, one after the other. */
  readonly processes: number;
  readonly seed: number;
  /** Paths of .npy files, by input. */
  readonly feeds?: Readonly<Record<string, string>>;
  /** Of one process, or of one call of the runner. */
  readonly timeoutSeconds: number;
  readonly memoryBytes?: number | undefined;
  readonly isProfiled?: boolean;
  /** A command that measures on another machine. */
  readonly runner?: { readonly command: string; readonly runs: number } | undefined;
  readonly baseline?: Baseline | undefined;
}

export interface MeasureWork extends Work {
  /** Called with every row as it is measured. */
  readonly onRow?: ((row: MeasureRow, on: MeasuredOn) => Promise<void>) | undefined;
}

/**
 * Measures networks. If it is stopped, the document has what was measured by then.
 *
 * @throws AuspexError what is wrong with the request; the signal's reason if nothing was measured
 */
export async function measureAll(request: MeasureRequest, work: MeasureWork = {}): Promise<MeasureDocument> {
  return new Measuring(request, work).run();
}

class Measuring {
  readonly #request: MeasureRequest;
  readonly #work: MeasureWork;
  readonly #machine = thisMachine();
  readonly #rows: MeasureRow[] = [];
  readonly #errors: MeasureDocument['errors'] = [];
  #before: MeasureDocument | undefined;
  #other: Network | undefined;

  constructor(request: MeasureRequest, work: MeasureWork) {
    this.#request = request;
    this.#work = work;
  }

  async run(): Promise<MeasureDocument> {
    const { refs, input, space, grid, baseline, runner } = this.#request;
    const networks = await openReferences(refs, { input, space });
    if (baseline !== undefined && isDocument(baseline.ref)) {
      this.#before = readBaseline(baseline.ref, this.#machine, runner?.command);
    } else if (baseline !== undefined) this.#other = (await openReferences([baseline.ref], { space })).at(0);
    const cases = casesOf(grid);
    const all = networks.count * cases.length;
    let done = 0;
    try {
      for (let row = 0; row < networks.count; row++) {
        for (const one of cases) {
          this.#work.progress?.(done++, all);
          await this.#tried(networks.name(row), () => networks.at(row), one);
        }
      }
    } catch (error) {
      if (!this.#work.signal?.aborted || this.#rows.length === 0) throw error;
    }
    return this.#document();
  }

  /** One case of one network; what is wrong with it is noted. */
  async #tried(name: string, open: () => Network, one: Case): Promise<void> {
    this.#work.signal?.throwIfAborted();
    try {
      await this.#measured(name, open(), one);
    } catch (error) {
      if (!(error instanceof AuspexError) || this.#work.signal?.aborted) throw error;
      this.#errors.push({ network: name, label: one.label, error: problemOf(error) });
    }
  }

  async #measured(name: string, network: Network, one: Case): Promise<void> {
    const { seed, feeds = {}, isProfiled = false, baseline } = this.#request;
    const options = { sizes: one.sizes, seed, feeds };
    const prepared = prepareNetwork(network, options);
    const other = this.#other && prepareNetwork(this.#other, options);
    try {
      const [blocks, otherBlocks] = await this.#blocks([prepared, ...(other ? [other] : [])], one);
      const isStopped = this.#work.signal?.aborted === true;
      const profile =
        isProfiled && !isStopped ? await profileNetwork(prepared, one.settings, this.#limits()) : undefined;
      const memory = isStopped ? undefined : await this.#memory(prepared, one);
      const measurement = combined(blocks!, one.settings.threads, memory);
      const row = rowOf({ name, prepared, case: one, measurement, profile });
      if (baseline !== undefined && !isStopped) {
        const before =
          otherBlocks === undefined
            ? baselineRow(this.#before!, row).blocks.map((block) => ({
                ...block,
                cpuMs: block.cpuMs ?? undefined,
              }))
            : combined(otherBlocks, one.settings.threads).blocks;
        const found = regressionOf(measurement.blocks, before, baseline);
        row.regression = found === undefined ? null : regressionDocumentOf(found);
      }
      this.#rows.push(row);
      await this.#work.onRow?.(row, this.#on());
    } finally {
      prepared.dispose();
      other?.dispose();
    }
    this.#work.signal?.throwIfAborted();
  }

  /** Blocks of each network, in turn: what slows the machine for a while slows all of them. */
  async #blocks(networks: readonly PreparedNetwork[], one: Case): Promise<ProcessRecord[][]> {
    const blocks: ProcessRecord[][] = networks.map(() => []);
    for (let i = 0; i < this.#request.processes; i++) {
      // Every other time in the other order, so that none always comes first.
      const order = networks.map((_, n) => (i % 2 === 0 ? n : networks.length - 1 - n));
      for (const n of order) {
        try {
          blocks[n]!.push(await this.#block(networks[n]!, one));
        } catch (error) {
          const hasSome = blocks.every(({ length }) => length > 0);
          if (!this.#work.signal?.aborted || !hasSome) throw error;
        }
        if (this.#work.signal?.aborted && blocks[0]!.length > 0) return blocks.slice(0, 1);
      }
    }
    return blocks;
  }

  #block(prepared: PreparedNetwork, { settings }: Case): Promise<ProcessRecord> {
    const { rule, runner, timeoutSeconds } = this.#request;
    const { signal } = this.#work;
    if (runner !== undefined) return runElsewhere(prepared, settings, { ...runner, timeoutSeconds, signal });
    return measureBlock({ prepared, settings, rule, limits: this.#limits() });
  }

  /** Undefined where it cannot be told; what was measured before is kept. */
  async #memory(prepared: PreparedNetwork, { settings }: Case): Promise<MeasuredMemory | undefined> {
    const { rule, runner } = this.#request;
    if (runner !== undefined) return undefined;
    try {
      return await measureMemory({ prepared, settings, rule, limits: this.#limits() });
    } catch (error) {
      if (error instanceof AuspexError) return undefined;
      throw error;
    }
  }

  #limits(): ProcessLimits {
    const { timeoutSeconds, memoryBytes } = this.#request;
    return { seconds: timeoutSeconds, bytes: memoryBytes, signal: this.#work.signal };
  }

  #on(): MeasuredOn {
    const { rule, seed, runner } = this.#request;
    const { governor, ...machine } = this.#machine;
    return {
      auspex: version(),
      machine: { ...machine, governor: governor ?? null },
      runner: runner?.command ?? null,
      rule: { ...rule, confidence: CONFIDENCE },
      seed,
    };
  }

  #document(): MeasureDocument {
    return {
      schema: 'auspex.measure/1',
      ...this.#on(),
      date: new Date().toISOString(),
      processes: this.#request.processes,
      isComplete: this.#work.signal?.aborted !== true,
      rows: this.#rows,
      errors: this.#errors,
    };
  }
}
