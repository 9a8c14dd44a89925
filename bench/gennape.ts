// A training step of GENNAPE's contrastive encoder, beside PyTorch Geometric; and how long it takes to embed networks of
// NAS-Bench-201 from their texts, beside PyTorch Geometric with graphs that are already there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { python } from './answerer.js';
import { type Bench, timed } from './bench.js';

function drawn(space: string, count: number): Networks {
  const found = spaceNamed(space);
  const random = Random.seeded(1);
  const texts = Array.from({ length: count }, () => found.format(found.sample(random)));
  const resolver = new Resolver();
  return lazily(count, (row) => resolver.network(texts[row]!, { space }));
}

/** The encoder's training on cells of NAS-Bench-101. */
async function training(graphs: number) {
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
  const batch = { ...stage.graphs.batch(rows), ...stage.extras!(rows, Random.seeded(2)) };
  return { set, stage, batch, rows };
}

export const bench: Bench = {
  options: { graphs: { type: 'string', default: '128' }, threads: { type: 'string', default: '1' } },

  async rows({ values: { graphs, threads } }, side, folder) {
    const { set, batch, rows } = await training(Number(graphs));
    const file = join(folder, 'graphs.json');
    const content = {
      graphs: rows.map((row) => graphOf(set, row)),
      distances: table(batch[DISTANCES]!, rows.length),
      flops: table(batch[FLOPS]!, 1),
    };
    writeFileSync(file, JSON.stringify(content));
    const geometric = python(['bench/peers/gennape.py', file, threads!], 'torch_geometric');
    const nodes = rows.reduce((sum, row) => sum + set.structure(row).nodes, 0);
    return ['step', 'embed'].map((line) => ({
      name: line === 'step' ? `step of ${graphs} graphs, ${nodes} nodes` : `embedding ${graphs} networks`,
      ours: { side, line },
      peers: [{ side: geometric, line }] as const,
    }));
  },

  async side({ values: { graphs, threads } }) {
    const session = { threads: Number(threads) };
    let run: (() => Promise<unknown>) | undefined;
    return async (line) => {
      run ??=
        line === 'step' ? await stepping(Number(graphs), session) : await embedding(Number(graphs), session);
      return timed(run);
    };
  },
};

async function stepping(graphs: number, session: { threads: number }): Promise<() => Promise<unknown>> {
  const { stage, batch } = await training(graphs);
  const { optimiser, schedule, objective } = stage;
  const trainer = new Trainer(objective, { optimiser, schedule, clipNorm: 5, session });
  return () => trainer.step(batch);
}

/** An encoder that has hardly learned embeds as fast as one that has. */
async function embedding(graphs: number, { threads }: { threads: number }): Promise<() => Promise<unknown>> {
  const { predictor } = await kindNamed('contrastive').fit(
    { networks: drawn('nasbench101', 64) },
    { steps: 1, batch: 32 },
    { seed: 0, threads },
  );
  return () => predictor.embed!(drawn('nasbench201', graphs));
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
