// A process that runs cases one by one as its parent asks for them. It may hang, run out of memory or crash:
// the parent watches.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { makeCase } from './cases.js';
import { loadCorpus } from './corpus.js';
import { type Outcome, runPipeline, runTransformation, transformationOf } from './pipeline.js';

/** What the parent asks for. */
export interface Order {
  readonly index: number;
}

/** What it is told: first that the worker is ready, then of each case that it starts and how it went. */
export type Report =
  | { readonly kind: 'ready'; readonly rssBytes: number }
  | { readonly kind: 'running'; readonly index: number; readonly mutation: string; readonly from: string }
  | {
      readonly kind: 'done';
      readonly index: number;
      readonly outcome: Outcome;
      readonly durationMs: number;
      /** Time on a processor, which does not depend on what else the machine does. */
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
  tell({ kind: 'running', index, mutation: made.kind, from: made.from });
  forgetPeak();
  const start = performance.now();
  const cpu = process.cpuUsage();
  const first = runPipeline(made.bytes);
  const second =
    first.kind === 'result' ? await runTransformation(made.bytes, transformationOf(index)) : first;
  const outcome = second.kind === 'defect' ? second : first;
  const { user, system } = process.cpuUsage(cpu);
  tell({
    kind: 'done',
    index,
    outcome,
    durationMs: performance.now() - start,
    cpuMs: (user + system) / 1000,
    peakRssBytes: peakRssBytes(),
  });
});

tell({ kind: 'ready', rssBytes: process.memoryUsage.rss() });
