// A small training of the built library that resume.test.ts kills: `node training.child.js CHECKPOINT RESULT
// [STEP]`. Prints the number of each step that is done; at the end all that came of it goes to RESULT. With a STEP it
// waits to be killed soon after that.
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { dropout } from '../dist/nn/dropout.js';
import { linear } from '../dist/nn/linear.js';
import { mse } from '../dist/nn/losses.js';
import { adamW } from '../dist/nn/optimiser.js';
import { warmupCosine } from '../dist/nn/schedules.js';
import { Trainer } from '../dist/nn/trainer.js';
import { checkpointFile } from '../dist/store/checkpoint-file.js';

const [checkpoint, resultFile, lastStep = '1000'] = process.argv.slice(2);
const STEPS = 150;

const objective = {
  predict(s, { x }) {
    const hidden = linear(s.at('hidden'), x, 32).tanh();
    return linear(s.at('out'), dropout(s, hidden, 0.2), 1);
  },
  loss(s, batch) {
    return mse(this.predict(s, batch), batch.y);
  },
};

/** Eleven batches of two sizes. */
function* batches(_, random) {
  for (let i = 0; i < 11; i++) {
    const count = i % 4 === 3 ? 5 : 16;
    const x = Float32Array.from({ length: 4 * count }, () => random.normal());
    const y = Float32Array.from(
      { length: count },
      (_, k) => Math.sin(x[4 * k]) + x[4 * k + 1] * x[4 * k + 2],
    );
    yield {
      x: { type: 'float32', dims: [count, 4], data: x },
      y: { type: 'float32', dims: [count, 1], data: y },
    };
  }
}

const trainer = new Trainer(objective, {
  optimiser: adamW(),
  schedule: warmupCosine({ rate: 0.01, steps: STEPS }),
  emaDecay: 0.95,
  clipNorm: 1,
  seed: 11,
  session: { threads: 1 },
});
const x = Float32Array.from({ length: 32 }, (_, i) => Math.cos(3 * i));
const result = await trainer.fit({
  steps: STEPS,
  batches,
  every: { steps: 6 },
  async validate() {
    if (trainer.record.step > Number(lastStep) + 6) await setTimeout(60_000);
    const { data } = await trainer.predict({ x: { type: 'float32', dims: [8, 4], data: x } });
    return Math.abs(data[0] - 0.5);
  },
  checkpoint: checkpointFile(checkpoint),
  checkpointEvery: { steps: 2 },
  onProgress: ({ step }) => process.stdout.write(`${step}\n`),
});
const weights = Object.fromEntries(
  [...result.weights, ...trainer.weights('current')].map(([name, { buffer }], i) => [
    `${i} ${name}`,
    Buffer.from(buffer).toString('base64'),
  ]),
);
writeFileSync(resultFile, JSON.stringify({ ...result, weights }));
