// A forest as an ONNX model: one TreeEnsembleRegressor with a target for every tree, their mean and standard deviation.
import { symbol } from '../../graph/dim.js';
import type { Attribute, Model } from '../../graph/graph.js';
import { Builder, type Value } from '../../ops/build.js';
import { baselineModel, INPUT, ML_DOMAIN, OPSETS } from '../feature-model.js';
import type { Tree } from './grow-tree.js';

/** `features` (rows, F) → `prediction` (rows, 1), `spread` (rows, 1). */
export function forestModel(features: readonly string[], trees: readonly Tree[]): Model {
  const builder = new Builder({ opsets: OPSETS });
  const x = builder.input(INPUT, 'float32', [symbol('rows'), features.length]);
  const byTree = treeValues(x, trees);
  const mean = byTree.mean([1], true);
  const off = byTree.sub(mean);
  const spread = off.mul(off).mean([1], true).sqrt();
  return baselineModel('random-forest', features, builder, { prediction: mean, spread });
}

/** What every tree says: (rows, F) → (rows, trees). */
export function treeValues(x: Value, trees: readonly Tree[]): Value {
  return x.builder.apply('TreeEnsembleRegressor', [x], ensemble(trees), { domain: ML_DOMAIN })[0]!;
}

/** Nodes are named by tree and place; leaves have weights, one target for each tree. */
function ensemble(trees: readonly Tree[]): Record<string, Attribute> {
  const nodes = trees.flatMap((tree, t) => Array.from(tree.feature, (f, i) => ({ tree, t, f, i })));
  const leaves = nodes.filter(({ f }) => f < 0);
  const ints = (value: readonly number[]): Attribute => ({ type: 'ints', value });
  const floats = (value: readonly number[]): Attribute => ({ type: 'floats', value });
  return {
    n_targets: { type: 'int', value: trees.length },
    nodes_treeids: ints(nodes.map(({ t }) => t)),
    nodes_nodeids: ints(nodes.map(({ i }) => i)),
    nodes_featureids: ints(nodes.map(({ f }) => Math.max(f, 0))),
    nodes_modes: { type: 'strings', value: nodes.map(({ f }) => (f < 0 ? 'LEAF' : 'BRANCH_LEQ')) },
    nodes_values: floats(nodes.map(({ tree, i }) => tree.threshold[i]!)),
    nodes_truenodeids: ints(nodes.map(({ f, i }) => (f < 0 ? 0 : i + 1))),
    nodes_falsenodeids: ints(nodes.map(({ tree, f, i }) => (f < 0 ? 0 : tree.right[i]!))),
    target_ids: ints(leaves.map(({ t }) => t)),
    target_treeids: ints(leaves.map(({ t }) => t)),
    target_nodeids: ints(leaves.map(({ i }) => i)),
    target_weights: floats(leaves.map(({ tree, i }) => tree.value[i]!)),
  };
}
