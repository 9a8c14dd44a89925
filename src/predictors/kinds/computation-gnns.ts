// The baselines of GENNAPE on computation graphs: k-GNN, GCN and GIN, which differ in what a node makes of its
// predecessors.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import {
  COMPUTATION_GNN,
  type ComputationInputs,
  type Convolution,
  computationGnn,
} from '../models/computation-gnn.js';
import { VOCABULARIES, VOCABULARY_NAMES } from '../views/computation-graph/vocabulary.js';
import { computationRecipe } from './computation-recipe.js';
import { graphKind } from './graph-kind.js';
import { layers, width } from './options.js';

const OPTIONS = z.strictObject({
  width: width(COMPUTATION_GNN.width),
  layers: layers(COMPUTATION_GNN.layers),
  vocabulary: z.enum(VOCABULARY_NAMES).default('gennape'),
  sizes: z.enum(['linear', 'log']).default('linear'),
});

function baseline(name: string, title: string, paper: string, convolution: Convolution): void {
  graphKind({
    name,
    title,
    paper,
    summary: `any network: ${title.split(' ')[0]} on its computation graph`,
    view: 'computation-graph',
    viewOptions: ({ model: { vocabulary, sizes } }) => ({ vocabulary, sizes }),
    standard: { kind: 'standard', centre: 0 },
    options: OPTIONS,
    recipe: (rows) => ({ ...computationRecipe(rows), model: OPTIONS.parse({}) }),
    build: (s, inputs, { vocabulary, ...options }, outputs) =>
      computationGnn(s, inputs as unknown as ComputationInputs, {
        ...options,
        convolution,
        labels: VOCABULARIES[vocabulary].labels.length,
        outputs,
      }),
  });
}

baseline('k-gnn', KIND_TITLES['k-gnn'], 'Mills et al., AAAI 2023', 'k-gnn');
baseline('gcn-graph', KIND_TITLES['gcn-graph'], 'Kipf & Welling, ICLR 2017; Mills et al., AAAI 2023', 'gcn');
baseline('gin-graph', KIND_TITLES['gin-graph'], 'Xu et al., ICLR 2019; Mills et al., AAAI 2023', 'gin');
