// A process that scores: its plan comes first, then references of networks, one at a time. Scores go back as they are
// found, then the whole result.
import * as z from 'zod';
import { loadInherited } from '../plugins.js';
import { problemOf } from '../problem.js';
import { diskResolver } from '../resolve.js';
import type { LaneMessage } from './lanes.js';
import { scoringPlan } from './plan.js';
import type { NetworkResult } from './record.js';
import { GivenSamples } from './samples.js';
import { NetworkScorer } from './scoring.js';

const settings = z.object({
  plan: scoringPlan,
  options: z.object({
    threads: z.int().optional(),
    explains: z.boolean().optional(),
    memory: z.number().optional(),
    mostMemory: z.number().optional(),
  }),
});

// Ctrl-C reaches all processes of a terminal: the one that asked ends this one.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const send = (message: LaneMessage): void => void process.send!(message);
let scorer: NetworkScorer | undefined;
const resolver = diskResolver({ isKeptOpen: false });

process.on('message', async (message) => {
  if (typeof message === 'string') {
    send({ kind: 'result', result: await resultOf(message) });
    return;
  }
  const { plan, options } = settings.parse(message);
  await loadInherited();
  scorer = new NetworkScorer(plan, options, new GivenSamples(plan));
  send({ kind: 'ready' });
});

async function resultOf(ref: string): Promise<NetworkResult> {
  try {
    return await scorer!.score(resolver.network(ref), (name, found) => send({ kind: 'score', name, found }));
  } catch (error) {
    return { scores: {}, error: problemOf(error) };
  }
}
