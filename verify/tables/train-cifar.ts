// Trains classifiers of ONNX files on CIFAR-10 with our own engine, as long as told, and prints what they reach: enough to
// compare a network with one that a search made of it.
//
//   node build/verify/tables/train-cifar.js CIFAR STEPS SEEDS FILE…
//
// CIFAR: the folder of data_batch_1.bin … and test_batch.bin. Files have a fixed batch. Seeds order the images; weights are
// drawn anew for each, He-normal for convolutions. Test images are normalised by the statistics of their batch.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/ops/index.js';
import { type Model, makeGraph, makeModel } from '../../src/graph/graph.js';
import { fromNumbers } from '../../src/graph/tensor.js';
import { ClassifierTraining } from '../../src/nn/classifier-training.js';
import { readModel } from '../../src/onnx/file.js';
import { Random } from '../../src/util/random.js';

const [folder, steps, seeds, ...files] = process.argv.slice(2);
if (folder === undefined || files.length === 0) {
  console.error('usage: node build/verify/tables/train-cifar.js CIFAR STEPS SEEDS FILE…');
  process.exit(2);
}
const RECORD = 3073;
/** Of the images of the training set, as they are usually given. */
const MEAN = [0.4914, 0.4822, 0.4465];
const DEVIATION = [0.247, 0.2435, 0.2616];
const TESTED = 1024;
const PEAK_RATE = 0.05;

const train = [1, 2, 3, 4, 5].map((i) => readFileSync(join(folder, `data_batch_${i}.bin`)));
const test = [readFileSync(join(folder, 'test_batch.bin'))];

/** Images and classes of some records. */
function batchOf(
  from: readonly Buffer[],
  records: readonly number[],
  flip?: Random,
): [Float32Array, number[]] {
  const images = new Float32Array(records.length * (RECORD - 1));
  const classes = records.map((record, row) => {
    const bytes = from[Math.floor(record / 10_000)]!;
    const start = (record % 10_000) * RECORD;
    const isFlipped = flip?.chance(0.5) ?? false;
    for (let i = 0; i < RECORD - 1; i++) {
      const channel = Math.floor(i / 1024);
      const place = isFlipped ? i - (i % 32) + 31 - (i % 32) : i;
      images[row * (RECORD - 1) + place] =
        (bytes[start + 1 + i]! / 255 - MEAN[channel]!) / DEVIATION[channel]!;
    }
    return bytes[start]!;
  });
  return [images, classes];
}

/** Convolutions and matrices drawn anew; scales, biases and statistics stay. */
function drawn(model: Model, random: Random): Model {
  const initializers = new Map(
    [...model.graph.initializers].map(([name, tensor]) => {
      const { dtype, dims } = tensor;
      if (dtype !== 'float32' || dims.length < 2) return [name, tensor] as const;
      const count = dims.reduce((n, d) => n * d, 1);
      const fanIn = dims.length === 4 ? count / dims[0]! : dims[0]!;
      const values = Array.from({ length: count }, () => random.normal() * Math.sqrt(2 / fanIn));
      return [name, fromNumbers(name, dtype, dims, values)] as const;
    }),
  );
  return makeModel(makeGraph({ ...model.graph, initializers }), { opsetImports: model.opsetImports });
}

for (const file of files) {
  const found: number[] = [];
  for (let seed = 0; seed < Number(seeds); seed++) {
    const random = Random.seeded(seed, 77);
    const training = await ClassifierTraining.of(drawn(readModel(file), random), { threads: 1 });
    const batch = training.dims[0]!;
    const start = performance.now();
    let loss = 0;
    for (let step = 0; step < Number(steps); step++) {
      const records = Array.from({ length: batch }, () => random.below(50_000));
      const part = step / Number(steps);
      const rate = PEAK_RATE * Math.min(1, (step + 1) / 20) * (0.5 + 0.5 * Math.cos(Math.PI * part));
      loss =
        0.95 * (loss || 2.3) + 0.05 * (await training.step(...batchOf(train, records, random), rate)).loss;
    }
    let correct = 0;
    const tested = Math.floor(TESTED / batch) * batch;
    for (let at = 0; at < tested; at += batch) {
      const records = Array.from({ length: batch }, (_, i) => at + i);
      correct += (await training.step(...batchOf(test, records), 0)).correct;
    }
    await training.dispose();
    found.push((100 * correct) / tested);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `${file} seed ${seed}: loss ${loss.toFixed(3)}, test ${found.at(-1)!.toFixed(2)}%, ${seconds} s`,
    );
  }
  const mean = found.reduce((a, b) => a + b, 0) / found.length;
  const deviation = Math.sqrt(found.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, found.length - 1));
  console.log(`${file}: ${mean.toFixed(2)} ± ${deviation.toFixed(2)}% of ${found.length} seeds`);
}
