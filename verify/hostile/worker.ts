// A process that runs cases one by one as its parent asks for them. It may hang, run out of memory or crash:
// the parent watches.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { makeCase } from './cases.js';
import { loadCorpus } from './corpus.js';
import { type Outcome, runPipeline, runTransformation, TRANSFORMS } from './pipeline.js';

/** What the parent asks for. */
export interface Order {
  readonly index: number;
}

/** What it is told: that the worker is ready; then, of each case, that each of its parts starts, and how it went. */
export type Report =
  | { readonly kind: 'ready'; readonly rssBytes: number }
  | { readonly kind: 'running'; readonly index: number; readonly mutation: string; readonly from: string }
  | {
      readonly kind: 'done';
      readonly index: number;
      readonly outcome: Outcome;
      /** Of the slowest part. */
      readonly durationMs: number;
      /** Of the slowest part: time on a processor, which does not depend on what else the machine does. */
      readonly cpuMs: number;
      /** The most memory the process had meanwhile; where that cannot be told, until now. */
      readonly peakRssBytes: number;
    };

const [seed, root] = [Number(process.argv[2]), process.argv[3]!];
const corpus = loadCorpus(root);

function tell(report: Report): void {
  process.send!(report);
}

/** Linux forgets the peak of a process's memory when told to; see `man 5 proc`. */
function forgetPeak(): void {
  if (existsSync('/proc/self/clear_refs')) writeFileSync('/proc/self/clear_refs', '5');
}

function peakRssBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}

process.on('message', async ({ index }: Order) => {
  const made = makeCase(seed, index, corpus);
  forgetPeak();
  let [durationMs, cpuMs] = [0, 0];
  /** One part of a case. The limit of time is for each. */
  const timed = async (run: () => Outcome | Promise<Outcome>): Promise<Outcome> => {
    tell({ kind: 'running', index, mutation: made.kind, from: made.from });
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const outcome = await run();
    const { user, system } = process.cpuUsage(cpu);
    durationMs = Math.max(durationMs, performance.now() - start);
    cpuMs = Math.max(cpuMs, (user + system) / 1000);
    return outcome;
  };
  let outcome = await timed(() => runPipeline(made.bytes));
  // A file that can be read goes through every transformation, until one shows a defect.
  for (const name of Object.keys(TRANSFORMS)) {
    if (outcome.kind !== 'result') break;
    const transformed = await timed(() => runTransformation(made.bytes, name));
    if (transformed.kind === 'defect') outcome = transformed;
  }
  tell({ kind: 'done', index, outcome, durationMs, cpuMs, peakRssBytes: peakRssBytes() });
});

tell({ kind: 'ready', rssBytes: process.memoryUsage.rss() });
