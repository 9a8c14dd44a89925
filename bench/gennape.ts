// GENNAPE's contrastive encoder: a training step beside PyTorch Geometric, in CPU time, so that other work on the machine
// does not count; and how many networks of NAS-Bench-201 are embedded in a second, from their texts.
// Options: --graphs 128, --threads 1, --repeats 9, --networks 2000.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lazily, type Networks } from '../src/networks/networks.js';
import { Resolver } from '../src/networks/resolver.js';
import type { Batch } from '../src/nn/batch.js';
import { Trainer } from '../src/nn/trainer.js';
import { kindNamed } from '../src/predictors/kinds/index.js';
import { BLOCK_ROWS, ENCODER } from '../src/predictors/models/contrastive-encoder.js';
import {
  contrastiveStage,
  DISTANCES,
  FLOPS,
  spectraOf,
} from '../src/predictors/pretraining/contrastive-stage.js';
import type { PackedSet } from '../src/predictors/views/computation-graph/graph-set.js';
import { viewNamed } from '../src/predictors/views/index.js';
import { spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { inTurn, Peer } from './peer.js';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    graphs: { type: 'string', default: '128' },
    threads: { type: 'string', default: '1' },
    repeats: { type: 'string', default: '9' },
    networks: { type: 'string', default: '2000' },
  },
});
const [graphs, threads] = [Number(options.graphs), Number(options.threads)];

function drawn(space: string, count: number): Networks {
  const found = spaceNamed(space);
  const random = Random.seeded(1);
  const texts = Array.from({ length: count }, () => found.format(found.sample(random)));
  const resolver = new Resolver();
  return lazily(count, (row) => resolver.network(texts[row]!, { space }));
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const view = viewNamed('computation-graph');
const networks = drawn('nasbench101', graphs);
const state = await view.prepare(networks, { blocks: BLOCK_ROWS });
const [all] = [...networks.chunks(graphs)];
const set = (await view.encode(all!, state)) as PackedSet;
const stage = contrastiveStage(
  { set, spectra: await spectraOf(set), flops: new Float64Array(graphs) },
  {
    ...{ steps: 1000, batch: graphs, rate: 1e-3, members: 1, weightDecay: 0.01 },
    loss: { temperature: 0.05, alpha: 'similar', alphaTemperature: 0.05, projection: 64, flopsWeight: 1 },
  },
  { ...ENCODER, labels: 32 },
);
const rows = [...Array(graphs).keys()];
const random = Random.seeded(2);
const batch = { ...stage.graphs.batch(rows), ...stage.extras!(rows, random) };
const { optimiser, schedule, objective } = stage;
const trainer = new Trainer(objective, { optimiser, schedule, clipNorm: 5, session: { threads } });

const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'));
const file = join(folder, 'graphs.json');
writeFileSync(
  file,
  JSON.stringify({
    graphs: rows.map((row) => graphOf(set, row)),
    distances: table(batch[DISTANCES]!, graphs),
    flops: table(batch[FLOPS]!, 1),
  }),
);
const peer = new Peer(['bench/peers/gennape.py', file, options.threads], 'torch_geometric');
try {
  const version = await peer.line();
  const found = await inTurn(
    async () => {
      const start = cpuMs();
      await trainer.step(batch);
      return cpuMs() - start;
    },
    () => peer.measure('step'),
    { repeats: Number(options.repeats), warmUp: 2 },
    async () => {},
  );
  const nodes = rows.reduce((sum, row) => sum + set.structure(row).nodes, 0);
  console.log(
    `step of ${graphs} graphs, ${nodes} nodes, ${threads} threads, CPU ms: ours ${found.ours.toFixed(0)}, ` +
      `PyTorch Geometric (${version}) ${found.theirs.toFixed(0)}, ratio ${found.ratio.toFixed(2)}`,
  );
} finally {
  peer.close();
  rmSync(folder, { recursive: true });
  await trainer.dispose();
}

/** A graph alone, without padding. */
function graphOf(packed: PackedSet, row: number): object {
  const { nodes, edges } = packed.structure(row);
  const { weighted } = packed.lengths(row);
  const own = packed.batch([row]);
  const part = (name: string, width: number, count: number): unknown[] =>
    width === 1 ? [...own[name]!.data.slice(0, count)] : table(own[name]!, width).slice(0, count);
  return {
    weightedOps: part('weightedOps', 1, weighted),
    weightedSizes: part('weightedSizes', 6, weighted),
    kernels: part('kernels', 2, weighted),
    bias: part('bias', 2, weighted),
    regularOps: part('regularOps', 1, nodes - weighted),
    regularSizes: part('regularSizes', 6, nodes - weighted),
    edges: table({ data: edges }, 2),
  };
}

function table({ data }: Pick<Batch[string], 'data'>, width: number): number[][] {
  return Array.from({ length: data.length / width }, (_, i) =>
    Array.from(data.slice(i * width, (i + 1) * width), Number),
  );
}

// An encoder that has hardly learned embeds as fast as one that has.
const { predictor } = await kindNamed('contrastive').fit(
  { networks: drawn('nasbench101', 64) },
  { steps: 1, batch: 32 },
  { seed: 0, threads },
);
const many = drawn('nasbench201', Number(options.networks));
await predictor.embed!(drawn('nasbench201', 200));
const [start, wall] = [cpuMs(), performance.now()];
await predictor.embed!(many);
const [cpu, passed] = [cpuMs() - start, performance.now() - wall];
console.log(
  `embedding ${many.count} networks of NAS-Bench-201 from texts: ${(cpu / many.count).toFixed(2)} CPU ms each, ` +
    `${((1000 * many.count) / passed).toFixed(0)} a second`,
);
await predictor.dispose();
