// Features of the layers of a folder of networks, as CSV: what accuracy.py evaluates.
//
//   node build/verify/timm/features.js FOLDER > features.csv
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inferShapes } from '../../src/analysis/infer.js';
import { isTensor } from '../../src/graph/types.js';
import { readModel } from '../../src/onnx/file.js';
import { layerFeatures } from '../../src/predictors/views/layers/layer-features.js';
import { networkParts } from '../../src/predictors/views/layers/network-parts.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node build/verify/timm/features.js FOLDER > features.csv');
  process.exit(2);
}
let isFirst = true;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.onnx'))) {
  const { graph } = inferShapes(readModel(join(folder, file)));
  const type = graph.types.get(graph.inputNames[0]!);
  const [, , height, width] = (isTensor(type) ? (type.shape ?? []) : []).map(Number);
  const features = layerFeatures(networkParts(graph), { height: height!, width: width! });
  if (isFirst) console.log(['name', ...Object.keys(features)].join(','));
  isFirst = false;
  console.log([file.replace(/\.onnx$/, ''), ...Object.values(features)].join(','));
}
