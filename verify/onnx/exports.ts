// Real exports against PyTorch: for every network of a folder made by verify/exports/export.py, the parameters
// must be exactly PyTorch's, and the MACs of a convolutional network exactly those of its Conv and Linear
// layers.
//
//   npm run exports -- FOLDER [REGEX]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cost } from '../../src/analysis/cost.js';
import { inferShapes } from '../../src/analysis/infer.js';
import { readModel } from '../../src/onnx/file.js';
import { AuspexError } from '../../src/util/errors.js';

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
let compared = 0;
let exact = 0;
let fused = 0;
let failures = 0;
for (const entry of chosen) {
  const problems: string[] = [];
  if (entry.batchNormFused) fused++;
  else compared++;
  try {
    const { totals, nodes } = cost(inferShapes(readModel(join(folder, entry.file))));
    if (!entry.batchNormFused) {
      const { parameters } = totals;
      if (parameters === entry.parameters) exact++;
      else {
        const used = parameters === entry.usedParameters ? ', exactly those that take part' : '';
        problems.push(`parameters ${parameters}, PyTorch ${entry.parameters}${used}`);
      }
    }
    if (entry.family === 'cnn' && typeof totals.macs === 'number' && totals.macs !== entry.macs) {
      problems.push(`MACs ${totals.macs}, PyTorch ${entry.macs}`);
    }
    const incomplete = nodes.filter((n) => n.counted && !n.complete);
    if (incomplete.length > 0) {
      problems.push(`${incomplete.length} incomplete: ${incomplete[0]!.name} (${incomplete[0]!.operator})`);
    }
  } catch (error) {
    problems.push(error instanceof AuspexError ? error.describe().replace(/\n\s*/g, ' ') : String(error));
  }
  if (problems.length > 0) failures++;
  for (const problem of problems) console.log(`${entry.name}: ${problem}`);
}
console.log(`${exact} of ${compared} networks have exactly PyTorch's parameters;`);
console.log(`of ${fused} more, with BatchNormalization fused into convolutions, only MACs are compared`);
process.exitCode = failures === 0 ? 0 : 1;
