// Prints the peak memory in MB of a process that does a few of NN-Former's training steps; run by engine.ts.
import { readFileSync } from 'node:fs';
import { adamW } from '../src/nn/optimiser.js';
import * as former from './nn-former.js';
import { graphBatch, training } from './runners.js';

const threads = Number(process.argv[3]);
const objective = former.objective(former.PAPER);
const { run } = await training(objective, former.shapes(128), await graphBatch(128), adamW(), threads);
for (let i = 0; i < 5; i++) await run();
// Not maxRSS, which a process inherits from the one that started it.
const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))!;
console.log(Number(kilobytes) / 1024);
