// A thread that scores: references of networks come as messages, one at a time, and go back as results.
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { loadInherited } from '../plugins.js';
import { diskResolver } from '../resolve.js';
import { scoringPlan } from './plan.js';
import { type NetworkResult, problemOf } from './record.js';
import { GivenSamples } from './samples.js';
import { NetworkScorer } from './scoring.js';

const { plan, options } = z
  .object({
    plan: scoringPlan,
    options: z.object({ threads: z.int().optional(), explains: z.boolean().optional() }),
  })
  .parse(workerData);
await loadInherited();
const scorer = new NetworkScorer(plan, options, new GivenSamples(plan));
const resolver = diskResolver({ isKeptOpen: false });

parentPort!.on('message', async (ref: string) => {
  parentPort!.postMessage(await result(ref));
});
parentPort!.postMessage('ready');

async function result(ref: string): Promise<NetworkResult> {
  try {
    return await scorer.score(resolver.network(ref));
  } catch (error) {
    return { scores: {}, error: problemOf(error) };
  }
}
