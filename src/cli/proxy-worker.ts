// A thread of `auspex proxy --workers`: networks come as messages, one at a time, and go back as results.
import { parentPort, workerData } from 'node:worker_threads';
import type { ScoringPlan } from './proxy-plan.js';
import { NetworkScorer } from './proxy-scoring.js';

const { plan, threads } = workerData as { plan: ScoringPlan; threads: number | undefined };
const scorer = new NetworkScorer(plan, threads);
parentPort!.on('message', async (network: string) => {
  parentPort!.postMessage(await scorer.score(network));
});
parentPort!.postMessage('ready');
