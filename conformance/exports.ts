// Real exports against PyTorch: for every network of a folder made by scripts/corpus/export.py, the parameters
// must be exactly PyTorch's, and the MACs of a convolutional network exactly those of its Conv and Linear
// layers.
//
//   npm run exports -- FOLDER [REGEX]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cost } from '../src/analysis/cost.js';
import { inferShapes } from '../src/analysis/infer.js';
import { readModel } from '../src/onnx/file.js';
import { AuspexError } from '../src/util/errors.js';

interface Entry {
  name: string;
  file: string;
  family: string;
  parameters: number;
  usedParameters?: number;
  macs: number;
  batchNormFused?: boolean;
  note?: string;
}

const [folder, pattern = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run exports -- FOLDER [REGEX]');
  process.exit(2);
}
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { networks: Entry[] };
const chosen = manifest.networks.filter((n) => new RegExp(pattern).test(n.name));
let failures = 0;
let symbolic = 0;
for (const entry of chosen) {
  const problems: string[] = [];
  try {
    const { totals, nodes } = cost(inferShapes(readModel(join(folder, entry.file))));
    const expected = entry.usedParameters ?? entry.parameters;
    if (totals.parameters !== expected && !entry.batchNormFused) {
      problems.push(`parameters ${totals.parameters}, PyTorch ${expected} (${totals.parameters - expected})`);
    }
    if (typeof totals.macs !== 'number') symbolic++;
    else if (entry.family === 'cnn' && totals.macs !== entry.macs)
      problems.push(`MACs ${totals.macs}, PyTorch ${entry.macs}`);
    const incomplete = nodes.filter((n) => n.counted && !n.complete);
    if (incomplete.length > 0)
      problems.push(`${incomplete.length} incomplete: ${incomplete[0]!.name} (${incomplete[0]!.operator})`);
  } catch (error) {
    problems.push(
      error instanceof AuspexError ? error.describe().replace(/\n\s*/g, ' ') : String((error as Error).stack),
    );
  }
  if (problems.length > 0) failures++;
  for (const problem of problems) console.log(`${entry.name}: ${problem}`);
}
console.log(
  `${chosen.length - failures} of ${chosen.length} networks agree with PyTorch (${symbolic} with symbolic MACs)`,
);
process.exitCode = failures === 0 ? 0 : 1;
