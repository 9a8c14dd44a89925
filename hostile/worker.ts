// A process that runs cases one by one as its parent asks for them. It may hang, run out of memory or crash:
// the parent watches.
import { performance } from 'node:perf_hooks';
import { makeCase } from './cases.js';
import { loadCorpus } from './corpus.js';
import { type Outcome, runPipeline } from './pipeline.js';

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
      /** The most memory the process has had until now. */
      readonly peakRssBytes: number;
    };

const [seed, root] = [Number(process.argv[2]), process.argv[3]!];
const corpus = loadCorpus(root);

function tell(report: Report): void {
  process.send!(report);
}

process.on('message', ({ index }: Order) => {
  const made = makeCase(seed, index, corpus);
  tell({ kind: 'running', index, mutation: made.kind, from: made.from });
  const start = performance.now();
  const cpu = process.cpuUsage();
  const outcome = runPipeline(made.bytes);
  const { user, system } = process.cpuUsage(cpu);
  tell({
    kind: 'done',
    index,
    outcome,
    durationMs: performance.now() - start,
    cpuMs: (user + system) / 1000,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  });
});

tell({ kind: 'ready', rssBytes: process.memoryUsage.rss() });
