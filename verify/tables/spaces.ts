// Samples networks of every space and runs them in ONNX Runtime: the output must have the declared shape and hold
// no NaN. A few at the sizes of the papers, most of them smaller.
//   node build/verify/tables/spaces.js [--count 200] [--full 3] [--only REGEX] [--write FOLDER]
// With --write the smaller ones are kept as files, for verify/check_models.py to judge by ONNX's own checker.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Model } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';
import { encodeModel } from '../../src/onnx/write.js';
import { hostTensor, Session } from '../../src/runtime/session.js';
import { SPACES } from '../../src/spaces/index.js';
import type { AnySpace, NetworkOptions } from '../../src/spaces/space.js';
import { Random } from '../../src/util/random.js';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    full: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    write: { type: 'string' },
  },
});

/** Narrow and small, but through every layer. */
function reduced({ defaults }: AnySpace): NetworkOptions {
  const resolution = defaults.input === 'tokens' ? 16 : Math.min(64, defaults.resolution);
  return { resolution, width: 0.25, classes: 10 };
}

/** Undefined when all is well. */
async function problem(model: Model, classes: number): Promise<string | undefined> {
  const { name, type } = model.graph.inputs[0]!;
  const declared = model.graph.outputs[0]!.type;
  if (!isTensor(type) || !isTensor(declared)) return 'not a tensor';
  const dims = type.shape as readonly number[];
  const count = dims.reduce((n, d) => n * d, 1);
  const random = Random.seeded(1);
  const data =
    type.dtype === 'int64'
      ? BigInt64Array.from({ length: count }, () => BigInt(random.below(classes)))
      : Float32Array.from({ length: count }, () => random.normal());
  const session = await Session.create(model, { threads: 1 });
  try {
    const outputs = await session.run({ [name]: await hostTensor(type.dtype!, data, dims) });
    const output = outputs[model.graph.outputs[0]!.name]!;
    if (String(output.dims) !== String(declared.shape)) return `shape ${output.dims}, not ${declared.shape}`;
    if (output.dims.at(-1) !== classes) return `${output.dims.at(-1)} classes, not ${classes}`;
    return (output.data as Float32Array).every(Number.isFinite) ? undefined : 'not finite';
  } finally {
    await session.dispose();
  }
}

let failures = 0;
for (const space of SPACES.filter((s) => new RegExp(flags.only).test(s.name))) {
  const random = Random.seeded(2026);
  const start = performance.now();
  let good = 0;
  const runs: [NetworkOptions, number][] = [
    [reduced(space), Number(flags.count)],
    [{}, Number(flags.full)],
  ];
  for (const [options, count] of runs) {
    for (let i = 0; i < count; i++) {
      const arch = space.sample(random);
      const model = space.network(arch, options);
      const wrong = await problem(model, options.classes ?? space.defaults.classes);
      if (wrong === undefined) good++;
      else console.log(`${space.name} ${space.format(arch)} ${JSON.stringify(options)}: ${wrong}`);
      if (wrong !== undefined) failures++;
      if (flags.write === undefined || options.width === undefined) continue;
      mkdirSync(flags.write, { recursive: true });
      writeFileSync(join(flags.write, `${space.name}-${i}.onnx`), encodeModel(model));
    }
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${space.name.padEnd(24)} ${good} of ${Number(flags.count) + Number(flags.full)} run, ${seconds} s`,
  );
}
process.exitCode = failures > 0 ? 1 : 0;
