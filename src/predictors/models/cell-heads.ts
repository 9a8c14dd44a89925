// What is learned of cells beside arch2vec's reconstruction (Kadlecová et al.): the accuracy of a network, and what the
// trained network computes for an image. Both read the latents of all nodes through one narrow layer, whose output is an
// embedding of the cell.
import { convBlock, globalAveragePool } from '../../nn/convolution.js';
import { dropout } from '../../nn/dropout.js';
import { linear } from '../../nn/linear.js';
import { mse } from '../../nn/losses.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type Arch2vecOptions, arch2vecLoss, type CellInputs, encodeCells, sampled } from './arch2vec.js';

interface CellHeadOptions {
  /** Numbers of the cell's embedding. */
  readonly flat: number;
  /** Of every hidden layer. */
  readonly width: number;
  /** Hidden layers. */
  readonly depth: number;
  readonly dropout: number;
}

/** The released Accuracy model. In the paper it has two hidden layers with dropout. */
export const ACCURACY_HEAD: CellHeadOptions = { flat: 16, width: 512, depth: 1, dropout: 0 };

export interface IoHeadOptions extends CellHeadOptions {
  /** Channels of the image branch's convolutions; strides are 1, then 1 and 2 in turn. */
  readonly channels: readonly number[];
  /** Numbers that are put out for an image. */
  readonly outputs: number;
}

export const IO_HEAD: IoHeadOptions = {
  flat: 16,
  width: 512,
  depth: 2,
  dropout: 0.5,
  channels: [128, 128, 256, 256, 512],
  outputs: 10,
};

/** The embedding of a cell: (B, n, latent) → (B, flat). */
export function flatLatent(s: Scope, z: Value, { flat }: CellHeadOptions): Value {
  return linear(s.at('head', 'flat'), z.reshape([-1, z.length(1) * z.length(2)]), flat);
}

/** (B, n, latent) → (B, outputs), accuracies from 0 to 1. */
export function accuracyHead(
  s: Scope,
  z: Value,
  options: CellHeadOptions = ACCURACY_HEAD,
  outputs = 1,
): Value {
  const x = hiddenLayers(s, flatLatent(s, z, options).relu(), options);
  return linear(s.at('head', 'accuracy'), x, outputs).sigmoid();
}

/** (B, n, latent) and images (B, 3, H, W) → (B, outputs): what the network of a cell computes for an image. */
export function ioHead(s: Scope, z: Value, image: Value, options: IoHeadOptions = IO_HEAD): Value {
  return ioOutputs(s, z, imageBranch(s, image, options), options);
}

/** Images (B, 3, H, W) → (B, last of the channels). */
export function imageBranch(s: Scope, image: Value, { channels }: Pick<IoHeadOptions, 'channels'>): Value {
  let x = image;
  channels.forEach((count, i) => {
    const stride = i > 0 && i % 2 === 0 ? 2 : 1;
    x = convBlock(s.at('head', 'image', i), x, count, { kernel: 3, stride, padding: 1 });
  });
  return globalAveragePool(x);
}

/** (B, n, latent) and what the image branch gives → (B, outputs). */
export function ioOutputs(s: Scope, z: Value, image: Value, options: IoHeadOptions): Value {
  const both = s.builder.concat([image, flatLatent(s, z, options).relu()], 1);
  return linear(s.at('head', 'outputs'), hiddenLayers(s, both, options), options.outputs);
}

function hiddenLayers(s: Scope, start: Value, { width, depth, dropout: rate }: CellHeadOptions): Value {
  let x = start;
  for (let i = 0; i < depth; i++) x = dropout(s, linear(s.at('head', 'hidden', i), x, width).relu(), rate);
  return x;
}

/** A head's outputs for the latents of nodes, and what they should be. */
export interface LabelledLatents {
  predict(s: Scope, z: Value): Value;
  readonly target: Value;
}

/**
 * What is minimised: arch2vec's loss, and for labelled batches the squared error of a head that sees the same sample of the
 * latents.
 */
export function cellLoss(
  s: Scope,
  cells: CellInputs,
  options: Arch2vecOptions,
  labelled?: LabelledLatents,
): Value {
  const latents = encodeCells(s, cells, options);
  const z = sampled(s, latents);
  const reconstruction = arch2vecLoss(s, cells, latents, z, options);
  return labelled ? reconstruction.add(mse(labelled.predict(s, z), labelled.target)) : reconstruction;
}
