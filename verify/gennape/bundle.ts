// Trains the bundled ensemble of GENNAPE on the encoder of an ensemble that is there already: heads, k-GNN, the order by
// structure. What takes long is kept in WORK, and goes on where it was stopped.
//
//   node build/verify/gennape/bundle.js nasbench101.csv.gz bundled/gennape.onnx WORK OUT.onnx [ROWS] [STEPS]
//
// 50,000 cells of NAS-Bench-101 are drawn, of which those below 80% are left out, as in the paper; 2,000 others make the
// interval. Takes hours of one core.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/ops/index.js';
import { encoderOf } from '../../src/predictors/gennape/encoder.js';
import { kindNamed } from '../../src/predictors/kinds/index.js';
import { tableNetworks } from '../../src/predictors/labelled-rows.js';
import { decodePredictor } from '../../src/predictors/load.js';
import { OnnxPredictor } from '../../src/predictors/onnx-predictor.js';
import type { Checkpoints } from '../../src/predictors/train.js';
import { readTableFile } from '../../src/store/table-file.js';
import { Random } from '../../src/util/random.js';

const [tableFile, encoderFile, work, output, rows = '50000', steps = '7670'] = process.argv.slice(2);
if (output === undefined) {
  console.error(
    'usage: node build/verify/gennape/bundle.js nasbench101.csv.gz ENCODER.onnx WORK OUT.onnx [ROWS] [STEPS]',
  );
  process.exit(2);
}
mkdirSync(work!, { recursive: true });

const MODEL = { width: 256, clusterWidth: 112, classifierWidth: 64, clusters: 12, fuzzifier: 2 };
const LEAST_ACCURACY = 80;
const HELD_OUT = 2000;

const table = await readTableFile(tableFile!);
const accuracies = table.column('test_accuracy').map((fraction) => 100 * fraction);
const known = table.rowsWith(['test_accuracy']);
const drawn = Array.from(Random.seeded(0).sample(known.length, Number(rows) + HELD_OUT), (i) => known[i]!);
const good = (some: readonly number[]): number[] => some.filter((row) => accuracies[row]! >= LEAST_ACCURACY);
const setOf = (some: readonly number[]) => ({
  networks: tableNetworks(table, some),
  labels: {
    ...{ names: ['cifar10_accuracy'], units: ['%'], transforms: ['linear'] },
    better: ['higher' as const],
    values: Float64Array.from(some, (row) => accuracies[row]!),
  },
});

const checkpoint: Checkpoints = (name) => {
  const file = join(work!, `${name}.ckpt`);
  return {
    load: async () => (existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined),
    save: async (bytes) => {
      writeFileSync(`${file}.new`, bytes);
      renameSync(`${file}.new`, file);
    },
  };
};

// The encoder by itself: from an ensemble, training would go on with its heads.
const whole = await decodePredictor(new Uint8Array(readFileSync(encoderFile!)), { threads: 1 });
const { model, view, state } = encoderOf(whole)!;
const from = OnnxPredictor.of(
  model,
  { ...whole.info, kind: 'contrastive', labels: [], entries: [{ view, state, gives: 'latent' }] },
  { threads: 1 },
);

let reported = 0;
const { predictor } = await kindNamed('gennape').fit(
  {
    ...setOf(good(drawn.slice(HELD_OUT))),
    validation: setOf(good(drawn.slice(0, HELD_OUT))),
    from,
  },
  { steps: Number(steps), model: MODEL },
  {
    seed: 0,
    threads: 1,
    checkpoint,
    onProgress: ({ part, loss }) => {
      if (part < reported + 0.01) return;
      reported = part;
      console.log(`${(100 * part).toFixed(0)}%`, loss?.toFixed(4) ?? '');
    },
  },
);
writeFileSync(output!, predictor.toOnnx());
console.log(`${output}: ${predictor.toOnnx().length} bytes`);
await predictor.dispose();
