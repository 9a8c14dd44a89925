// What a predictor's file is given and gives, as a small JSON for verify/check_predictor.py, which runs the file in
// Python: `node build/verify/tables/predictor-case.js PREDICTOR.onnx CASE.json [ARCHITECTURE…]`. Without architectures three
// are drawn from the predictor's space.
import { readFileSync, writeFileSync } from 'node:fs';
import '../../src/ops/index.js';
import { listOf } from '../../src/networks/networks.js';
import { Resolver } from '../../src/networks/resolver.js';
import { readModel } from '../../src/onnx/file.js';
import { decodePredictor } from '../../src/predictors/load.js';
import { spaceNamed } from '../../src/spaces/index.js';
import { Random } from '../../src/util/random.js';

const [file, output, ...given] = process.argv.slice(2);
if (file === undefined || output === undefined) {
  throw new Error('usage: predictor-case.js PREDICTOR.onnx CASE.json [ARCHITECTURE…]');
}

const predictor = await decodePredictor(readFileSync(file), { threads: 1 });
const { kind, labels, seen } = predictor.info;
const space = seen.spaces[0]!;
const architectures = given.length > 0 ? given : drawn();

function drawn(): string[] {
  const random = Random.seeded(1);
  const of = spaceNamed(space);
  return Array.from({ length: 3 }, () => of.format(of.sample(random)));
}

const resolver = new Resolver({ open: readModel });
const networks = listOf(architectures.map((text) => resolver.network(text, { space })));
const inputs = Object.entries(await predictor.inputs(networks)).map(([name, { type, dims, data }]) => [
  name,
  { type, dims, data: Array.from(data as Float32Array) },
]);
const { values } = await predictor.predict!(networks);
const expected = { dims: [architectures.length, labels.length], data: Array.from(values) };
writeFileSync(
  output,
  JSON.stringify({ kind, space, architectures, inputs: Object.fromEntries(inputs), output: expected }),
);
await predictor.dispose();
