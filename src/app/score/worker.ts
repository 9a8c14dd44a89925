// A process that scores: its plan comes first, then references of networks with the scores that are wanted, one at a time. Scores go back as they are
// found, then the whole result.
import * as z from 'zod';
import { loadInherited } from '../plugins.js';
import { problemOf } from '../problem.js';
import { diskResolver } from '../resolve.js';
import type { LaneMessage, LaneRequest } from './lanes.js';
import { scoringPlan } from './plan.js';
import type { NetworkResult } from './record.js';
import { GivenSamples } from './samples.js';
import { NetworkScorer, type ScoreReport } from './scoring.js';

const settings = z.object({
  plan: scoringPlan,
  options: z.object({
    threads: z.int().optional(),
    explains: z.boolean().optional(),
    memory: z.number().optional(),
    mostMemory: z.number().optional(),
  }),
});

const asked = z.object({ ref: z.string(), proxies: z.array(z.string()) });

// Ctrl-C reaches all processes of a terminal: the one that asked ends this one.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const send = (message: LaneMessage): void => void process.send!(message);
let scorer: NetworkScorer | undefined;
const resolver = diskResolver({ isKeptOpen: false });

process.on('message', async (message) => {
  const request = asked.safeParse(message);
  if (request.success) {
    send({ kind: 'result', result: await resultOf(request.data) });
    return;
  }
  const { plan, options } = settings.parse(message);
  await loadInherited();
  scorer = new NetworkScorer(plan, options, new GivenSamples(plan));
  send({ kind: 'ready' });
});

async function resultOf({ ref, proxies }: LaneRequest): Promise<NetworkResult> {
  try {
    const report: ScoreReport = (name, found) => send({ kind: 'score', name, found });
    return await scorer!.score(resolver.network(ref), report, proxies);
  } catch (error) {
    return { scores: {}, error: problemOf(error) };
  }
}
