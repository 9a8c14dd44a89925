// The convolutions of a training step in the runtime's blocked kernels, where it has them. Gradients are written so by their
// rules (`ops/families/layers/blocked-conv.ts`); here it is the rest.
import type { Node } from '../graph/graph.js';
import type { Builder } from '../ops/build.js';
import { writeInBlocks } from '../ops/families/layers/blocked-conv.js';
import { traitsOf } from '../ops/index.js';

/** Adds nodes of known types, with others in the place of convolutions that are faster in blocks. */
export function addInBlocks(builder: Builder, nodes: readonly Node[]): void {
  for (const node of nodes) {
    const isConvolution = builder.channelBlock !== undefined && traitsOf(node).convolution === 'plain';
    if (!isConvolution || !writeInBlocks(builder, node)) builder.nodes.push(node);
  }
}
